// The store against a naive model: an array of objects, searched.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '@homeostat/machinery';
import { createOverlayLister } from './overlay-lister.ts';
import type { IndexDefinition } from './lister.ts';
import { createStore } from './store.ts';

const byColours: IndexDefinition = {
  name: 'colours',
  valuesOf: (object) => (object.metadata?.labels?.['colours'] ?? '').split(',').filter((colour) => colour !== ''),
};

const namespace = fc.constantFrom('x', 'y');
const name = fc.constantFrom('a', 'b', 'c', 'd');
const colours = fc.subarray(['red', 'green', 'blue']);
const object = fc.record({ namespace, name, colours }).map((o): KubeObject => ({
  metadata: { namespace: o.namespace, name: o.name, labels: { colours: o.colours.join(',') } },
}));
const keyOf = (o: KubeObject): string => `${o.metadata?.namespace}/${o.metadata?.name}`;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('set' as const), object }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), object }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('replace' as const), objects: fc.array(object, { maxLength: 6 }) }),
  },
);

const sorted = (objects: Iterable<KubeObject>): string[] =>
  Array.from(objects, (o) => `${keyOf(o)} ${o.metadata?.labels?.['colours']}`).toSorted();

describe('createStore()', () => {
  it('answers as an array would', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, late) => {
        const { reader, writer } = createStore({ namespaced: true });
        if (!late) writer.addIndexes([byColours]);
        let model = new Map<string, KubeObject>();
        for (const next of steps) {
          if (next.do === 'set') {
            writer.set(keyOf(next.object), next.object);
            model.set(keyOf(next.object), next.object);
          } else if (next.do === 'delete') {
            writer.delete(keyOf(next.object));
            model.delete(keyOf(next.object));
          } else {
            const replacement = writer.startReplacement();
            for (const each of next.objects) replacement.add(each);
            replacement.commit();
            model = new Map(next.objects.map((each) => [keyOf(each), each]));
          }
        }
        if (late) writer.addIndexes([byColours]);
        const all = [...model.values()];
        assert.deepEqual(sorted(reader.list()), sorted(all));
        assert.equal(reader.size, all.length);
        for (const wanted of ['x', 'y', 'z']) {
          const inside = all.filter(({ metadata }) => metadata?.namespace === wanted);
          assert.deepEqual(sorted(reader.list(wanted)), sorted(inside));
          const red = (labels: Readonly<Record<string, string>>): boolean =>
            labels['colours']?.includes('red') === true;
          assert.deepEqual(
            sorted(reader.list(wanted, red)),
            sorted(inside.filter((o) => red(o.metadata?.labels ?? {}))),
          );
        }
        for (const colour of ['red', 'green', 'blue', 'none']) {
          assert.deepEqual(
            sorted(reader.byIndex('colours', colour)),
            sorted(all.filter((o) => byColours.valuesOf(o).includes(colour))),
          );
        }
        assert.deepEqual(
          reader.indexValues('colours').toSorted(),
          [...new Set(all.flatMap(byColours.valuesOf))].toSorted(),
        );
      }),
    );
  });

  it('knows its indexes', () => {
    const { reader, writer } = createStore({ namespaced: false });
    assert.throws(() => reader.byIndex('colours', 'red'), /Index with name colours does not exist/);
    writer.addIndexes([byColours]);
    writer.addIndexes([byColours]);
    assert.throws(() => writer.addIndexes([{ name: 'colours', valuesOf: () => [] }]), /indexer conflict/);
  });
});

describe('createOverlayLister()', () => {
  it('shows the live objects of its namespace and the cache elsewhere', () => {
    fc.assert(
      fc.property(fc.array(object), fc.array(object), fc.constantFrom('x', undefined), (cached, live, overlaid) => {
        const { reader: base, writer } = createStore({ namespaced: true });
        writer.addIndexes([byColours]);
        for (const each of cached) writer.set(keyOf(each), each);
        const objects = live.filter(({ metadata }) => overlaid === undefined || metadata?.namespace === overlaid);
        const overlay = createOverlayLister({
          base,
          objects,
          namespace: overlaid,
          namespaced: true,
          indexes: [byColours],
        });
        const outside =
          overlaid === undefined ? [] : base.list().filter(({ metadata }) => metadata?.namespace !== overlaid);
        const expected = new Map([...outside, ...objects].map((each) => [keyOf(each), each]));
        assert.deepEqual(sorted(overlay.list()), sorted(expected.values()));
        assert.deepEqual(
          sorted(overlay.list('x')),
          sorted([...expected.values()].filter(({ metadata }) => metadata?.namespace === 'x')),
        );
        assert.deepEqual(
          sorted(overlay.byIndex('colours', 'red')),
          sorted([...expected.values()].filter((o) => byColours.valuesOf(o).includes('red'))),
        );
        for (const key of ['x/a', 'y/a']) assert.equal(overlay.getByKey(key), expected.get(key));
      }),
    );
  });
});
