// The fence against a naive model that keeps every write and looks at all of them each time: who passes, who is blocked, who must read live,
// and that nobody who may pass is left without a wake-up.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { createStore } from '../store/store.ts';
import { WriteFence } from './write-fence.ts';

const limitMs = 1_000;
const resources = ['pods.', 'maps.'] as const;
type Resource = (typeof resources)[number];

interface ModelWrite {
  readonly resource: Resource;
  readonly version?: number;
  readonly gone?: string;
  readonly uncertain?: boolean;
}

const key = fc.constantFrom('x/a', 'x/b');
const uid = fc.constantFrom('u1', 'u2');
const resource = fc.constantFrom(...resources);
const step = fc.oneof(
  fc.record({ do: fc.constant('write' as const), key, uid, resource, ahead: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ do: fc.constant('remove' as const), key, uid, resource, object: fc.constantFrom('p', 'q') }),
  fc.record({ do: fc.constant('unanswered' as const), key, uid, resource }),
  fc.record({ do: fc.constant('progress' as const), resource, by: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('vanish' as const), resource, object: fc.constantFrom('p', 'q') }),
  fc.record({ do: fc.constant('check' as const), key, uid }),
  fc.record({ do: fc.constant('wait' as const), forMs: fc.constantFrom(10, 600) }),
);

it('WriteFence lets pass, blocks and wakes as a search through all writes would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
      const env = createVirtualEnv();
      const caches = new Map(
        resources.map((name) => [name as string, { version: 10, ...createStore<KubeObject>({ namespaced: true }) }]),
      );
      const cacheOf = (name: string) => {
        const cache = caches.get(name);
        assert.ok(cache !== undefined);
        return { cache, lister: cache.reader, resourceVersion: String(cache.version) };
      };
      for (const { writer } of caches.values())
        for (const name of ['p', 'q'])
          writer.set(`x/${name}`, { metadata: { name, namespace: 'x', uid: `${name}-uid` } });
      const woken = new Set<string>();
      const fence = new WriteFence({ clock: env.clock, limitMs, cacheOf, wake: (each) => void woken.add(each) });

      const model = new Map<string, { uid: string; writes: ModelWrite[]; deadlineMs: number | undefined }>();
      const blocked = new Map<string, string>();
      const write = (of: string, owner: string, made: ModelWrite): void => {
        const known = model.get(of);
        if (known?.uid === owner) known.writes.push(made);
        else model.set(of, { uid: owner, writes: [made], deadlineMs: undefined });
      };
      const isSeen = (made: ModelWrite): boolean => {
        if (made.uncertain === true) return false;
        if (made.version !== undefined) return cacheOf(made.resource).cache.version >= made.version;
        return ![...cacheOf(made.resource).lister.list()].some(({ metadata }) => metadata?.uid === made.gone);
      };
      const expected = (of: string, owner: string): string => {
        const known = model.get(of);
        if (known === undefined || known.uid !== owner) {
          model.delete(of);
          return 'open';
        }
        if (known.writes.some(({ uncertain }) => uncertain === true)) return 'live';
        if (known.writes.every(isSeen)) {
          model.delete(of);
          return 'open';
        }
        const nowMs = env.clock.monotonicMs();
        known.deadlineMs ??= nowMs + limitMs;
        return nowMs >= known.deadlineMs ? 'live' : 'blocked';
      };

      for (const next of steps) {
        // A key that is blocked does not run, and so writes nothing.
        if ('key' in next && next.do !== 'check' && blocked.has(next.key)) continue;
        switch (next.do) {
          case 'write': {
            const version = cacheOf(next.resource).cache.version + next.ahead;
            const object = 'x/p';
            fence.written(next.key, next.uid, {
              kind: 'version',
              resource: next.resource,
              object,
              resourceVersion: String(version),
            });
            write(next.key, next.uid, { resource: next.resource, version });
            break;
          }
          case 'remove': {
            const gone = `${next.object}-uid`;
            fence.written(next.key, next.uid, {
              kind: 'removed',
              resource: next.resource,
              object: `x/${next.object}`,
              uid: gone,
            });
            write(next.key, next.uid, { resource: next.resource, gone });
            break;
          }
          case 'unanswered':
            fence.written(next.key, next.uid, { kind: 'uncertain', resource: next.resource, object: 'x/p' });
            write(next.key, next.uid, { resource: next.resource, uncertain: true });
            break;
          case 'progress': {
            const { cache } = cacheOf(next.resource);
            cache.version += next.by;
            fence.progressed(next.resource, String(cache.version), undefined);
            break;
          }
          case 'vanish': {
            const { cache } = cacheOf(next.resource);
            cache.writer.delete(`x/${next.object}`);
            cache.version++;
            fence.progressed(next.resource, String(cache.version), `x/${next.object}`);
            break;
          }
          case 'wait':
            await env.clock.advance(next.forMs);
            break;
          case 'check': {
            const passage = fence.check(next.key, next.uid);
            assert.equal(passage.status, expected(next.key, next.uid));
            woken.delete(next.key);
            if (passage.status === 'blocked') blocked.set(next.key, next.uid);
            else blocked.delete(next.key);
            if (passage.status !== 'live') break;
            for (const read of passage.resources) {
              const { cache } = cacheOf(read.resource);
              const version = cache.version + 1;
              fence.readLive(next.key, read.resource, String(version));
              const known = model.get(next.key);
              assert.ok(known !== undefined);
              known.writes = known.writes.filter(
                (made) => made.resource !== read.resource || made.version !== undefined,
              );
              known.writes.push({ resource: read.resource as Resource, version });
              known.deadlineMs = undefined;
            }
            break;
          }
        }
        // A blocked key that may pass has been woken.
        for (const [of, owner] of blocked) {
          const known = model.get(of);
          const unseen = known?.uid === owner && known.writes.some((made) => !isSeen(made));
          if (!unseen) assert.ok(woken.has(of), `${of} was not woken`);
        }
      }
    }),
    { numRuns: 400 },
  );
});
