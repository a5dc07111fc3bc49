// Patches and field ownership of real kinds, compared with what upstream's own libraries (k8s.io/apimachinery 0.36.2,
// structured-merge-diff 6.3.2, json-patch 4) answer: `vectors/` holds random requests and those answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { schemaOf } from '@homeostat/api';
import { isApiError, type StatusCause } from '@homeostat/base';
import {
  applyConfiguration,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  canonicalize,
  createThreeWayMergePatch,
  decodeJsonPatch,
  decodeObject,
  excludeFields,
  type Json,
  type KubeObject,
  type ManagedFieldsEntry,
  PatchError,
  type StructSchema,
  trackUpdate,
} from '@homeostat/machinery';

type JsonMap = { readonly [key: string]: Json };

function vectors<T>(name: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8')) as readonly T[];
}

const groupVersions: Readonly<Record<string, string>> = { Deployment: 'apps/v1' };

function schemaOfKind(kind: string): StructSchema {
  const [group = '', version = ''] = (groupVersions[kind] ?? '/v1').split('/');
  const schema = schemaOf({ group, version, kind });
  assert.ok(schema !== undefined, kind);
  return schema;
}

interface PatchVector {
  readonly args: readonly Json[];
  readonly result?: Json;
  readonly error?: string;
}

function checkPatches(name: string, run: (args: readonly Json[]) => Json, options: { readonly texts: boolean }): void {
  for (const { args, result, error } of vectors<PatchVector>(name)) {
    const about = JSON.stringify(args);
    if (error === undefined) {
      assert.deepEqual(run(args), result, about);
      continue;
    }
    assert.throws(
      () => run(args),
      (thrown) => {
        assert.ok(thrown instanceof PatchError, about);
        if (options.texts) assert.equal(thrown.message, error, about);
        return true;
      },
    );
  }
}

test('applyJsonPatch() answers as upstream', () => {
  const run = ([document = null, patch = null]: readonly Json[]): Json =>
    applyJsonPatch(document, decodeJsonPatch(patch));
  checkPatches('json-patch', run, { texts: false });
});

test('applyMergePatch() answers as upstream', () => {
  const run = ([document = null, patch = null]: readonly Json[]): Json => applyMergePatch(document, patch);
  checkPatches('merge-patch', run, { texts: false });
});

test('applyStrategicMergePatch() answers as upstream for real kinds', () => {
  const run = ([kind, object, patch]: readonly Json[]): Json =>
    applyStrategicMergePatch(object as JsonMap, patch as JsonMap, schemaOfKind(kind as string));
  checkPatches('strategic-merge-patch', run, { texts: true });
});

test('createThreeWayMergePatch() answers as upstream for real kinds', () => {
  const run = ([kind, ...objects]: readonly Json[]): Json => {
    const [original = {}, modified = {}, current = {}] = objects as readonly JsonMap[];
    return createThreeWayMergePatch(original, modified, current, schemaOfKind(kind as string));
  };
  checkPatches('three-way-patch', run, { texts: true });
});

interface OwnershipVector {
  readonly request: {
    readonly op: 'apply' | 'update';
    readonly kind: string;
    readonly live: KubeObject | null;
    readonly object: KubeObject;
    readonly manager: string;
    readonly subresource: string;
    readonly reset: readonly string[];
    readonly force?: boolean;
  };
  readonly answer: {
    readonly error?: string;
    readonly causes?: readonly StatusCause[];
    readonly object?: Json;
    readonly managedFields?: readonly Json[];
  };
}

const ownership = vectors<OwnershipVector>('field-ownership');

function optionsOf({ kind, manager, subresource, reset, live }: OwnershipVector['request']) {
  const apiVersion = groupVersions[kind] ?? 'v1';
  const schema = schemaOfKind(kind);
  return {
    manager,
    apiVersion,
    subresource,
    live: live ?? undefined,
    // Later than what the stored entries have, as upstream's clock was.
    time: '2099-01-01T00:00:00Z',
    schemaFor: (version: string) => (version === apiVersion ? schema : undefined),
    convert: (): never => assert.fail('there is one version only'),
    resetFields: () => excludeFields(...reset),
  };
}

// Upstream stamped its own time: what counts is whether there is one, and the order it leads to.
function shown(entries: readonly ManagedFieldsEntry[] | undefined): readonly Json[] {
  return (entries ?? []).map((entry) => ({
    manager: entry.manager ?? '',
    operation: entry.operation ?? '',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    fieldsV1: JSON.stringify(entry.fieldsV1),
    hasTime: entry.time !== undefined,
  }));
}

test('trackUpdate() answers as upstream for real kinds', () => {
  for (const { request, answer } of ownership) {
    if (request.op !== 'update') continue;
    const entries = trackUpdate({ ...optionsOf(request), object: request.object });
    assert.deepEqual(shown(entries), answer.managedFields ?? [], JSON.stringify(request));
  }
});

test('applyConfiguration() answers as upstream for real kinds', () => {
  const results = { applied: 0, refused: 0 };
  for (const { request, answer } of ownership) {
    if (request.op !== 'apply') continue;
    const { kind, object: config, force = false } = request;
    const about = JSON.stringify(request);
    const apply = () => applyConfiguration({ ...optionsOf(request), config, kind, force });
    if (answer.error !== undefined) {
      results.refused++;
      assert.throws(apply, (error) => isSameRefusal(error, answer, about));
      continue;
    }
    results.applied++;
    const { object, managedFields } = apply();
    const schema = schemaOfKind(kind);
    assert.deepEqual(shown(managedFields), answer.managedFields, about);
    assert.deepEqual(canonicalize(decodeObject(object, schema), schema), answer.object, about);
  }
  assert.ok(results.applied > 20 && results.refused > 20, JSON.stringify(results));
});

// Upstream names owners in random order: texts are compared line by line, causes in any order.
function isSameRefusal(error: unknown, answer: OwnershipVector['answer'], about: string): boolean {
  const lines = (text = ''): readonly string[] => text.replace(': conflicts', ':\nconflicts').split('\n').sort();
  const sorted = (causes: readonly StatusCause[] = []): readonly string[] =>
    causes.map(({ reason, message, field }) => `${reason} ${message} ${field}`).sort();
  assert.ok(isApiError(error), about);
  assert.deepEqual(lines(error.message), lines(answer.error), about);
  assert.deepEqual(sorted(error.details?.causes), sorted(answer.causes), about);
  return true;
}
