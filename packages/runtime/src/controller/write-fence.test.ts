// The fence by itself, and the index of waiting keys against a search.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { createStore } from '../store/store.ts';
import { BlockedKeys, type Obstacle } from './blocked-keys.ts';
import { WriteFence } from './write-fence.ts';

function setUp() {
  const env = createVirtualEnv();
  const { reader, writer } = createStore<KubeObject>({ namespaced: true });
  let resourceVersion = '10';
  const woken: string[] = [];
  const fence = new WriteFence({
    clock: env.clock,
    limitMs: 1_000,
    cacheOf: (resource) => (resource === 'pods.' ? { lister: reader, resourceVersion } : undefined),
    wake: (key) => woken.push(key),
  });
  const reach = (version: string, object?: string): void => {
    resourceVersion = version;
    fence.progressed('pods.', version, object);
  };
  return { env, writer, woken, fence, reach };
}

const pod = (uid: string, more: object = {}): KubeObject => ({ metadata: { name: 'p', namespace: 'x', uid }, ...more });

describe('WriteFence', () => {
  it('lets a key pass once the cache has reached its last write, and compares numbers', () => {
    const { fence, reach, woken } = setUp();
    fence.written('x/a', 'u', { kind: 'version', resource: 'pods.', object: 'x/p', resourceVersion: '100' });
    fence.written('x/a', 'u', { kind: 'version', resource: 'pods.', object: 'x/q', resourceVersion: '99' });
    assert.deepEqual(fence.check('x/a', 'u'), { status: 'blocked', waitMs: 1_000 });
    reach('99');
    assert.deepEqual(woken, []);
    reach('100');
    assert.deepEqual(woken, ['x/a']);
    assert.deepEqual(fence.check('x/a', 'u'), { status: 'open' });
    assert.equal(fence.size, 0);
  });

  it('keeps nothing of keys that never ask again, once the cache shows their writes', () => {
    const { fence, reach } = setUp();
    for (let at = 0; at < 10_000; at++) {
      const resourceVersion = String(100 + at);
      fence.written(`x/gone-${at}`, undefined, { kind: 'version', resource: 'pods.', object: 'x/p', resourceVersion });
      // The cache is ten writes behind.
      reach(String(90 + at));
      if (at % 1_000 === 0) assert.ok(fence.size <= 10);
    }
    assert.equal(fence.size, 10);
    reach('10099');
    assert.equal(fence.size, 0);
    fence.written('x/a', 'u', { kind: 'uncertain', resource: 'pods.', object: 'x/p' });
    assert.equal(fence.size, 1, 'what is not known is not seen');
  });

  it('asks for a live read of what has more effects than are waited for one by one', () => {
    const { fence, writer } = setUp();
    for (let at = 0; at <= 4096; at++) {
      const object = `x/p${at}`;
      writer.set(object, { metadata: { name: `p${at}`, namespace: 'x', uid: `u${at}` } });
      fence.written('x/a', 'u', { kind: 'removed', resource: 'pods.', object, uid: `u${at}` });
      if (at === 4095) assert.equal(fence.check('x/a', 'u').status, 'blocked');
    }
    assert.deepEqual(fence.check('x/a', 'u'), { status: 'live', resources: [{ resource: 'pods.', namespace: 'x' }] });
  });

  it('holds up no other key, and nothing for a resource without a cache', () => {
    const { fence } = setUp();
    fence.written('x/a', 'u', { kind: 'version', resource: 'events.', object: 'x/p', resourceVersion: '100' });
    fence.written('x/b', 'u', { kind: 'version', resource: 'pods.', object: 'x/p', resourceVersion: '100' });
    assert.equal(fence.check('x/a', 'u').status, 'open');
    assert.equal(fence.check('x/c', 'u').status, 'open');
  });

  it('waits for a removal until the uid is gone, terminating or another', () => {
    for (const after of [
      undefined,
      pod('p2'),
      pod('p1', { metadata: { name: 'p', namespace: 'x', uid: 'p1', deletionTimestamp: 'now' } }),
    ]) {
      const { fence, writer, reach, woken } = setUp();
      writer.set('x/p', pod('p1'));
      fence.written('x/a', 'u', { kind: 'removed', resource: 'pods.', object: 'x/p', uid: 'p1' });
      assert.equal(fence.check('x/a', 'u').status, 'blocked');
      reach('11', 'x/other');
      assert.deepEqual(woken, []);
      if (after === undefined) writer.delete('x/p');
      else writer.set('x/p', after);
      reach('12', 'x/p');
      assert.deepEqual(woken, ['x/a']);
      assert.equal(fence.check('x/a', 'u').status, 'open');
    }
  });

  it('waits for a binding until the Pod has a node', () => {
    const { fence, writer } = setUp();
    writer.set('x/p', pod('p1', { spec: {} }));
    fence.written('x/a', 'u', { kind: 'bound', resource: 'pods.', object: 'x/p', uid: 'p1' });
    assert.equal(fence.check('x/a', 'u').status, 'blocked');
    writer.set('x/p', pod('p1', { spec: { nodeName: 'n' } }));
    assert.equal(fence.check('x/a', 'u').status, 'open');
  });

  it('asks for a live read when the wait has been long enough, once, and then waits for that', async () => {
    const { fence, env, reach } = setUp();
    fence.written('x/a', 'u', { kind: 'version', resource: 'pods.', object: 'x/p', resourceVersion: '100' });
    assert.equal(fence.check('x/a', 'u').status, 'blocked');
    await env.clock.advance(1_000);
    assert.deepEqual(fence.check('x/a', 'u'), { status: 'live', resources: [{ resource: 'pods.', namespace: 'x' }] });
    fence.readLive('x/a', 'pods.', '120');
    assert.equal(fence.check('x/a', 'u').status, 'blocked');
    reach('120');
    assert.equal(fence.check('x/a', 'u').status, 'open');
  });

  it('asks for a live read at once after a write without an answer; of all namespaces when it wrote to several', () => {
    const { fence } = setUp();
    fence.written('x/a', 'u', { kind: 'uncertain', resource: 'pods.', object: 'x/p' });
    fence.written('x/a', 'u', { kind: 'uncertain', resource: 'pods.', object: 'y/p' });
    assert.deepEqual(fence.check('x/a', 'u'), {
      status: 'live',
      resources: [{ resource: 'pods.', namespace: undefined }],
    });
  });

  it('O12 forgets what was written for another object of the name, or for one that is gone', () => {
    for (const now of ['u2', undefined]) {
      const { fence } = setUp();
      fence.written('x/a', 'u1', { kind: 'version', resource: 'pods.', object: 'x/p', resourceVersion: '100' });
      assert.equal(fence.check('x/a', now).status, 'open');
      assert.equal(fence.size, 0);
    }
  });
});

