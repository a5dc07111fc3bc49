// What the server does with an object of a custom resource, done here as well: pruning, defaults, validation. For tests, for
// command lines, for webhooks; made on first use, because most programs never ask.

import type { JSONSchemaProps } from '@homeostat/api/types/apiextensions-v1';
import {
  applyDefaults,
  compileStructural,
  type FieldError,
  type Json,
  pruneUnknown,
  type StructuralSchema,
  validateStructural,
} from '@homeostat/machinery';

export interface CustomChecks {
  /** The object with its defaults. Nothing is changed in place. */
  complete<T>(object: T): T;
  /** Paths of fields the schema does not know; the server would drop them with a warning, or refuse them under strict validation. */
  unknownFields(object: unknown): readonly string[];
  /** What the server would refuse, with its words; CEL rules included. `old` is the object before an update. */
  validate(object: unknown, old?: unknown): readonly FieldError[];
}

export function createCustomChecks(openAPIV3Schema: JSONSchemaProps): CustomChecks {
  let compiled: StructuralSchema | undefined;
  const schema = (): StructuralSchema => (compiled ??= compileStructural(openAPIV3Schema));
  return {
    complete: (object) => applyDefaults(object as Json, schema()) as typeof object,
    unknownFields: (object) => pruneUnknown(object as Json, schema(), { root: true }).unknown,
    validate: (object, old) =>
      validateStructural(object as Json, schema(), { ...(old === undefined ? {} : { old: old as Json }) }).errors,
  };
}
