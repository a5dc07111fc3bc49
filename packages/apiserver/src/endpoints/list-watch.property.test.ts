// What the protocol promises clients that list and watch: whatever is written, in whatever order, the list plus the
// events after it are the state. Random writes against random selectors; fast-check prints the seed of a failure.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import fc from 'fast-check';
import { FixtureServer } from '../server/api-server-fixture.ts';

type Write =
  | { readonly type: 'put'; readonly name: string; readonly label: string; readonly value: string }
  | { readonly type: 'delete'; readonly name: string };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      name,
      label: fc.constantFrom('x', 'y'),
      value: fc.constantFrom('1', '2'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), name }) },
);
const selector = fc.constantFrom(
  '',
  'labelSelector=l=x',
  'labelSelector=l!=x',
  'fieldSelector=metadata.name=a',
  'fieldSelector=metadata.name!=a&labelSelector=l=x',
);
const configMaps = '/api/v1/namespaces/default/configmaps';

async function perform(server: FixtureServer, step: Write): Promise<void> {
  if (step.type === 'delete') {
    await server.delete(`${configMaps}/${step.name}`);
    return;
  }
  const object = { metadata: { name: step.name, labels: { l: step.label } }, data: { v: step.value } };
  const made = await server.post(configMaps, object);
  if (made.status === 409) await server.put(`${configMaps}/${step.name}`, object);
}

/** Name to revision. */
async function listed(server: FixtureServer, query: string) {
  const { body } = await server.get(`${configMaps}?${query}`);
  const items = body.items.map((item): [string, string] => [item.metadata.name, item.metadata.resourceVersion]);
  return { state: new Map(items), revision: body.metadata.resourceVersion };
}

test('list and watch add up to the state', async () => {
  await fc.assert(
    fc.asyncProperty(
      selector,
      fc.array(write, { maxLength: 15 }),
      fc.array(write, { minLength: 1, maxLength: 25 }),
      async (query, before, after) => {
        const server = await FixtureServer.start({ env: createVirtualEnv() });
        try {
          for (const step of before) await perform(server, step);
          const { state, revision } = await listed(server, query);
          for (const step of after.slice(0, after.length / 2)) await perform(server, step);
          const watch = await server.watch(`${configMaps}?watch=1&resourceVersion=${revision}&${query}`);
          for (const step of after.slice(after.length / 2)) await perform(server, step);
          const end = await listed(server, query);
          // The last change that every watcher sees, whatever its selector: both labels, the name `a` and others.
          const stop = new Set(['a', 'zz']);
          for (const last of stop)
            for (const label of ['x', 'y']) await perform(server, { type: 'put', name: last, label, value: 'end' });
          const seen = new Map(state);
          let at = Number(revision);
          for (;;) {
            const { type, object } = await watch.next();
            const { name: changed, resourceVersion } = object.metadata;
            assert.ok(Number(resourceVersion) > at, 'revisions rise');
            at = Number(resourceVersion);
            if (at > Number(end.revision)) break;
            if (type === 'DELETED') {
              assert.ok(seen.delete(changed));
            } else {
              assert.equal(type, seen.has(changed) ? 'MODIFIED' : 'ADDED');
              seen.set(changed, resourceVersion);
            }
          }
          assert.deepEqual(seen, end.state);
          await watch.close();
          const exact = await listed(server, `${query}&resourceVersion=${revision}&resourceVersionMatch=Exact`);
          assert.deepEqual(exact, { state, revision });
        } finally {
          await server.stop();
        }
      },
    ),
    { numRuns: 25 },
  );
});
