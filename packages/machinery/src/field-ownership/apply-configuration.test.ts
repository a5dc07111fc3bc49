// Server-side apply.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiError, isApiError } from '@homeostat/base';
import { gadget, gadgetV2 } from '../../test-data/gadget.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { excludeFields } from './field-filter.ts';
import type { ApplyOptions, ApplyResult } from './ownership-types.ts';
import { trackUpdate } from './track-update.ts';

const apiVersion = 'example.com/v1';

interface Gadget extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

// v2 calls `replicas` `size`.
function convert(object: KubeObject, version: string): KubeObject {
  const { replicas, size, ...spec } = (object as Gadget).spec ?? {};
  const count = replicas ?? size;
  const name = version === apiVersion ? 'replicas' : 'size';
  return {
    ...object,
    apiVersion: version,
    spec: { ...spec, ...(count === undefined ? {} : { [name]: count }) },
  } as KubeObject;
}

const base = {
  apiVersion,
  kind: 'Gadget',
  time: '2026-01-01T00:00:00Z',
  schemaFor: (version: string) =>
    version === apiVersion ? gadget : version === 'example.com/v2' ? gadgetV2 : undefined,
  convert,
  resetFields: () => excludeFields('status'),
};

const config = (spec: Readonly<Record<string, unknown>>, metadata: object = {}): Gadget => ({
  apiVersion,
  kind: 'Gadget',
  metadata: { name: 'g', ...metadata },
  spec,
});

function apply(manager: string, applied: Gadget, live?: Gadget, more: Partial<ApplyOptions> = {}): ApplyResult {
  return applyConfiguration({ ...base, manager, live, config: applied, ...more });
}

function stored({ object, managedFields }: ApplyResult): Gadget {
  return {
    ...object,
    metadata: { ...object.metadata, uid: 'u', ...(managedFields === undefined ? {} : { managedFields }) },
  };
}

function failure(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  return assert.fail('nothing was thrown');
}

const fieldsOf = (result: ApplyResult, manager: string): unknown =>
  result.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1?.['f:spec'];

test('applyConfiguration() creates an object that the manager owns', () => {
  const applied = config({
    replicas: 1,
    parts: [{ name: 'a', image: 'i' }],
    ports: [{ port: 80 }],
    nodeSelector: { z: '1' },
  });
  const result = apply('m', applied);
  assert.equal(result.changed, true);
  assert.deepEqual(result.object, applied);
  assert.deepEqual(result.managedFields, [
    {
      manager: 'm',
      operation: 'Apply',
      apiVersion,
      time: base.time,
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:spec': {
          'f:nodeSelector': { 'f:z': {} },
          'f:parts': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
          'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
          'f:replicas': {},
        },
      },
    },
  ]);
});

const live = stored(
  apply('m', config({ replicas: 1, paused: true, parts: [{ name: 'a', image: 'i' }, { name: 'b' }], tags: ['x'] })),
);

test('applyConfiguration() that changes nothing keeps object, entry and time', () => {
  const result = apply(
    'm',
    config({ replicas: 1, paused: true, parts: [{ name: 'a', image: 'i' }, { name: 'b' }], tags: ['x'] }),
    live,
    {
      time: '2026-02-01T00:00:00Z',
    },
  );
  assert.equal(result.changed, false);
  assert.equal(result.managedFields?.[0], live.metadata?.managedFields?.[0]);
});

test('applyConfiguration() removes what the manager no longer applies and nobody else owns', () => {
  const shared = stored(apply('other', config({ paused: true, parts: [{ name: 'b' }] }), live));
  const result = apply('m', config({ parts: [{ name: 'a' }] }), shared);
  assert.deepEqual(result.object, {
    ...live,
    metadata: { name: 'g', uid: 'u' },
    spec: { paused: true, parts: [{ name: 'a' }, { name: 'b' }] },
  });
});

