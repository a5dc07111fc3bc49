// Strategic merge patch: merge keys, directives, order and messages (as recorded).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gadget } from '../../test-data/gadget.ts';
import type { Json } from '../schema/schema.ts';
import { PatchError, type PatchErrorKind } from './patch-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

type Spec = { readonly [key: string]: Json };

const spec: Spec = {
  replicas: 1,
  strategy: { type: 'Rolling', rolling: { surge: '25%' } },
  ports: [{ port: 80, protocol: 'TCP', name: 'web' }],
  parts: [
    { name: 'a', image: 'i:1', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: 'i:2' },
    { name: 'c', image: 'i:3' },
  ],
  tolerations: [{ key: 'k' }],
  tags: ['t1', 't2', 't3'],
  nodeSelector: { zone: 'z', disk: 'ssd' },
};

function patched(patch: Spec): Spec {
  return applyStrategicMergePatch({ spec }, { spec: patch }, gadget)['spec'] as Spec;
}

function throws(patch: Spec, kind: PatchErrorKind, message: string): void {
  assert.throws(
    () => patched(patch),
    (error) => {
      assert.ok(error instanceof PatchError);
      assert.deepEqual([error.kind, error.message], [kind, message]);
      return true;
    },
  );
}

const names = (value: Json | undefined): readonly Json[] =>
  (value as readonly { name: Json }[]).map(({ name }) => name);

test('applyStrategicMergePatch() merges maps and items by key, replaces scalars and atomic lists', () => {
  const result = patched({
    replicas: 2,
    parts: [{ name: 'b', image: 'i:9', env: [{ name: 'Y', value: '2' }] }],
    tolerations: [{ key: 'other' }],
    nodeSelector: { zone: null, rack: 'r' },
  });
  assert.deepEqual(result, {
    ...spec,
    replicas: 2,
    parts: [
      (spec['parts'] as Json[])[0],
      { name: 'b', image: 'i:9', env: [{ name: 'Y', value: '2' }] },
      (spec['parts'] as Json[])[2],
    ],
    tolerations: [{ key: 'other' }],
    nodeSelector: { disk: 'ssd', rack: 'r' },
  });
  assert.equal((result['parts'] as Json[])[0], (spec['parts'] as Json[])[0]);
});

test('applyStrategicMergePatch() puts new items before the next shared one, as the patch orders them', () => {
  assert.deepEqual(names(patched({ parts: [{ name: 'z' }, { name: 'b' }] })['parts']), ['z', 'a', 'b', 'c']);
  assert.deepEqual(patched({ tags: ['t4', 't1'] })['tags'], ['t4', 't1', 't2', 't3']);
});

test('$patch deletes and replaces', () => {
  assert.deepEqual(names(patched({ parts: [{ $patch: 'delete', name: 'a' }] })['parts']), ['b', 'c']);
  assert.deepEqual(patched({ parts: [{ $patch: 'replace' }, { name: 'z' }] })['parts'], [{ name: 'z' }]);
  assert.deepEqual(patched({ nodeSelector: { $patch: 'replace', a: '1' } })['nodeSelector'], { a: '1' });
  assert.deepEqual(patched({ nodeSelector: { $patch: 'delete' } })['nodeSelector'], {});
});

test('$deleteFromPrimitiveList takes values out of a list', () => {
  assert.deepEqual(patched({ '$deleteFromPrimitiveList/tags': ['t1', 't3'] })['tags'], ['t2']);
});

test('$setElementOrder orders, with items of the server alone among them', () => {
  const order = (...keys: readonly string[]): Spec => ({ '$setElementOrder/parts': keys.map((name) => ({ name })) });
  assert.deepEqual(names(patched(order('c', 'b', 'a'))['parts']), ['c', 'b', 'a']);
  assert.deepEqual(names(patched(order('c', 'a'))['parts']), ['b', 'c', 'a']);
  assert.deepEqual(names(patched({ ...order('z', 'c'), parts: [{ name: 'z' }] })['parts']), ['z', 'a', 'b', 'c']);
  assert.deepEqual(patched({ '$setElementOrder/tags': ['t3', 't1'] })['tags'], ['t2', 't3', 't1']);
});

test('$retainKeys drops the keys it does not list', () => {
  assert.deepEqual(patched({ strategy: { $retainKeys: ['type'], type: 'Recreate' } })['strategy'], {
    type: 'Recreate',
  });
});

test('nulls and directives on what is not there leave nothing', () => {
  assert.deepEqual(patched({ selector: { matchLabels: { a: null, b: '1' } }, extra: null })['selector'], {
    matchLabels: { b: '1' },
  });
  assert.deepEqual(patched({ selector: { $patch: 'delete' } }), spec);
});

test('applyStrategicMergePatch() throws the recorded texts', () => {
  throws(
    { parts: [{ $patch: 'delete' }] },
    'unexpected',
    'map: map[$patch:delete] does not contain declared merge key: name',
  );
  throws({ parts: [{ image: 'x' }] }, 'unexpected', 'map: map[image:x] does not contain declared merge key: name');
  throws(
    { parts: [{ $patch: 'merge', name: 'a' }] },
    'unexpected',
    'merging lists cannot yet be specified in the patch',
  );
  throws({ nodeSelector: { $patch: 'merge' } }, 'unexpected', 'unknown patch type: merge in map: map[$patch:merge]');
  throws({ nodeSelector: { $patch: 1 } }, 'unexpected', 'unknown patch type: %!s(int64=1) in map: map[$patch:1]');
  throws({ strategy: { $retainKeys: ['type'], rolling: {} } }, 'malformed', 'invalid patch format of retainKeys');
  throws({ strategy: { $retainKeys: 'type' } }, 'malformed', 'invalid patch format of retainKeys');
  throws({ tags: [['x']] }, 'unexpected', 'list element types are not identical: [[t1 t2 t3] [[x]]]');
  throws(
    { '$setElementOrder/parts': [{ name: 'a' }], parts: [{ name: 'z' }] },
    'unexpected',
    "The order in patch list:\n[map[name:z]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  );
});
