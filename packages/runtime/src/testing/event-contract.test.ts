// The checker finds each breach, and takes nothing for one that an informer may do.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@homeostat/machinery';
import type { Change } from '../informer/change.ts';
import { EventContract } from './event-contract.ts';

const object = (resourceVersion: string, uid = 'u1', name = 'x'): KubeObject => ({
  metadata: { name, uid, resourceVersion },
});
const added = (version: string, uid?: string): Change => ({
  type: 'added',
  object: object(version, uid),
  initial: false,
});
const updated = (from: string, to: string, uid?: string): Change => ({
  type: 'updated',
  old: object(from, uid),
  object: object(to, uid),
});
const deleted = (version: string, uid?: string): Change => ({
  type: 'deleted',
  object: object(version, uid),
  lastStateUnknown: false,
});
const resync = (version: string): Change => ({ type: 'resync', object: object(version) });

function problemsOf(
  changes: readonly Change[],
  options?: ConstructorParameters<typeof EventContract>[0],
): readonly string[] {
  const contract = new EventContract(options);
  const handle = contract.wrap();
  for (const change of changes) void handle(change);
  return contract.problems;
}

describe('EventContract', () => {
  it('takes a whole life, and another one of the same name', () => {
    const life = [
      added('1'),
      updated('1', '2'),
      resync('2'),
      updated('2', '5'),
      deleted('6'),
      added('7', 'u2'),
      deleted('7', 'u2'),
    ];
    assert.deepEqual(problemsOf(life), []);
  });

  it('finds each breach', () => {
    for (const [changes, expected] of [
      [[added('1'), added('2')], /added, but known as uid u1 at 1/],
      [[added('1'), deleted('2'), added('3')], /added after its deletion/],
      [[updated('1', '2')], /updated, but never added/],
      [[added('1'), updated('2', '3')], /updated from uid u1 at 2, but known as uid u1 at 1/],
      [
        [added('1'), { type: 'updated', old: object('1'), object: object('2', 'u2') } as Change],
        /updated from another uid/,
      ],
      [[added('1'), updated('1', '1')], /same version/],
      [[added('5'), updated('5', '4')], /told after version 5/],
      [[added('5'), deleted('6'), added('5', 'u2')], /told after version 6/],
      [[deleted('1')], /deleted, but not known/],
      [[added('1'), deleted('2'), deleted('2')], /deleted, but not known/],
      [[added('1'), deleted('2', 'u2')], /deleted, but known as uid u1/],
      [[resync('1')], /resynced, but not known/],
      [[added('1'), resync('2')], /resynced, but known as/],
    ] as const) {
      const problems = problemsOf(changes);
      assert.equal(problems.length, 1, problems.join('; '));
      assert.match(problems[0] ?? '', expected);
    }
  });

  it('lets uids return where they may', () => {
    assert.deepEqual(problemsOf([added('1'), deleted('2'), added('3')], { uidsReturn: true }), []);
  });

  it('takes what is told again after a failure, and finds calls that overlap', async () => {
    const contract = new EventContract({ name: 'mine' });
    let fails = true;
    const handle = contract.wrap(async () => {
      await Promise.resolve();
      if (fails) throw new Error('no');
    });
    await assert.rejects(async () => handle(added('1')));
    await assert.rejects(async () => handle(added('2')));
    fails = false;
    await handle(deleted('3'));
    assert.deepEqual(contract.problems, []);
    const first = handle(added('4', 'u2'));
    await handle(added('5', 'u3'));
    await first;
    assert.match(contract.problems[0] ?? '', /^mine: x \(uid u3 at 5\) told while it was busy with x$/);
  });

  it('says how the view differs from the server', () => {
    const contract = new EventContract();
    const handle = contract.wrap();
    for (const name of ['a', 'b', 'c'])
      void handle({ type: 'added', object: object('1', `u-${name}`, name), initial: true });
    assert.deepEqual(
      contract.differences([object('1', 'u-a', 'a'), object('2', 'u-b', 'b'), object('3', 'u-d', 'd')]),
      [
        'b is uid u-b at 2, but known as uid u-b at 1',
        'd was never told of',
        'c (uid u-c at 1) is gone, but that was never told',
      ],
    );
  });
});
