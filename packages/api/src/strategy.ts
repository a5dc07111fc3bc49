// What a kind adds to the generic way of storing objects: its defaults, rules and columns. The API server's
// registry runs these hooks in the order of spec/apiserver.md §4.1 and §4.5; whatever the schema can say is not here.
//
// Drafts are private to the request and may be changed in place; objects (`Readonly`) may not.

import type { FieldError, KubeObject, Mutable, ObjectMeta } from '@homeostat/machinery';

/** The module `@homeostat/machinery/cel`. */
export type Cel = typeof import('@homeostat/machinery/cel');

/** What hooks may know of the request, besides the objects. */
export interface StrategyContext {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly user?: {
    readonly username: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** GVK the request came in, when a kind is served in several versions. */
  readonly requestVersion?: string;
  /** Loaded for objects whose kind asks for it (`needsCel`); without it expressions are only looked at as texts. */
  readonly cel?: Cel | undefined;
  /** Tells the client something that is no error, beyond `warningsOnCreate` and `warningsOnUpdate`. */
  addWarning?(text: string): void;
}

/** Rules for one way of updating an object: the main endpoint, `status`, or another subresource that takes the kind itself. */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /** Puts back what this endpoint may not change, bumps generation. `draft` is the wanted object, `old` the stored one. */
  prepareForUpdate?(draft: Mutable<T>, old: T, context: StrategyContext): void;
  validateUpdate?(object: T, old: T, context: StrategyContext): readonly FieldError[];
  warningsOnUpdate?(object: T, old: T): readonly string[];
  /** Field paths (`f:status`, `f:spec.f:x` as arrays of names) that this endpoint resets: not owned by who writes through it. */
  readonly resetFields?: readonly (readonly string[])[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  /** 0 = always shown; higher only with `-o wide`. */
  readonly priority: number;
  readonly description: string;
}

export interface TableRowCells {
  readonly cells: readonly (string | number | boolean | null)[];
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

export interface TableStrategy<T extends KubeObject = KubeObject> {
  readonly columns: readonly TableColumn[];
  /** Cells in the order of `columns`; ages are computed against `nowMs`. */
  row(object: T, nowMs: number): TableRowCells;
  /** Metadata of rows that show only metadata, where the stored object carries more than clients should see. Default: all of it. */
  rowMetadata?(object: T): ObjectMeta;
  /** Whether the rows of an empty table are null instead of an empty list, as upstream's default columns have it. */
  readonly nullWhenEmpty?: boolean;
}

/** All hooks are optional: an absent one means the generic rule. */
export interface KindStrategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  /** Defaulting of this version (after the schema's own defaults), on decode of requests and of stored objects. */
  applyDefaults?(draft: Mutable<T>): void;
  /** Whether validating the object compiles or runs expressions. Default false. */
  needsCel?(object: T): boolean;
  prepareForCreate?(draft: Mutable<T>, context: StrategyContext): void;
  validateCreate?(object: T, context: StrategyContext): readonly FieldError[];
  warningsOnCreate?(object: T): readonly string[];
  /** Last normalisation before the object is stored. */
  canonicalize?(draft: Mutable<T>): void;
  /** The `status` subresource and others that take the kind itself (`resize`, `ephemeralcontainers`, `approval`, `finalize`). */
  readonly subresources?: Readonly<Record<string, UpdateStrategy<T>>>;

  /** Rule for metadata.name; default `subdomain`. */
  readonly nameRule?:
    'subdomain' | 'label' | 'label1035' | 'path-segment' | ((name: string, prefix: boolean) => readonly string[]);
  /** PUT to a missing name creates; default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without resourceVersion is allowed; default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether create sets metadata.generation to 1; bumps are the business of prepareForUpdate. Default false. */
  readonly tracksGeneration?: boolean;
  /** Why the object of this name may not be deleted: the request is answered 403 with the text. */
  refusesDelete?(name: string): string | undefined;
  /** Finalizer propagation default when DeleteOptions say nothing; default `background`. */
  readonly defaultPropagation?: 'background' | 'orphan' | 'unsupported';
  /**
   * Graceful deletion: returns the grace period in seconds to use, or undefined when the kind deletes at once.
   * `requested` is DeleteOptions.gracePeriodSeconds.
   */
  gracefulDeletion?(object: T, requested: number | undefined): number | undefined;

  /** Values by field label beyond metadata.name and metadata.namespace, for field selectors. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /** Field labels accepted in selectors beyond metadata.name/namespace (and aliases mapped to their canonical label). */
  readonly fieldLabels?: readonly string[] | Readonly<Record<string, string>>;
  /** Absent: Name and Age. */
  readonly table?: TableStrategy<T>;
  /** Response-only change, e.g. dropping a Secret's stringData; default none. */
  decorate?(draft: Mutable<T>): void;
}
