// Whatever is merged, what a handler hears in the end leads to the same state, and never hides a replaced object.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Change } from './change.ts';
import { mergeChange, type Pending } from './merge-changes.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

/** A life of one name: what an informer tells of it, in order. */
function tell(steps: readonly ('write' | 'delete' | 'resync')[]): readonly Change<Thing>[] {
  const changes: Change<Thing>[] = [];
  let uid = 0;
  let current: Thing | undefined;
  steps.forEach((step, at) => {
    if (step === 'write') {
      const metadata = { name: 'x', uid: current?.metadata.uid ?? `u${++uid}`, resourceVersion: String(at) };
      const object = { metadata };
      const added = { type: 'added', object, initial: false } as const;
      changes.push(current === undefined ? added : { type: 'updated', old: current, object });
      current = object;
    } else if (current !== undefined) {
      changes.push(
        step === 'resync'
          ? { type: 'resync', object: current }
          : { type: 'deleted', object: current, lastStateUnknown: false },
      );
      if (step === 'delete') current = undefined;
    }
  });
  return changes;
}

/** What somebody knows who hears the changes; fails when they make no sense. */
function follow(known: Thing | undefined, changes: readonly Change<Thing>[]): Thing | undefined {
  for (const change of changes) {
    switch (change.type) {
      case 'added':
        assert.equal(known, undefined);
        known = change.object;
        break;
      case 'updated':
        assert.equal(known, change.old);
        assert.equal(change.old.metadata.uid, change.object.metadata.uid);
        known = change.object;
        break;
      case 'deleted':
        assert.equal(known?.metadata.uid, change.object.metadata.uid);
        known = undefined;
        break;
      case 'resync':
        assert.equal(known?.metadata.uid, change.object.metadata.uid);
        break;
    }
  }
  return known;
}

it('mergeChange() leads from what was heard to what is, in at most two changes', () => {
  const life = fc.array(fc.constantFrom('write', 'write', 'delete', 'resync' as const), { maxLength: 20 });
  fc.assert(
    fc.property(life, fc.nat(20), (steps, heard) => {
      const all = tell(steps as readonly ('write' | 'delete' | 'resync')[]);
      const before = follow(undefined, all.slice(0, heard));
      let pending: Pending<Thing> = [];
      for (const change of all.slice(heard)) pending = mergeChange(pending, change);
      assert.ok(pending.length <= 2);
      const after = follow(before, pending);
      assert.equal(after?.metadata.resourceVersion, follow(undefined, all)?.metadata.resourceVersion);
      const replaced = before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
      if (replaced)
        assert.deepEqual(
          pending.map(({ type }) => type),
          ['deleted', 'added'],
        );
    }),
  );
});