describe('BlockedKeys', () => {
  it('releases as a search through all of them would', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const resource = fc.constantFrom('pods.', 'nodes.');
    const version = fc.integer({ min: 1, max: 120 });
    const step = fc.oneof(
      fc.record({ do: fc.constant('version' as const), key, resource, version }),
      fc.record({ do: fc.constant('object' as const), key, resource, object: fc.constantFrom('x/p', 'x/q') }),
      fc.record({ do: fc.constant('unblock' as const), key }),
      fc.record({
        do: fc.constant('progress' as const),
        resource,
        version,
        object: fc.constantFrom('x/p', 'x/q', undefined),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const blocked = new BlockedKeys();
        const model = new Map<string, Obstacle>();
        for (const next of steps) {
          if (next.do === 'version' || next.do === 'object') {
            const obstacle: Obstacle =
              next.do === 'version'
                ? { resource: next.resource, resourceVersion: String(next.version) }
                : { resource: next.resource, object: next.object };
            blocked.block(next.key, obstacle);
            model.set(next.key, obstacle);
          } else if (next.do === 'unblock') {
            blocked.unblock(next.key);
            model.delete(next.key);
          } else {
            const expected = [...model].filter(([, obstacle]) => {
              if (obstacle.resource !== next.resource) return false;
              if ('object' in obstacle) return next.object === undefined || next.object === obstacle.object;
              return Number(obstacle.resourceVersion) <= next.version;
            });
            const passed = blocked.progressed(next.resource, String(next.version), next.object);
            assert.deepEqual([...passed].toSorted(), expected.map(([each]) => each).toSorted());
            for (const each of passed) model.delete(each);
          }
          assert.equal(blocked.size, model.size);
        }
      }),
    );
  });
});
