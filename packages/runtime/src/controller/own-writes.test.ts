// Which events show a key's own writes and nothing else, and which writes were never shown. Case ids: O12.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, KubeObject } from '@homeostat/machinery';
import { newExpired } from '@homeostat/machinery';
import { startController } from '../testing/controller-fixture.ts';
import { newWidget, parts, widgets } from '../testing/fake-server.ts';
import { OwnWrites } from './own-writes.ts';
import type { SentWrite } from './fenced-client.ts';
import { wakeController } from './wakes.ts';

const at = (
  resourceVersion: string,
  fields: object = {},
  labels: Readonly<Record<string, string>> = {},
): KubeObject => ({
  metadata: { name: 'x', uid: 'u', resourceVersion, labels },
  ...fields,
});
const patch = (patchType: 'json' | 'merge' | 'strategic' | 'apply', body: Json): SentWrite => ({
  resource: 'r',
  object: 'x',
  verb: 'patch',
  patchType,
  body,
});

/** Whether the step from `before` to `after` is explained by the write. */
function explained(write: SentWrite, before: KubeObject | undefined, after: KubeObject, old = before): boolean {
  const writes = new OwnWrites();
  writes.answered('k', write, before, after);
  const change =
    old === undefined
      ? ({ type: 'added', object: after, initial: false } as const)
      : ({ type: 'updated', old, object: after } as const);
  assert.equal(writes.explains('other', 'r', change), false);
  return writes.explains('k', 'r', change);
}

describe('OwnWrites.explains()', () => {
  const before = at('1', { spec: { a: 1, list: [1] } });

  it('knows creations, and updates by the version they were made on', () => {
    const create: SentWrite = { resource: 'r', object: 'x', verb: 'create' };
    assert.equal(explained(create, undefined, at('1')), true);
    assert.equal(explained(create, undefined, at('2'), at('1')), false);
    const update = (body: KubeObject): SentWrite => ({ resource: 'r', object: 'x', verb: 'update', body });
    assert.equal(explained(update(before), before, at('2')), true);
    assert.equal(explained(update(before), before, at('3'), at('2')), false, 'a step of another is in it');
    assert.equal(explained(update({ metadata: { name: 'x' } }), before, at('2')), false, 'unconditional');
  });

  it('knows patches whose answer holds what they say and nothing else', () => {
    const merge = patch('merge', { spec: { a: 2 } });
    assert.equal(explained(merge, before, at('2', { spec: { a: 2, list: [1] } })), true);
    assert.equal(explained(merge, before, at('2', { spec: { a: 2, list: [1] } }, { by: 'another' })), false);
    const json = patch('json', [{ op: 'replace', path: '/spec/a', value: 2 }]);
    assert.equal(explained(json, before, at('2', { spec: { a: 2, list: [1] } })), true);
    assert.equal(explained(json, before, at('2', { spec: { a: 3, list: [1] } })), false);
    const apply = patch('apply', { spec: { a: 2 } });
    assert.equal(explained(apply, before, at('2', { spec: { a: 2, list: [1] } })), true);
    assert.equal(explained(apply, before, at('2', { spec: { a: 2, list: [1, 2] } })), false);
    assert.equal(
      explained(patch('strategic', { spec: { list: [2] } }), before, at('2', { spec: { a: 1, list: [1, 2] } })),
      false,
    );
    assert.equal(
      explained(patch('merge', { spec: { a: 2 } }), undefined, at('2'), before),
      false,
      'nothing known before',
    );
  });

  it('takes the word of the server for patches with a version', () => {
    const guarded = patch('merge', { metadata: { resourceVersion: '1' }, spec: null });
    assert.equal(explained(guarded, before, at('2', { status: 'defaulted' })), true);
    const tested = patch('json', [{ op: 'test', path: '/metadata/resourceVersion', value: '1' }]);
    assert.equal(explained(tested, before, at('2', { spec: 'anything' })), true);
    assert.equal(explained(tested, before, at('2'), at('0')), false);
  });
});

describe('OwnWrites.reached()', () => {
  const create: SentWrite = { resource: 'r', object: 'x', verb: 'create' };
  const added = (version: string) => ({ type: 'added', object: at(version), initial: false }) as const;

  it('names the keys of writes that the cache went past unseen, once', () => {
    const writes = new OwnWrites();
    writes.answered('b', create, undefined, at('12'));
    writes.answered('a', create, undefined, at('10'));
    writes.shows('r', added('12'));
    assert.deepEqual(writes.reached('r', '9'), []);
    assert.deepEqual(writes.reached('other', '99'), []);
    assert.deepEqual(writes.reached('r', '12'), ['a']);
    assert.deepEqual(writes.reached('r', '12'), []);
  });

  it('counts what was shown before the answer came', () => {
    const writes = new OwnWrites();
    writes.sent();
    writes.shows('r', added('10'));
    writes.answered('a', create, undefined, at('10'));
    writes.settled();
    assert.deepEqual(writes.reached('r', '10'), []);
  });

  it('wakes the key of what it forgets when there are too many', () => {
    const writes = new OwnWrites();
    for (let version = 1; version <= 4_097; version++)
      writes.answered(`k${version}`, create, undefined, at(String(version)));
    assert.deepEqual(writes.reached('r', '0'), ['k1']);
  });
});

it('O12 a child made, and deleted by another inside the gap of a relist, is made again', async () => {
  const { env, server, stop } = await startController({
    name: 'gap',
    for: { resource: widgets },
    watches: [{ resource: parts, wakes: wakeController(widgets) }],
    reconcile: async ({ key, caches, client }) => {
      const owner = caches.lister(widgets).getByKey(key);
      if (owner === undefined || caches.lister(parts).list().length > 0) return;
      await client.create(parts, { namespace: 'default', object: newWidget('p', { owner }) });
    },
  });
  server.compact();
  server.swallow = ({ object }) => object.kind === 'Part';
  server.put('widgets', newWidget('w'));
  await env.clock.settle();
  assert.equal(server.list('parts').length, 1);
  server.remove('parts', 'default', 'p');
  server.swallow = () => false;
  server.compact();
  server.endWatches(newExpired('too old'));
  await env.clock.advance(60_000);
  assert.equal(server.list('parts').length, 1, 'no event ever told of it');
  await stop();
});
