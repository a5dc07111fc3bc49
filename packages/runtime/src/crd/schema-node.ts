// What the schema builders of `schema.ts` make: a part of a structural schema (as it goes into a CustomResourceDefinition)
// together with the TypeScript types of its values. The types exist for the compiler only.

import type { JSONSchemaProps, ValidationRule } from '@homeostat/api/types/apiextensions-v1';
import type { Json } from '@homeostat/machinery';

/**
 * Whether a field is there: `required` must be given, `defaulted` may be left out and is always there when read,
 * `optional` may be missing.
 */
export type Presence = 'required' | 'defaulted' | 'optional';

/**
 * A part of a schema. `Out` is the type of its values as the server answers them (defaults filled in), `In` as users write
 * them.
 */
export interface SchemaNode<Out = unknown, In = unknown, P extends Presence = Presence> {
  readonly schema: JSONSchemaProps;
  readonly presence: P;
  /** For the compiler only; never set. */
  readonly types?: { readonly out: Out; readonly in: In };
}

/** Values as the server answers them: defaults are filled in. */
export type Output<N extends SchemaNode> = N extends SchemaNode<infer Out> ? Out : never;

/** Values as users write them: what has a default may be left out. */
export type Input<N extends SchemaNode> = N extends SchemaNode<unknown, infer In> ? In : never;

export type Fields = Readonly<Record<string, SchemaNode>>;

type NamesOf<F extends Fields, P extends Presence> = {
  [Name in keyof F]: F[Name]['presence'] extends P ? Name : never;
}[keyof F];

type Flat<T> = { [Name in keyof T]: T[Name] };

export type ObjectOutput<F extends Fields> = Flat<
  { readonly [Name in NamesOf<F, 'required' | 'defaulted'>]: Output<F[Name]> } & {
    readonly [Name in NamesOf<F, 'optional'>]?: Output<F[Name]>;
  }
>;

export type ObjectInput<F extends Fields> = Flat<
  { readonly [Name in NamesOf<F, 'required'>]: Input<F[Name]> } & {
    readonly [Name in NamesOf<F, 'defaulted' | 'optional'>]?: Input<F[Name]>;
  }
>;

/** What every builder takes. */
export interface NodeOptions<T> {
  readonly description?: string;
  readonly title?: string;
  /** Filled in by the server where the field is missing. */
  readonly default?: T;
  readonly example?: Json;
  /** Allows null, which is otherwise removed (or replaced by the default). */
  readonly nullable?: true;
  /** CEL rules; `self` is the value, `oldSelf` the one before an update. */
  readonly rules?: readonly (string | ValidationRule)[];
}

export type PresenceOf<O> = O extends { readonly default: unknown } ? 'defaulted' : 'required';
export type Nullable<T, O> = O extends { readonly nullable: true } ? T | null : T;
/** The node of a value type, given its options. */
export type NodeOf<Out, In, O> = SchemaNode<Nullable<Out, O>, Nullable<In, O>, PresenceOf<O>>;
