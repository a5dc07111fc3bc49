// Builders of structural schemas: one definition gives the schema of a CustomResourceDefinition and the TypeScript types of
// its objects. What a structural schema can't say can't be said here (Kubernetes' rules: KEP-1693 and the API reference of
// JSONSchemaProps); whether defaults fit and rules are cheap enough, the server says.

import type { JSONSchemaProps, ValidationRule } from '@homeostat/api/types/apiextensions-v1';
import type { Json } from '@homeostat/machinery';
import type { Condition } from '../objects/conditions.ts';
import type {
  Fields,
  Input,
  NodeOf,
  NodeOptions,
  ObjectInput,
  ObjectOutput,
  Output,
  SchemaNode,
} from './schema-node.ts';

export interface StringOptions extends NodeOptions<string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** RE2 syntax; not anchored unless it says so. */
  readonly pattern?: string;
  /** e.g. `date-time`, `duration`, `ipv4`, `uri`; formats the server does not know are not checked. */
  readonly format?: string;
}

export interface NumberOptions extends NodeOptions<number> {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
}

export interface IntegerOptions extends NumberOptions {
  readonly format?: 'int32' | 'int64';
}

export interface ArrayOptions<T> extends NodeOptions<readonly T[]> {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** How server-side apply merges it: `atomic` (default) as one value, `set` of scalars, `map` of objects by `mapKeys`. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** Fields that tell items apart; with `listType: 'map'`. */
  readonly mapKeys?: readonly string[];
}

export interface MapOptions<T> extends NodeOptions<Readonly<Record<string, T>>> {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly mapType?: 'atomic' | 'granular';
}

export interface ObjectOptions<T> extends NodeOptions<T> {
  /** `atomic`: one owner for the whole in server-side apply. */
  readonly mapType?: 'atomic' | 'granular';
  /** Keeps fields beyond those named. */
  readonly preserveUnknown?: true;
}

export function string<const O extends StringOptions>(options?: O): NodeOf<string, string, O> {
  return node({ type: 'string' }, options);
}

/** One of the values given. */
export function oneOf<const V extends readonly [string, ...string[]], const O extends NodeOptions<V[number]>>(
  values: V,
  options?: O,
): NodeOf<V[number], V[number], O> {
  return node({ type: 'string', enum: values }, options);
}

/** A whole number; `int64` unless the options say `int32`. Beyond 2^53 it is read as bigint. */
export function integer<const O extends IntegerOptions>(options?: O): NodeOf<number, number, O> {
  return node({ type: 'integer', format: 'int64' }, options);
}

export function number<const O extends NumberOptions>(options?: O): NodeOf<number, number, O> {
  return node({ type: 'number' }, options);
}

export function boolean<const O extends NodeOptions<boolean>>(options?: O): NodeOf<boolean, boolean, O> {
  return node({ type: 'boolean' }, options);
}

/** `80` or `"25%"`: `intstr.IntOrString`. */
export function intOrString<const O extends NodeOptions<number | string>>(
  options?: O,
): NodeOf<number | string, number | string, O> {
  return node({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, options);
}

/** `500m`, `1Gi`: `resource.Quantity`. */
export function quantity<const O extends NodeOptions<number | string>>(
  options?: O,
): NodeOf<number | string, number | string, O> {
  const pattern = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;
  const either = [{ type: 'integer' }, { type: 'string' }];
  return node({ 'x-kubernetes-int-or-string': true, anyOf: either, pattern }, options);
}

/** A time, RFC 3339. */
export function time<const O extends NodeOptions<string>>(options?: O): NodeOf<string, string, O> {
  return node({ type: 'string', format: 'date-time' }, options);
}

export function array<N extends SchemaNode, const O extends ArrayOptions<Input<N>>>(
  items: N,
  options?: O,
): NodeOf<readonly Output<N>[], readonly Input<N>[], O> {
  const { listType, mapKeys, ...rest }: ArrayOptions<Input<N>> = options ?? {};
  checkListType(listType, mapKeys);
  return node<readonly Output<N>[], readonly Input<N>[], O>(
    {
      type: 'array',
      items: items.schema,
      ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
      ...(mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': mapKeys }),
    },
    rest,
  );
}

/** @throws TypeError for a map without keys, or keys without a map */
function checkListType(listType: string | undefined, mapKeys: readonly string[] = []): void {
  if ((listType === 'map') !== mapKeys.length > 0)
    throw new TypeError(
      `a list has mapKeys when its listType is map, and only then: ${listType ?? 'atomic'}, ${JSON.stringify(mapKeys)}`,
    );
}

/** A map from strings. */
export function map<N extends SchemaNode, const O extends MapOptions<Input<N>>>(
  values: N,
  options?: O,
): NodeOf<Readonly<Record<string, Output<N>>>, Readonly<Record<string, Input<N>>>, O> {
  const { mapType, ...rest }: MapOptions<Input<N>> = options ?? {};
  return node<Readonly<Record<string, Output<N>>>, Readonly<Record<string, Input<N>>>, O>(
    {
      type: 'object',
      additionalProperties: values.schema,
      ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    },
    rest,
  );
}

/**
 * An object with the fields given; those neither `optional` nor with a default must be there.
 *
 * @example
 * const spec = object({ size: integer({ minimum: 0, default: 1 }), image: string(), note: optional(string()) });
 * type Spec = Output<typeof spec>; // { readonly size: number; readonly image: string; readonly note?: string }
 */
export function object<F extends Fields, const O extends ObjectOptions<ObjectInput<F>>>(
  fields: F,
  options?: O,
): NodeOf<ObjectOutput<F>, ObjectInput<F>, O> {
  const { mapType, preserveUnknown, ...rest }: ObjectOptions<ObjectInput<F>> = options ?? {};
  const required = Object.keys(fields).filter((name) => fields[name]?.presence === 'required');
  return node<ObjectOutput<F>, ObjectInput<F>, O>(
    {
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema])),
      ...(required.length === 0 ? {} : { required }),
      ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
      ...(preserveUnknown === undefined ? {} : { 'x-kubernetes-preserve-unknown-fields': true }),
    },
    rest,
  );
}