test('applyConfiguration() throws a conflict with a cause per field and owner', () => {
  const one = failure(() => apply('other', config({ replicas: 2 }), live));
  assert.equal(one.code, 409);
  assert.equal(one.reason, 'Conflict');
  assert.equal(one.message, 'Apply failed with 1 conflict: conflict with "m": .spec.replicas');
  assert.deepEqual(one.details, {
    causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.spec.replicas' }],
  });
  const updated = {
    ...live,
    spec: { ...live.spec, paused: undefined, parts: [{ name: 'a', image: 'j' }, { name: 'b' }] },
  };
  const managedFields = trackUpdate({ ...base, manager: 'kubectl', live, object: updated, subresource: 'status' });
  const two = failure(() =>
    apply(
      'other',
      config({ replicas: 2, parts: [{ name: 'a', image: 'k' }] }),
      stored({ object: updated, managedFields, changed: true }),
    ),
  );
  assert.equal(
    two.message,
    'Apply failed with 2 conflicts: conflicts with "kubectl" with subresource "status" using example.com/v1:\n' +
      '- .spec.parts[name="a"].image\nconflicts with "m":\n- .spec.replicas',
  );
});

test('applyConfiguration() shares a field that has the same value already', () => {
  const result = apply('other', config({ replicas: 1 }), live);
  assert.equal(result.changed, false);
  assert.deepEqual(fieldsOf(result, 'other'), { 'f:replicas': {} });
  assert.equal(result.managedFields?.[0]?.time, undefined);
  assert.ok(Object.hasOwn(fieldsOf(result, 'm') as object, 'f:replicas'));
});

test('applyConfiguration() with force takes the field over', () => {
  const result = apply('other', config({ replicas: 2 }), live, { force: true });
  assert.equal((result.object as Gadget).spec?.['replicas'], 2);
  assert.deepEqual(fieldsOf(result, 'other'), { 'f:replicas': {} });
  assert.ok(!Object.hasOwn(fieldsOf(result, 'm') as object, 'f:replicas'));
});

test('applyConfiguration() orders shared items as the configuration does', () => {
  const order = (result: ApplyResult): unknown =>
    ((result.object as Gadget).spec?.['parts'] as { name: string }[] | undefined)?.map(({ name }) => name).join('');
  assert.equal(order(apply('other', config({ parts: [{ name: 'b' }, { name: 'z' }, { name: 'a' }] }), live)), 'bza');
  assert.equal(order(apply('other', config({ parts: [{ name: 'z' }, { name: 'b' }] }), live)), 'azb');
});

test('applyConfiguration() gives what it finds untracked to before-first-apply', () => {
  const { managedFields: _, ...metadata } = live.metadata ?? {};
  const result = apply('m', config({ replicas: 1 }), { ...live, metadata });
  assert.deepEqual(
    result.managedFields?.map(({ manager, operation }) => `${operation} ${manager}`),
    ['Apply m', 'Update before-first-apply'],
  );
  const conflict = failure(() => apply('m', config({ replicas: 2 }), { ...live, metadata }));
  assert.match(conflict.message, /conflict with "before-first-apply" using example.com\/v1: .spec.replicas$/);
});

test('applyConfiguration() finds the manager across versions', () => {
  const v2: Gadget = {
    apiVersion: 'example.com/v2',
    kind: 'Gadget',
    metadata: { name: 'g' },
    spec: { size: 1, mode: 'x' },
  };
  const created = applyConfiguration({
    ...base,
    apiVersion: 'example.com/v2',
    manager: 'm',
    live: undefined,
    config: v2,
  });
  const asV1 = convert(stored(created), apiVersion) as Gadget;
  const result = apply('m', config({}), asV1);
  assert.equal((result.object as Gadget).spec?.['replicas'], undefined);
  assert.deepEqual(
    result.managedFields?.map((entry) => entry.apiVersion),
    [apiVersion],
  );
});

