// The types of CEL: what expressions are declared and checked with.

/** Kinds without parameters. */
export type SimpleKind =
  | 'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration'; // prettier-ignore

/** A simple type; `sizeMax` bounds characters of a string or bytes for cost estimates. */
export interface SimpleType {
  readonly kind: SimpleKind;
  readonly sizeMax?: number | undefined;
}

export interface ListType {
  readonly kind: 'list';
  readonly element: CelType;
  /** Most items, for cost estimates. */
  readonly sizeMax?: number | undefined;
}

export interface MapType {
  readonly kind: 'map';
  readonly key: CelType;
  readonly value: CelType;
  /** Most entries, for cost estimates. */
  readonly sizeMax?: number | undefined;
}

/** An object with known fields. */
export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  /** The type of a field by its CEL name, or undefined if there is none. */
  readonly field: (name: string) => CelType | undefined;
}

/** A named type whose inside CEL does not see: `optional_type(int)`, `kubernetes.Quantity`. */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
  readonly params: readonly CelType[];
}

/** A type as a value: what `type(x)` gives. */
export interface TypeType {
  readonly kind: 'type';
  readonly of?: CelType | undefined;
}

/** A type parameter of an overload, or a variable that the checker finds. */
export interface ParamType {
  readonly kind: 'param';
  readonly name: string;
}

export type CelType = SimpleType | ListType | MapType | StructType | OpaqueType | TypeType | ParamType;

const simple = (kind: SimpleKind): SimpleType => ({ kind });

export const dynType = simple('dyn');
export const errorType = simple('error');
export const nullType = simple('null');
export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const timestampType = simple('timestamp');
export const durationType = simple('duration');

export const listType = (element: CelType, sizeMax?: number): ListType => ({ kind: 'list', element, sizeMax });
export const mapType = (key: CelType, value: CelType, sizeMax?: number): MapType => ({
  kind: 'map',
  key,
  value,
  sizeMax,
});
export const opaqueType = (name: string, ...params: readonly CelType[]): OpaqueType => ({
  kind: 'opaque',
  name,
  params,
});
export const optionalType = (of: CelType): OpaqueType => opaqueType('optional_type', of);
export const typeType = (of?: CelType): TypeType => ({ kind: 'type', of });
export const paramType = (name: string): ParamType => ({ kind: 'param', name });

/** A struct with a fixed set of fields. */
export function structType(name: string, fields: ReadonlyMap<string, CelType>): StructType {
  return { kind: 'struct', name, field: (field) => fields.get(field) };
}

const names: Readonly<Record<SimpleKind, string>> = {
  dyn: 'dyn', error: '!error!', null: 'null_type', bool: 'bool', int: 'int', uint: 'uint', double: 'double', string: 'string',
  bytes: 'bytes', timestamp: 'google.protobuf.Timestamp', duration: 'google.protobuf.Duration',
}; // prettier-ignore

/** The type's name as `type(x)` prints it and as Kubernetes' messages show it: `list(string)`, `null_type`. */
export function typeName(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeName(type.element)})`;
    case 'map':
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case 'struct':
      return type.name;
    case 'opaque':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(typeName).join(', ')})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${typeName(type.of)})`;
    case 'param':
      return type.name;
    default:
      return names[type.kind];
  }
}

const checkerNames = new Map<string, string>([
  ['null', 'null'],
  ['timestamp', 'timestamp'],
  ['duration', 'duration'],
]);

/** The type as the checker's messages spell it, which differs from `typeName` in three names. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${formatType(type.element)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'opaque':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${formatType(type.of)})`;
    default:
      return checkerNames.get(type.kind) ?? typeName(type);
  }
}
