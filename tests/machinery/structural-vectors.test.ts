// Structural schemas compared with what upstream's own library (k8s.io/apiextensions-apiserver 0.36.2) answers:
// `vectors/structural.json` holds random schemas and objects, and those answers. The order of errors is the order of a Go map.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { structByName, validateEmbeddedMeta } from '@homeostat/api';
import {
  applyDefaults,
  coerceEmbedded,
  compileStructural,
  type FieldError,
  FieldPath,
  type Json,
  pruneUnknown,
  schemaErrors,
  type StructuralSchema,
  validateStructural,
} from '@homeostat/machinery';

interface Vector {
  readonly schema: Json;
  /** Why the schema is refused; then there is nothing else. */
  readonly refused?: readonly string[];
  readonly object: Json;
  /** The object is an update of this one. */
  readonly old?: Json;
  readonly unknown?: readonly string[];
  /** Why embedded metadata can't be read; then there is nothing else. */
  readonly coerce?: string;
  /** Pruned, read and defaulted. */
  readonly admitted: Json;
  readonly create: readonly string[];
  readonly update?: readonly string[];
}

const vectors = JSON.parse(
  readFileSync(new URL('./vectors/structural.json', import.meta.url), 'utf8'),
) as readonly Vector[];
const objectMeta = structByName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
assert.ok(objectMeta);
const metadata = { objectMeta, validateObjectMeta: validateEmbeddedMeta };

test('schemas are refused for what upstream refuses them for', () => {
  const path = new FieldPath('spec.validation.openAPIV3Schema');
  for (const { schema, refused = [] } of vectors) {
    assert.deepEqual(texts(schemaErrors(schema, path, { metadata })), refused, JSON.stringify(schema));
  }
});

test('objects are pruned, read and defaulted as upstream does', () => {
  for (const vector of vectors) {
    if (vector.refused !== undefined) continue;
    const { object, unknown, error } = admit(vector.object, compileStructural(vector.schema));
    const about = JSON.stringify(vector);
    assert.equal(error, vector.coerce, about);
    if (error !== undefined) continue;
    assert.deepEqual(object, vector.admitted, about);
    assert.deepEqual(unknown, vector.unknown ?? [], about);
  }
});

test('objects are valid, at create and at update, where upstream finds them valid', () => {
  let forgiven = 0;
  for (const vector of vectors) {
    if (vector.refused !== undefined || vector.coerce !== undefined) continue;
    const schema = compileStructural(vector.schema);
    const about = JSON.stringify(vector);
    const validate = (options: { old?: Json }): readonly string[] =>
      texts(
        validateStructural(vector.admitted, schema, { ...options, validateObjectMeta: validateEmbeddedMeta }).errors,
      );
    assert.deepEqual(validate({}), vector.create, about);
    if (vector.old === undefined || vector.update === undefined) continue;
    assert.deepEqual(validate({ old: admit(vector.old, schema).object }), vector.update, about);
    if (vector.update.length < vector.create.length) forgiven++;
  }
  assert.ok(forgiven > 20, `${forgiven} updates were forgiven something`);
});

function admit(value: Json, schema: StructuralSchema): { object: Json; unknown: readonly string[]; error?: string } {
  const pruned = pruneUnknown(value, schema, { root: true });
  const { value: coerced, error } = coerceEmbedded(pruned.value, schema, metadata);
  if (error !== undefined) return { object: coerced, unknown: pruned.unknown, error: `${error.field}: ${error.body}` };
  return { object: applyDefaults(coerced, schema), unknown: pruned.unknown };
}

function texts(errors: readonly FieldError[]): readonly string[] {
  return [...new Set(errors.map(({ field, body }) => `${field}: ${body}`))].sort();
}
