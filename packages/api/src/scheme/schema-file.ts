// The compact form of generated/schema.json. tools/schema-generator writes it, load-schema.ts reads it.

import type { Json, UnionSchema } from '@homeostat/machinery';

export interface SchemaFile {
  /** apiVersion → package → kinds. */
  readonly kinds: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Package → type → row. */
  readonly packages: Readonly<Record<string, Readonly<Record<string, TypeRow>>>>;
}

export type TypeRow = readonly [fields: readonly FieldRow[], more?: TypeMore];

export interface TypeMore {
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: readonly UnionSchema[];
}

/**
 * - `type`: a scalar (`string`), a struct (`PodSpec` of the same package, else its full name), `[listType:keys]items`,
 *   `{mapType}values`; `;message` in brackets marks a list that is a protobuf message of its own, `;go=Name` a named Go type
 * - `flags`: p pointer, e omitempty, z omitzero, r required
 * - `proto`: a number, a path of numbers, or 0 for none
 */
export type FieldRow = readonly [
  name: string,
  type: string,
  flags: string,
  proto: number | readonly number[],
  more?: FieldMore,
];

export interface FieldMore {
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly goType?: string;
  readonly mapType?: 'atomic' | 'granular';
  readonly embedded?: readonly string[];
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
}
