import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { replicaSets } from '@homeostat/client/resources';
import type { ObservedReplicas } from './replica-owner.ts';
import { replicasPlan } from './replicas-plan.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function observed(replicas: number, pods: readonly Pod[] = []): ObservedReplicas {
  return {
    kind: { resource: replicaSets, apiVersion: 'apps/v1', countsTerminating: true },
    owner: {
      metadata: { name: 'web', namespace: 'default', uid: 'u', generation: 1 },
      spec: { replicas, template: { metadata: { labels: { app: 'web' } } } },
    },
    matches: (labels) => labels['app'] === 'web',
    candidates: pods,
    relatedPerNode: new Map(),
  };
}

function pod(name: string, fields: Partial<Pod> = {}): Pod {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }];
  return {
    ...fields,
    metadata: { name, namespace: 'default', uid: name, labels: { app: 'web' }, ownerReferences, ...fields.metadata },
  } as Pod;
}

describe('replicasPlan()', () => {
  it('makes 500 pods in one sync at most, in batches that double', () => {
    const [step] = replicasPlan(observed(600), now).steps;
    assert.equal(step?.mode, 'slow-start');
    assert.equal(step?.actions.length, 500);
    assert.equal(new Set(step?.actions).size, 1, 'one action, repeated');
  });

  it('deletes 500 pods in one sync at most, bound to their uids', () => {
    const pods = Array.from({ length: 700 }, (_, index) => pod(`p${index}`));
    const [step] = replicasPlan(observed(0, pods), now).steps;
    assert.equal(step?.actions.length, 500);
    const [action] = step?.actions ?? [];
    assert.ok(action?.verb === 'delete' && action.preconditions?.uid === action.name);
  });

  it('neither counts nor deletes what has ended, and does not adopt what is being deleted', () => {
    const pods = [
      pod('done', { status: { phase: 'Succeeded' } as Pod['status'] & object }),
      pod('going', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', ownerReferences: [] } as never }),
    ];
    const [step] = replicasPlan(observed(1, pods), now).steps;
    assert.deepEqual(
      step?.actions.map((action) => action.verb),
      ['create'],
    );
  });

  it('reads the owner before it adopts', () => {
    const orphan = pod('orphan', { metadata: { ownerReferences: [] } as never });
    const plan = replicasPlan(observed(1, [orphan]), now);
    assert.deepEqual(
      plan.steps.flatMap((step) => step.actions.map((action) => action.verb)),
      ['get'],
    );
    const after = plan.next?.(
      [{ status: 'done', action: plan.steps[0]?.actions[0] as never, object: { metadata: { uid: 'another' } } }],
      now,
    );
    assert.match(after?.failure?.message ?? '', /is gone: got uid another, wanted u/);
  });
});
