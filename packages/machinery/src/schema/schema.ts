// The schema IR (design law 11): one description of a type that drives decoding, encoding, defaulting, pruning,
// strategic merge keys, field ownership, protobuf and OpenAPI. Built-in kinds load it from generated facts
// (`@homeostat/api`), CRDs will build it from their structural schemas.
//
// Values are JSON values as the wire shows them: times and quantities are strings, bytes are base64 strings,
// int-or-string is a number or a string. Objects are plain objects.

/** A JSON value. 64-bit integers beyond 2^53 are bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };

export type Schema = StructSchema | ListSchema | MapSchema | ScalarSchema;

export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'float64'
  /** `[]byte`: base64 in JSON */
  | 'bytes'
  /** `resource.Quantity`: canonical string; its protobuf is a message { 1: string } */
  | 'quantity'
  /** `intstr.IntOrString`: protobuf message { 1: type, 2: int, 3: string } */
  | 'intOrString'
  /** `metav1.Time`: RFC 3339 seconds UTC; protobuf message { 1: seconds, 2: nanos }; zero time is JSON null */
  | 'time'
  /** `metav1.MicroTime`: RFC 3339 with 6 fraction digits */
  | 'microTime'
  /** `metav1.Duration`: Go duration string; protobuf message { 1: int64 ns } */
  | 'duration'
  /** `runtime.RawExtension`: any object; protobuf message { 1: raw JSON } */
  | 'rawExtension'
  /** `metav1.FieldsV1`: any object; protobuf message { 1: raw JSON } */
  | 'fieldsV1'
  /** any JSON value (apiextensions JSON: message { 1: raw }; JSONSchemaPropsOr… have their own message forms) */
  | 'json'
  | 'jsonSchemaPropsOrBool'
  | 'jsonSchemaPropsOrArray'
  | 'jsonSchemaPropsOrStringArray';

export interface ScalarSchema {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** The Go type's name when it is a named string, e.g. `io.k8s.api.core.v1.PodPhase`; for messages. */
  readonly goType?: string;
  /** Allowed values, in the order upstream prints them. */
  readonly enum?: readonly string[];
  /** OpenAPI format where it says more than the type, e.g. `int-or-string`, `date-time`. */
  readonly format?: string;
  /** For the jsonSchemaPropsOr… types: the JSONSchemaProps struct. */
  readonly props?: StructSchema;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly items: Schema;
  /** `x-kubernetes-list-type`; absent means atomic for field ownership. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** `x-kubernetes-list-map-keys`, for listType map. */
  readonly mapKeys?: readonly string[];
  /** The Go slice type is a protobuf message of its own, with the items in field 1 (`metav1.Verbs`, `ExtraValue`). */
  readonly protoMessage?: boolean;
  /** The Go type's name when it is a named slice, e.g. `io.k8s.api.authentication.v1.ExtraValue`; for messages. */
  readonly goType?: string;
}

export interface MapSchema {
  readonly kind: 'map';
  /** Keys are always strings in JSON. */
  readonly values: Schema;
  readonly mapType?: 'atomic' | 'granular';
  /** The Go type's name when it is a named map, e.g. `io.k8s.api.core.v1.ResourceList`; for messages. */
  readonly goType?: string;
}

/** Whether a field with Go's zero value appears in JSON. */
export type Omit =
  /** no omitempty: always there (null for a nil pointer, slice or map) */
  | 'never'
  /** omitempty: left out when false, 0, "", nil, or of length 0; a struct is never empty */
  | 'empty'
  /** omitzero: left out when the Go value is its zero value, structs and times included */
  | 'zero';

export interface FieldSchema {
  /** JSON name. */
  readonly name: string;
  readonly schema: Schema;
  /** Whether the Go field is a pointer (nil and zero differ). Slices and maps are not pointers. */
  readonly pointer: boolean;
  readonly omit: Omit;
  /** OpenAPI `required`. */
  readonly required: boolean;
  /** Protobuf field numbers from the struct to the field; longer than one for fields of embedded structs. Empty: not in protobuf. */
  readonly proto: readonly number[];
  /** OpenAPI `default`, unless it is the `{}` that every struct has; `''`, 0 and false of required fields included. */
  readonly default?: Json;
  /** Strategic merge: values of the patchStrategy tag. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** Names of the Go structs the field is embedded by, outermost first (`VolumeSource`); for messages. */
  readonly embedded?: readonly string[];
  /** `x-kubernetes-map-type` of this field, where it differs from that of the field's struct. */
  readonly mapType?: 'atomic' | 'granular';
}

export interface StructSchema {
  readonly kind: 'struct';
  /** Full name, e.g. `io.k8s.api.core.v1.PodSpec` (the OpenAPI definition's name). */
  readonly name: string;
  /** In Go field order, embedded structs flattened at their place. JSON is written in this order. */
  readonly fields: readonly FieldSchema[];
  readonly byName: ReadonlyMap<string, FieldSchema>;
  /** `x-kubernetes-map-type` of the struct: atomic means one owner for the whole. */
  readonly mapType?: 'atomic' | 'granular';
  /** Schema of fields beyond `fields` (`x-kubernetes-preserve-unknown-fields` of a CRD); absent: others are unknown. */
  readonly additional?: Schema;
  readonly unions?: readonly UnionSchema[];
}

/** `x-kubernetes-unions` entry. */
export interface UnionSchema {
  readonly discriminator?: string;
  readonly fieldsToDiscriminateBy: Readonly<Record<string, string>>;
}