test('applyConfiguration() owns an atomic value as a whole', () => {
  const first = stored(apply('m', config({ selector: { matchLabels: { a: '1' } }, tolerations: [{ key: 'a' }] })));
  const result = apply('m', config({ selector: { matchLabels: { b: '2' } }, tolerations: [] }), first);
  assert.deepEqual((result.object as Gadget).spec, { selector: { matchLabels: { b: '2' } }, tolerations: [] });
  assert.deepEqual(fieldsOf(result, 'm'), { 'f:selector': {}, 'f:tolerations': {} });
});

test('applyConfiguration() throws the recorded texts for what does not fit', () => {
  const cases: readonly (readonly [Gadget, number, string])[] = [
    [{ ...config({}), apiVersion: 'v2' }, 400, 'invalid object type: /v2, Kind=Gadget'],
    [{ metadata: { name: 'g' } }, 400, 'invalid object type: /, Kind='],
    [config({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
    [config({ what: 1 }), 500, '.spec.what: field not declared in schema'],
    [config({ replicas: 'two' }), 500, '.spec.replicas: expected numeric (int or float), got string'],
    [config({ paused: 'true' }), 500, '.spec.paused: expected boolean, got &{true}'],
    [config({ nodeSelector: ['x'] }), 500, '.spec.nodeSelector: expected map, got &{[x]}'],
    [config({ parts: { name: 'a' } }), 500, '.spec.parts: expected list, got &{map[name:a]}'],
    [
      config({ nodeSelector: { a: 1 } }),
      500,
      '.spec.nodeSelector.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      config({ nodeSelector: { a: { b: 'c' } } }),
      500,
      '.spec.nodeSelector.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":"c"}}',
    ],
    [config({ tags: ['x', 'x'] }), 500, '.spec.tags: duplicate entries for key [="x"]'],
    [
      config({ ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }),
      500,
      '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
    [config({ parts: [null] }), 500, '.spec.parts: element 0: associative list with keys may not have a null element'],
    [config({ parts: ['x'] }), 500, '.spec.parts: element 0: associative list with keys may not have non-map elements'],
  ];
  for (const [applied, code, message] of cases) {
    const error = failure(() => apply('m', applied));
    assert.equal(error.code, code, message);
    const prefix = 'failed to create typed patch object (/g; example.com/v1, Kind=Gadget): ';
    assert.equal(error.message, code === 500 ? prefix + message : message);
  }
});

test('applyConfiguration() by kubectl lets the last-applied annotation settle conflicts, and refreshes it', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const before: Gadget = {
    ...config(
      { replicas: 1, paused: true },
      { annotations: { [annotation]: JSON.stringify(config({ replicas: 1 })) } },
    ),
  };
  const managedFields = trackUpdate({ ...base, manager: 'kubectl-client-side-apply', live: undefined, object: before });
  const migrated = stored({ object: before, managedFields, changed: true });
  const result = apply('kubectl', config({ replicas: 2 }), migrated);
  assert.equal((result.object as Gadget).spec?.['replicas'], 2);
  assert.equal(
    result.object.metadata?.annotations?.[annotation],
    `{"apiVersion":"${apiVersion}","kind":"Gadget","metadata":{"name":"g"},"spec":{"replicas":2}}\n`,
  );
  const conflict = failure(() => apply('kubectl', config({ replicas: 2, paused: false }), migrated));
  assert.match(conflict.message, /^Apply failed with 1 conflict: .*: .spec.paused$/);
  assert.equal(failure(() => apply('other', config({ replicas: 2 }), migrated)).code, 409);
});

test('applyConfiguration() writes into none of its arguments', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const entries = freeze(structuredClone(live));
  apply('m', freeze(config({ parts: [{ name: 'z' }], tags: ['y'] })), entries);
  apply('other', freeze(config({ replicas: 3 })), entries, { force: true });
  assert.deepEqual(entries, live);
});

test('applyConfiguration() refuses live entries it cannot read', () => {
  const managedFields = [{ manager: 'x', operation: 'Update' }] as ManagedFieldsEntry[];
  const error = failure(() => apply('m', config({}), { ...live, metadata: { ...live.metadata, managedFields } }));
  assert.equal(error.message, 'failed to decode managed fields: apiVersion must not be empty');
});
