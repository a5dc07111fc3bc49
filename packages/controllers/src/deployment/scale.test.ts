// The tables of spec/workloads.md §4.16: 4-10, 29 and 30.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { growNew, shrinkOld } from './rolling-update.ts';
import { isScaling, scaleRollout } from './scale.ts';
import type { Rollout } from './status.ts';

interface Setup {
  readonly replicas: number;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly statusReplicas?: number;
  readonly strategy?: 'RollingUpdate' | 'Recreate';
}

function deployment({
  replicas,
  maxSurge = 0,
  maxUnavailable = 1,
  strategy = 'RollingUpdate',
  ...more
}: Setup): Deployment {
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, strategy: { type: strategy, rollingUpdate: { maxSurge, maxUnavailable } } },
    status: { replicas: more.statusReplicas ?? 0 },
  } as Deployment;
}

interface SetFields {
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
}

function replicaSet(name: string, size: number, age: number, fields: SetFields = {}): ReplicaSet {
  const annotations: Record<string, string> = {};
  if (fields.desired !== undefined) annotations['deployment.kubernetes.io/desired-replicas'] = String(fields.desired);
  if (fields.max !== undefined) annotations['deployment.kubernetes.io/max-replicas'] = String(fields.max);
  return {
    metadata: { name, annotations, creationTimestamp: new Date(Date.UTC(2026, 0, 1) - age * 60_000).toISOString() },
    spec: { replicas: size },
    status: { replicas: size, availableReplicas: fields.available ?? size },
  } as ReplicaSet;
}

/** Sizes newest first, the new set first of all; `before`: what the Deployment had when the sets were last sized. */
function scaled(
  setup: Setup,
  sizes: readonly number[],
  options: { before?: number; beforeMax?: number; noNew?: boolean } = {},
) {
  const fields = {
    ...(options.before === undefined ? {} : { desired: options.before, max: options.beforeMax ?? options.before }),
  };
  const sets = sizes.map((size, index) => replicaSet(`rs${index}`, size, index, fields));
  const [first] = sets;
  const rollout: Rollout = {
    deployment: deployment({ ...setup, ...(options.before === undefined ? {} : { statusReplicas: options.before }) }),
    newReplicaSet: options.noNew === true ? undefined : first,
    oldReplicaSets: (options.noNew === true ? sets : sets.slice(1)).toReversed(),
  };
  const written = new Map(
    scaleRollout(rollout).map((action) => [action.name, (action.object as ReplicaSet).spec?.replicas]),
  );
  return { sizes: sets.map((set) => written.get(set.metadata?.name ?? '') ?? set.spec?.replicas), written };
}

