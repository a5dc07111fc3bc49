// The arithmetic of rolling updates against its promises, and the comparison of wishes with what is there.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyMergePatch, type Json, type KubeObject } from '@homeostat/machinery';
import { isAsDesired, isOfWish, mergePatchOf, withDigest } from './desired-child.ts';
import { roll } from './roll.ts';

interface Child extends KubeObject {
  readonly ready: boolean;
  readonly old: boolean;
}

const child = fc
  .record({ ready: fc.boolean(), old: fc.boolean(), deleting: fc.boolean() })
  .map(({ deleting, ...rest }): Child => ({ ...rest, metadata: deleting ? { deletionTimestamp: 'now' } : {} }));
const maxUnavailable = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.constantFrom('0%' as const, '25%' as const, '100%' as const),
);
const type = fc.constantFrom('RollingInPlace' as const, 'RollingRecreate' as const);

describe('roll()', () => {
  it('never takes more down than allowed, never touches what is as desired or being deleted, and always gets on', () => {
    fc.assert(
      fc.property(
        fc.array(child, { maxLength: 12 }),
        fc.nat(3),
        maxUnavailable,
        type,
        (present, missing, max, strategy) => {
          const total = present.length + missing;
          const limit =
            typeof max === 'number' ? max : Math.max(1, Math.floor((Number.parseInt(max, 10) / 100) * total));
          const isReady = (each: KubeObject): boolean => (each as Child).ready;
          const isUp = (each: Child): boolean => each.ready && each.metadata?.deletionTimestamp === undefined;
          const outdated = new Set<KubeObject>(present.filter(({ old }) => old));
          const result = roll({
            strategy: { type: strategy, maxUnavailable: max, isReady },
            present,
            outdated,
            desired: total,
          });
          const chosen = [...result.update, ...result.recreate] as Child[];
          assert.ok(chosen.every((each) => each.old && each.metadata?.deletionTimestamp === undefined));
          assert.equal(strategy === 'RollingInPlace' ? result.recreate.length : result.update.length, 0);
          const down = total - present.filter(isUp).length;
          const taken = chosen.filter(isUp).length;
          assert.ok(taken === 0 || down + taken <= limit);
          const waiting =
            present.filter((each) => each.old && each.metadata?.deletionTimestamp === undefined).length - chosen.length;
          assert.equal(result.wait.length, waiting);
          assert.ok(waiting === 0 || down + taken >= limit, 'room is used');
        },
      ),
    );
  });
});

describe('a wish', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
  const object = fields.map(
    (data): KubeObject => ({ metadata: { name: 'x' }, spec: withoutNulls(data as Json) }) as KubeObject,
  );

  it('is met by what its merge patch makes of any child of an earlier wish, and others’ fields stay', () => {
    fc.assert(
      fc.property(object, object, (before, wish) => {
        const made = withDigest(before, 'merge');
        const theirs = { ...made, extra: 'theirs' } as KubeObject;
        const after = applyMergePatch(theirs as unknown as Json, mergePatchOf(theirs, wish)) as unknown as KubeObject;
        assert.ok(isOfWish(after, wish));
        assert.ok(isAsDesired(after, wish));
        assert.equal((after as { readonly extra?: unknown }).extra, 'theirs');
        const spec = (from: KubeObject): Json => (from as { readonly spec?: Json }).spec ?? {};
        assert.deepEqual(sorted(spec(after)), sorted(spec(wish)), 'what is no longer wished is gone');
      }),
    );
  });

  it('is not met once another has changed a field of it, or it has changed itself', () => {
    const wish = { metadata: { name: 'x' }, spec: { list: [{ name: 'a', image: '1' }] } } as KubeObject;
    const made = withDigest(wish, 'apply');
    const defaulted = { ...made, spec: { list: [{ name: 'a', image: '1', pull: 'Always' }], more: 1 } } as KubeObject;
    assert.ok(isAsDesired(defaulted, wish));
    assert.equal(isAsDesired({ ...made, spec: { list: [] } } as KubeObject, wish), false);
    assert.equal(isAsDesired(defaulted, { metadata: { name: 'x' } }), false);
    // Servers leave empty lists and maps out.
    const empty = { metadata: { name: 'x' }, spec: { list: [], map: {} } } as KubeObject;
    assert.ok(isAsDesired({ ...withDigest(empty, 'apply'), spec: {} } as KubeObject, empty));
  });
});

/** Merge patches can't hold nulls, and empty maps are none. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item as Json));
  if (typeof value !== 'object' || value === null) return value ?? 0;
  const entries = Object.entries(value as { readonly [key: string]: Json }).map(
    ([key, below]) => [key, withoutNulls(below)] as const,
  );
  return entries.length === 0 ? 0 : Object.fromEntries(entries);
}

function sorted(value: Json): string {
  return JSON.stringify(value, (_, below: unknown) =>
    typeof below === 'object' && below !== null && !Array.isArray(below)
      ? Object.fromEntries(Object.entries(below).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : below,
  );
}
