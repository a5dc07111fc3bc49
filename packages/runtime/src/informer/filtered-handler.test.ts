// Handlers that hear of some objects only: the four cases, failures, and random lives. Number 50 of spec/client.md §9.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Change } from './change.ts';
import { filterChanges } from './filtered-handler.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly passes: boolean;
}

const thing = (passes: boolean, resourceVersion = '1'): Thing => ({ metadata: { name: 'x', resourceVersion }, passes });

describe('filterChanges()', () => {
  it('50 tells of updates by whether the old and the new state pass', () => {
    for (const [before, after, expected] of [
      [true, true, 'updated'],
      [true, false, 'deleted'],
      [false, true, 'added'],
      [false, false, undefined],
    ] as const) {
      const heard: Change<Thing>[] = [];
      const handle = filterChanges<Thing>(
        (object) => object.passes,
        (change) => void heard.push(change),
      );
      void handle({ type: 'added', object: thing(before), initial: true });
      assert.equal(heard.length, before ? 1 : 0);
      heard.length = 0;
      const [old, object] = [thing(before), thing(after, '2')];
      void handle({ type: 'updated', old, object });
      assert.equal(heard[0]?.type, expected);
      void handle({ type: 'resync', object });
      void handle({ type: 'deleted', object: thing(!after, '3'), lastStateUnknown: false });
      assert.deepEqual(
        heard.slice(expected === undefined ? 0 : 1).map(({ type }) => type),
        after ? ['resync', 'deleted'] : [],
      );
    }
  });

  it('remembers what the handler has heard, not what it failed on', async () => {
    let fails = true;
    const heard: string[] = [];
    const handle = filterChanges<Thing>(
      (object) => object.passes,
      async (change) => {
        if (fails) throw new Error('no');
        heard.push(change.type);
      },
    );
    const update: Change<Thing> = { type: 'updated', old: thing(false), object: thing(true, '2') };
    await assert.rejects(async () => handle(update));
    fails = false;
    await handle(update);
    fails = true;
    const leave: Change<Thing> = { type: 'updated', old: thing(true, '2'), object: thing(false, '3') };
    await assert.rejects(async () => handle(leave));
    fails = false;
    await handle(leave);
    assert.deepEqual(heard, ['added', 'deleted']);
  });
});
