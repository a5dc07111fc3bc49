import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OwnerReference } from '@homeostat/machinery';
import { type Identity, OwnershipGraph } from './graph.ts';

function identity(name: string, namespace = 'ns'): Identity {
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid: name };
}

const ref = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: name,
  ...more,
});

const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('OwnershipGraph', () => {
  it('asks for a look at what names an owner it does not know, in whatever order they come', () => {
    const late = new OwnershipGraph();
    assert.deepEqual(late.upsert(identity('child'), { metadata: { ownerReferences: [ref('owner')] } }).inspect, [
      'child',
    ]);
    assert.deepEqual(late.upsert(identity('owner'), {}).inspect, []);
    const early = new OwnershipGraph();
    early.upsert(identity('owner'), {});
    assert.deepEqual(early.upsert(identity('child'), { metadata: { ownerReferences: [ref('owner')] } }).inspect, []);
  });

  it('asks for a look at a dependent in another namespace, whichever of the two comes last', () => {
    const first = new OwnershipGraph();
    first.upsert(identity('owner', 'a'), {});
    const stray = { metadata: { ownerReferences: [ref('owner')] } };
    assert.deepEqual(first.upsert(identity('child', 'b'), stray).inspect, ['child']);
    const last = new OwnershipGraph();
    last.upsert(identity('child', 'b'), stray);
    assert.deepEqual(last.upsert(identity('owner', 'a'), {}).inspect, ['child']);
  });

  it('asks for a look at all dependents when their owner goes', () => {
    const graph = new OwnershipGraph();
    graph.upsert(identity('owner'), {});
    for (const name of ['a', 'b']) graph.upsert(identity(name), { metadata: { ownerReferences: [ref('owner')] } });
    assert.deepEqual(graph.remove('owner').inspect, ['a', 'b']);
    assert.deepEqual(graph.remove('owner').inspect, []);
  });

  it('asks for a look at a waiting owner when a dependent goes, or stops to block it', () => {
    const graph = new OwnershipGraph();
    graph.upsert(identity('owner'), { metadata: { ...deleting, finalizers: ['foregroundDeletion'] } });
    const child = (blockOwnerDeletion: boolean) => ({
      metadata: { ownerReferences: [ref('owner', { blockOwnerDeletion })] },
    });
    graph.upsert(identity('child'), child(true));
    assert.equal(graph.blockingDependentsOf('owner').length, 1);
    assert.ok(graph.upsert(identity('child'), child(false)).inspect.includes('owner'));
    assert.equal(graph.blockingDependentsOf('owner').length, 0);
    assert.ok(graph.remove('child').inspect.includes('owner'));
  });

  it('orphans rather than waits, when an owner asks for both', () => {
    const graph = new OwnershipGraph();
    const effects = graph.upsert(identity('owner'), {
      metadata: { ...deleting, finalizers: ['foregroundDeletion', 'orphan'] },
    });
    assert.deepEqual(effects, { inspect: [], orphan: ['owner'] });
  });

  it('keeps nothing of what is gone', () => {
    const graph = new OwnershipGraph();
    for (let i = 0; i < 100; i++) graph.upsert(identity(`c${i}`), { metadata: { ownerReferences: [ref(`o${i}`)] } });
    for (let i = 0; i < 100; i++) graph.remove(`c${i}`);
    assert.equal(graph.size, 0);
    assert.deepEqual(graph.dependentsOf('o1'), []);
  });
});
