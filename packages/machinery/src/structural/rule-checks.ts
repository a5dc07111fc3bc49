// The seam between the checks of a schema and those of its rules: what is told of a node that has
// `x-kubernetes-validations`, and what must come back.

import type { FieldError, FieldPath } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import type { JsonMap } from '../values/json-shapes.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A node of a schema that has rules, and the nodes it stands in. */
export interface RuleSite {
  /** The node as written. */
  readonly schema: JsonMap;
  readonly path: FieldPath;
  readonly parent: RuleSite | undefined;
  /** What of the parent it is. */
  readonly step: 'root' | 'property' | 'additionalProperties' | 'items';
  /** The outermost list whose items can't be told from their old ones: rules below may not use oldSelf. */
  readonly uncorrelatable: FieldPath | undefined;
}

export interface RuleChecks {
  /** Errors of a default that breaks rules. @param path - of the default @param isResource - the node is the root */
  checkDefault(value: Json, schema: StructuralSchema, path: FieldPath, isResource: boolean): readonly FieldError[];
  /** Errors of the node's rules. Called for nodes outside of junctors whose schema is in order, inner nodes first. */
  check(site: RuleSite): readonly FieldError[];
  /** Errors of all rules together. Called once, after the last check of a schema. @param path - of the schema */
  finish(path: FieldPath): readonly FieldError[];
}