/** A field that may be missing. */
export function optional<Out, In>(field: SchemaNode<Out, In>): SchemaNode<Out, In, 'optional'> {
  return { schema: field.schema, presence: 'optional' };
}

/** Any JSON object or value; nothing in it is pruned or checked. */
export function anything<const O extends NodeOptions<Json>>(options?: O): NodeOf<Json, Json, O> {
  return node({ 'x-kubernetes-preserve-unknown-fields': true }, options);
}

/** A whole API object inside this one, with its `apiVersion`, `kind` and `metadata`. */
export function embeddedResource<const O extends NodeOptions<EmbeddedResource>>(
  options?: O,
): NodeOf<EmbeddedResource, EmbeddedResource, O> {
  const schema: JSONSchemaProps = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  return node(schema, options);
}

export interface EmbeddedResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Readonly<Record<string, Json>>;
  readonly [field: string]: Json | undefined;
}

/** A schema written by hand, with the type its values have; nothing checks that the two agree. */
export function raw<T>(schema: JSONSchemaProps): SchemaNode<T, T, 'required'> {
  return { schema, presence: 'required' };
}

/** `metav1.Condition`s, one per type. */
export function conditions(): SchemaNode<readonly Condition[], readonly Condition[], 'optional'> {
  const condition = object({
    type: string({ maxLength: 316, pattern: conditionType }),
    status: oneOf(['True', 'False', 'Unknown']),
    observedGeneration: optional(integer({ minimum: 0 })),
    lastTransitionTime: time(),
    reason: string({ minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' }),
    message: string({ maxLength: 32_768 }),
  });
  return optional(array(condition, { listType: 'map', mapKeys: ['type'] }));
}

const conditionType = String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`;

/** A `metav1.LabelSelector`. */
export function labelSelector<const O extends NodeOptions<LabelSelector>>(
  options?: O,
): NodeOf<LabelSelector, LabelSelector, O> {
  const requirement = object({
    key: string(),
    operator: string(),
    values: optional(array(string(), { listType: 'atomic' })),
  });
  const fields = {
    matchLabels: optional(map(string())),
    matchExpressions: optional(array(requirement, { listType: 'atomic' })),
  };
  return node({ ...object(fields).schema, 'x-kubernetes-map-type': 'atomic' }, options);
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Rules are often only their expression. */
export function toRules(rules: readonly (string | ValidationRule)[]): readonly ValidationRule[] {
  return rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
}

function node<Out, In, O>(schema: JSONSchemaProps, options: object | undefined): NodeOf<Out, In, O> {
  const { rules, ...keywords } = (options ?? {}) as NodeOptions<Json>;
  const validations = rules === undefined ? {} : { 'x-kubernetes-validations': toRules(rules) };
  const made: SchemaNode = {
    schema: { ...schema, ...keywords, ...validations },
    presence: keywords.default === undefined ? 'required' : 'defaulted',
  };
  return made as NodeOf<Out, In, O>;
}
