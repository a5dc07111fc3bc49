import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { formatTime } from '@homeostat/machinery';
import { rankVictims } from './victims.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const ago = (seconds: number): string => formatTime(now - seconds * 1000);

interface Fields {
  readonly node?: string;
  readonly phase?: string;
  /** Seconds ago; absent: not ready. */
  readonly readySince?: number;
  readonly created?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly uid?: string;
}

function pod(name: string, fields: Fields = {}): Pod {
  const { node = 'n', phase = 'Running', readySince, created = 3600, cost, restarts = 0, uid = name } = fields;
  return {
    metadata: {
      name,
      uid,
      creationTimestamp: ago(created),
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { nodeName: node },
    status: {
      phase,
      conditions: [
        readySince === undefined
          ? { type: 'Ready', status: 'False' }
          : { type: 'Ready', status: 'True', lastTransitionTime: ago(readySince) },
      ],
      containerStatuses: [{ name: 'c', restartCount: restarts }],
    },
  } as unknown as Pod;
}

const order = (pods: readonly Pod[], relatedPerNode: ReadonlyMap<string, number> = new Map()): string =>
  rankVictims(pods.toReversed(), { nowMs: now, relatedPerNode })
    .map((each) => each.metadata?.name)
    .join(' ');

describe('rankVictims()', () => {
  it('asks in turn: node, phase, readiness, cost, crowd, time ready, restarts, age', () => {
    const pods = [
      pod('unassigned', { node: '' }),
      pod('pending', { phase: 'Pending' }),
      pod('unknown', { phase: 'Unknown' }),
      pod('unready'),
      pod('cheap', { readySince: 1000, cost: '-5' }),
      pod('crowded', { readySince: 1000, node: 'full' }),
      pod('young', { readySince: 10 }),
      pod('restarted', { readySince: 1000, restarts: 2 }),
      pod('created-late', { readySince: 1000, created: 1 }),
      pod('old', { readySince: 1000, created: 100_000 }),
      pod('dear', { readySince: 1, cost: '7' }),
    ];
    const relatedPerNode = new Map([
      ['n', 1],
      ['full', 2],
    ]);
    assert.equal(order(pods, relatedPerNode), pods.map((each) => each.metadata?.name).join(' '));
  });

  it('takes times in buckets of powers of two, and the uid within one', () => {
    assert.equal(order([pod('a', { readySince: 15 }), pod('b', { readySince: 20 })]), 'a b');
    assert.equal(order([pod('a', { readySince: 15, uid: '2' }), pod('b', { readySince: 10, uid: '1' })]), 'b a');
    assert.equal(order([pod('a', { created: 15, uid: '1' }), pod('b', { created: 10, uid: '2' })]), 'a b');
  });

  it('takes a cost that can not be read for none', () => {
    for (const cost of ['many', '+5', '008', '99999999999'])
      assert.equal(order([pod('a', { readySince: 1000, cost: '-1' }), pod('b', { readySince: 1000, cost })]), 'a b');
  });
});
