// Custom resources that a real control plane was asked to create, held against the schema alone, without a server: what is
// pruned, defaulted and refused must be what it answered.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { structByName, validateEmbeddedMeta } from '@homeostat/api';
import {
  applyDefaults,
  coerceEmbedded,
  compileStructural,
  decodeJson,
  DecodeError,
  type Json,
  pruneUnknown,
  type StructuralSchema,
  toCause,
  validateStructural,
} from '@homeostat/machinery';

interface Step {
  readonly method?: string;
  readonly path?: string;
  readonly text?: string;
  readonly body?: Readonly<Record<string, Json>>;
  readonly answer?: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: { readonly message?: string; readonly details?: { readonly causes?: readonly Cause[] } };
  };
}

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

const objectMeta = structByName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
assert.ok(objectMeta);
const coerceOptions = { objectMeta };
const recordings = ['validation', 'pruning', 'defaults', 'embedded', 'formats', 'numbers'];

for (const name of recordings) {
  test(`compiled schemas answer as recorded in crd-${name}`, () => {
    const url = new URL(`../golden/recordings/crd-${name}.json`, import.meta.url);
    const { steps } = JSON.parse(readFileSync(url, 'utf8')) as { steps: readonly Step[] };
    const { schema, hasStatus } = definitionOf(steps);
    let compared = 0;
    for (const step of steps) {
      const body = bodyOf(step);
      if (step.method !== 'POST' || body === undefined || !/^[A-Z]/.test(String(body['kind']))) continue;
      if (body['kind'] === 'Namespace' || body['kind'] === 'CustomResourceDefinition') continue;
      if (hasStatus) delete body['status'];
      compare(step, body, schema);
      compared++;
    }
    assert.ok(compared > 5, `${compared} steps compared`);
  });
}

function definitionOf(steps: readonly Step[]): { schema: StructuralSchema; hasStatus: boolean } {
  for (const { body } of steps) {
    if (body?.['kind'] !== 'CustomResourceDefinition') continue;
    const { spec } = body as unknown as { spec: { versions: readonly Version[] } };
    const version = spec.versions[0];
    assert.ok(version);
    return {
      schema: compileStructural(version.schema.openAPIV3Schema),
      hasStatus: version.subresources?.status !== undefined,
    };
  }
  throw new Error('no definition in the recording');
}

interface Version {
  readonly schema: { readonly openAPIV3Schema: Json };
  readonly subresources?: { readonly status?: object };
}

function bodyOf({ body, text }: Step): Record<string, Json> | undefined {
  if (body !== undefined) return structuredClone(body) as Record<string, Json>;
  return text?.startsWith('{') === true ? readText(text) : undefined;
}

function readText(text: string): Record<string, Json> | undefined {
  try {
    return decodeJson(text) as unknown as Record<string, Json>;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function compare(step: Step, body: Json, schema: StructuralSchema): void {
  const { answer } = step;
  const label = JSON.stringify(step.body ?? step.text);
  const pruned = pruneUnknown(body, schema, { root: true });
  const { value, unknown, error } = coerceEmbedded(pruned.value, schema, coerceOptions);
  if (error !== undefined) {
    assert.equal(answer?.status, 400, label);
    assert.ok(answer.body?.message?.endsWith(`: ${error.field}: ${error.body}`), `${error.field}: ${error.body}`);
    return;
  }
  const found = [...pruned.unknown, ...unknown];
  const { errors } = validateStructural(applyDefaults(value, schema), schema, {
    validateObjectMeta: validateEmbeddedMeta,
  });
  switch (answer?.status) {
    case 201: {
      assert.deepEqual(errors, [], label);
      const { spec, status } = applyDefaults(value, schema) as unknown as { spec?: Json; status?: Json };
      if (answer.body === undefined) return;
      const stored = answer.body as unknown as { spec?: Json; status?: Json };
      assert.deepEqual({ spec, status }, { spec: stored.spec, status: stored.status }, label);
      const warned = [...(answer.headers?.['warning'] ?? '').matchAll(/unknown field \\"((?!metadata)[^"]+)\\"/g)];
      if (step.path?.includes('fieldValidation=Ignore') !== true) {
        assert.deepEqual(
          found,
          warned.map(([, path]) => path),
          label,
        );
      }
      return;
    }
    case 400:
      for (const path of found) assert.ok(answer.body?.message?.includes(`unknown field "${path}"`), path);
      return;
    default:
      if (answer?.body === undefined) assert.ok(errors.length > 0, label);
      else assert.deepEqual(sorted(errors.map(toCause) as readonly Cause[]), sorted(answer.body.details?.causes ?? []));
  }
}

// The order of errors about different fields is the order of a Go map.
function sorted(causes: readonly Cause[]): readonly Cause[] {
  return causes.toSorted((a, b) => (a.field + a.message < b.field + b.message ? -1 : 1));
}
