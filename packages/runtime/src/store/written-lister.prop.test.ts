// A cache with own writes laid over, against the plainest way to say it: a copy of the cache, changed.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '@homeostat/machinery';
import type { IndexDefinition } from './lister.ts';
import { createStore } from './store.ts';
import { createWrittenLister, type Written } from './written-lister.ts';

const byColour: IndexDefinition = {
  name: 'colour',
  valuesOf: (object) => [object.metadata?.labels?.['colour'] ?? ''],
};
const colour = fc.constantFrom('red', 'blue');
const object = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace: fc.constantFrom('x', 'y'),
    colour,
    version: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ name, namespace, colour: value, version }): KubeObject => ({
    metadata: {
      name,
      namespace,
      uid: `${namespace}${name}${version % 2}`,
      resourceVersion: String(version),
      labels: { colour: value },
    },
  }));
const write = fc.record({ object, gone: fc.boolean() });
const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace}/${metadata?.name}`;
const sorted = (found: readonly KubeObject[]): string[] =>
  found.map((each) => `${keyOf(each)}@${each.metadata?.resourceVersion}`).toSorted();

it('createWrittenLister() reads as a copy of the cache with the writes made in it would', () => {
  fc.assert(
    fc.property(
      fc.array(object, { maxLength: 8 }),
      fc.array(write, { maxLength: 5 }),
      fc.nat(20),
      (cached, writes, reached) => {
        const { reader, writer } = createStore<KubeObject>({ namespaced: true });
        writer.addIndexes([byColour]);
        for (const each of cached) writer.set(keyOf(each), each);
        const model = new Map([...reader.entries()]);
        const written = new Map<string, Written>();
        const lister = createWrittenLister({
          base: reader,
          written,
          indexes: [byColour],
          selects: () => true,
          reached: (version) => Number(version) <= reached,
        });
        // The writes come one after the other, while the lister is in use.
        for (const { object: each, gone } of writes) {
          const key = keyOf(each);
          if (written.has(key)) continue;
          const uid = each.metadata?.uid ?? '';
          written.set(key, gone ? { goneUid: uid } : { object: each });
          const before = model.get(key);
          const version = Number(each.metadata?.resourceVersion);
          if (gone && before?.metadata?.uid === uid) model.delete(key);
          if (!gone && version > reached && version > Number(before?.metadata?.resourceVersion ?? 0))
            model.set(key, each);
          const all = [...model.values()];
          assert.deepEqual(sorted(lister.list()), sorted(all));
          assert.equal(lister.size, all.length);
          const inX = all.filter(({ metadata }) => metadata?.namespace === 'x');
          assert.deepEqual(sorted(lister.list('x')), sorted(inX));
          assert.deepEqual(sorted(lister.byIndex('namespace', 'x')), sorted(inX));
          const red = (labels: Readonly<Record<string, string>>): boolean => labels['colour'] === 'red';
          assert.deepEqual(
            sorted(lister.list(undefined, red)),
            sorted(all.filter((o) => red(o.metadata?.labels ?? {}))),
          );
          assert.deepEqual(
            sorted(lister.byIndex('colour', 'red')),
            sorted(all.filter((o) => red(o.metadata?.labels ?? {}))),
          );
          for (const namespace of ['x', 'y'])
            for (const name of ['a', 'b', 'c']) {
              assert.equal(lister.get(namespace, name), model.get(`${namespace}/${name}`));
              assert.equal(lister.getByKey(`${namespace}/${name}`), model.get(`${namespace}/${name}`));
            }
        }
      },
    ),
  );
});