describe('scaleRollout()', () => {
  const cases = [
    { from: 10, to: 12, before: [10], after: [12] },
    { from: 5, to: 10, before: [2, 3], after: [4, 6] },
    { from: 5, to: 3, before: [2, 3], after: [1, 2] },
    { from: 9, to: 4, before: [8, 1], after: [4, 0] },
    { from: 7, to: 10, before: [2, 3, 2], after: [3, 4, 3] },
    { from: 13, to: 8, before: [2, 8, 3], after: [1, 5, 2] },
    { from: 6, to: 0, before: [3, 2, 1], after: [0, 0, 0] },
    { from: 0, to: 6, before: [0, 0, 0], after: [6, 0, 0] },
    { from: 3, to: 4, before: [1, 1, 1], after: [2, 1, 1] },
    { from: 3, to: 2, before: [1, 1, 1], after: [1, 1, 0] },
  ];
  for (const { from, to, before, after } of cases) {
    it(`spreads ${from} → ${to} over ${before.join()} as ${after.join()}`, () => {
      assert.deepEqual(scaled({ replicas: to }, before, { before: from }).sizes, after);
    });
  }

  it('does not write sets that stay empty', () => {
    assert.deepEqual([...scaled({ replicas: 6 }, [0, 0, 0], { before: 0 }).written.keys()], ['rs0']);
  });

  it('spreads over old sets while there is no new one', () => {
    assert.deepEqual(scaled({ replicas: 5 }, [2, 2], { before: 4, noNew: true }).sizes, [3, 2]);
    assert.deepEqual(scaled({ replicas: 14 }, [7, 3], { before: 10, noNew: true }).sizes, [10, 4]);
  });

  it('leaves room for the surge, of now and of then', () => {
    assert.deepEqual(scaled({ replicas: 20, maxSurge: 2 }, [6, 6], { before: 10, beforeMax: 12 }).sizes, [11, 11]);
    assert.deepEqual(scaled({ replicas: 50, maxSurge: 6 }, [5, 8], { before: 10, beforeMax: 13 }).sizes, [22, 34]);
  });

  it('keeps an old set while the new one is not available', () => {
    const rollout: Rollout = {
      deployment: deployment({ replicas: 2, maxSurge: 1, maxUnavailable: 0 }),
      newReplicaSet: replicaSet('new', 2, 0, { desired: 2, max: 3, available: 0 }),
      oldReplicaSets: [replicaSet('old', 1, 1, { desired: 2, max: 3 })],
    };
    assert.deepEqual(scaleRollout(rollout), []);
  });

  it('refreshes a stale annotation on a set that has its size already (B20)', () => {
    const rollout: Rollout = {
      deployment: deployment({ replicas: 5 }),
      newReplicaSet: undefined,
      oldReplicaSets: [replicaSet('old', 5, 1, { desired: 3, max: 3 })],
    };
    assert.equal(isScaling(rollout), true);
    const [action] = scaleRollout(rollout);
    assert.equal(action?.object.metadata?.annotations?.['deployment.kubernetes.io/desired-replicas'], '5');
  });

  it('is not asked for Recreate with several sized sets: the rollout itself sizes them', () => {
    const rollout: Rollout = {
      deployment: deployment({ replicas: 4, strategy: 'Recreate' }),
      newReplicaSet: replicaSet('new', 3, 0, { desired: 3, max: 3 }),
      oldReplicaSets: [replicaSet('old', 2, 1, { desired: 3, max: 3 })],
    };
    assert.equal(isScaling(rollout), false);
  });
});

describe('a rolling update', () => {
  const grown = (setup: Setup, current: number, old: number): number | undefined => {
    const rollout: Rollout = {
      deployment: deployment(setup),
      newReplicaSet: replicaSet('new', current, 0),
      oldReplicaSets: [replicaSet('old', old, 1)],
    };
    const [action] = growNew(rollout);
    return (action?.object as ReplicaSet | undefined)?.spec?.replicas;
  };

  it('grows the new set as far as the surge allows', () => {
    assert.equal(grown({ replicas: 10, maxSurge: 2, maxUnavailable: 2 }, 0, 10), 2);
    assert.equal(grown({ replicas: 10, maxSurge: 2 }, 0, 5), 7);
    assert.equal(grown({ replicas: 10, maxSurge: 0 }, 2, 10), undefined);
    assert.equal(grown({ replicas: 10 }, 11, 0), 10);
  });

  it('shrinks old sets by one where neither surge nor absence is allowed', () => {
    const rollout: Rollout = {
      deployment: deployment({ replicas: 10, maxSurge: 0, maxUnavailable: 0 }),
      newReplicaSet: replicaSet('new', 0, 0),
      oldReplicaSets: [replicaSet('old', 10, 1)],
    };
    const [action] = shrinkOld(rollout);
    assert.equal((action?.object as ReplicaSet).spec?.replicas, 9);
  });

  it('shrinks old sets first by pods that are not available', () => {
    const rollout: Rollout = {
      deployment: deployment({ replicas: 10, maxSurge: 3, maxUnavailable: 2 }),
      newReplicaSet: replicaSet('new', 0, 0),
      oldReplicaSets: [replicaSet('old', 10, 2, { available: 8 }), replicaSet('sick', 3, 1, { available: 0 })],
    };
    const sizes = shrinkOld(rollout).map((action) => `${action.name}=${(action.object as ReplicaSet).spec?.replicas}`);
    assert.deepEqual(sizes, ['old=8', 'sick=0']);
  });

  it('does not spend the availability of pods twice that a smaller size has already given up', () => {
    const rollout: Rollout = {
      deployment: deployment({ replicas: 6, maxSurge: 3, maxUnavailable: 2 }),
      newReplicaSet: replicaSet('new', 4, 0, { available: 0 }),
      oldReplicaSets: [replicaSet('old', 5, 1, { available: 8 })],
    };
    const sizes = shrinkOld(rollout).map((action) => (action.object as ReplicaSet).spec?.replicas);
    assert.deepEqual(sizes, [4]);
  });
});
