// The ordered map against sorted lists: the order of bytes, prefixes, independence of clones.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { OrderedMap } from './ordered-map.ts';

// Letters around every border of the two orders: ASCII, below and above the surrogates, beyond the basic plane.
const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
  maxLength: 4,
});

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe('OrderedMap', () => {
  it('collects and counts as a sorted list does', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { maxLength: 60, size: 'max' }),
        key,
        key,
        fc.nat(5),
        (keys, prefix, suffix, limit) => {
          const map = OrderedMap.empty<string>();
          for (const each of keys) map.set(each, each);
          const from = prefix + suffix;
          const expected = keys.filter((each) => each.startsWith(prefix) && byBytes(each, from) >= 0).sort(byBytes);
          assert.deepEqual(map.collect(prefix, from), expected);
          assert.deepEqual(map.collect(prefix, from, limit), expected.slice(0, limit));
          assert.equal(map.count(prefix, from), expected.length);
        },
      ),
    );
  });

  it('keeps clones apart', () => {
    const write = fc.record({ key, clone: fc.boolean(), remove: fc.boolean(), target: fc.nat() });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 200, size: 'max' }), (writes) => {
        const pairs = [{ map: OrderedMap.empty<number>(), model: new Map<string, number>() }];
        writes.forEach((step, index) => {
          const pair = pairs[step.target % pairs.length];
          assert.ok(pair);
          if (step.clone) pairs.push({ map: pair.map.clone(), model: new Map(pair.model) });
          if (step.remove) {
            pair.map.delete(step.key);
            pair.model.delete(step.key);
          } else {
            pair.map.set(step.key, index);
            pair.model.set(step.key, index);
          }
        });
        for (const { map, model } of pairs) {
          const expected = [...model].sort(([a], [b]) => byBytes(a, b)).map(([, value]) => value);
          assert.deepEqual(map.collect(''), expected);
          assert.equal(map.size, model.size);
        }
      }),
    );
  });
});
