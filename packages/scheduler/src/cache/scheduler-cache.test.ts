import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv } from '@homeostat/base';
import { podInfoOf } from '../framework/pod-info.ts';
import { newContainer, newNode, newPod } from '../test-objects.ts';
import type { NodeInfo } from './node-info.ts';
import { NodeTree } from './node-tree.ts';
import { SchedulerCache } from './scheduler-cache.ts';
import { Snapshot } from './snapshot.ts';

const zoned = (name: string, zone: string) => newNode(name, { labels: { 'topology.kubernetes.io/zone': zone } });
const bound = (name: string, nodeName: string, cpu = '1') =>
  newPod(name, {
    spec: { nodeName, containers: [newContainer({ cpu }, { ports: [{ containerPort: 1, hostPort: 80 }] })] },
  });

describe('NodeTree', () => {
  it('takes one node of each zone in turn', () => {
    const tree = new NodeTree();
    for (const [name, zone] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
      ['c1', 'c'],
      ['c2', 'c'],
    ] as const)
      tree.set(zoned(name, zone));
    assert.deepEqual(tree.list(), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    tree.delete('b1');
    tree.set(zoned('a1', 'c'));
    assert.deepEqual(tree.list(), ['a2', 'c1', 'a3', 'c2', 'a1']);
  });

  it('prefers the old zone labels, and knows regions', () => {
    const tree = new NodeTree();
    tree.set(
      newNode('x', { labels: { 'failure-domain.beta.kubernetes.io/zone': 'a', 'topology.kubernetes.io/zone': 'b' } }),
    );
    tree.set(zoned('y', 'a'));
    tree.set(newNode('z', { labels: { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'a' } }));
    tree.set(zoned('w', 'a'));
    assert.deepEqual(tree.list(), ['x', 'z', 'y', 'w']);
  });
});

describe('SchedulerCache', () => {
  const newCache = () => new SchedulerCache(createVirtualEnv());

  it('counts assumed pods, and lets them be forgotten or confirmed', () => {
    const cache = newCache();
    cache.setNode(newNode('n'));
    const info = podInfoOf(newPod('p', { requests: { cpu: '1' } })).assumedOn('n');
    cache.assume(info);
    assert.throws(() => cache.assume(info), /pod uid-p\(default\/p\) is in the cache, so can't be assumed/);
    const snapshot = new Snapshot();
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.get('n')?.requested.milliCpu, 1000);
    cache.forget(info);
    cache.forget(info);
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.get('n')?.requested.milliCpu, 0);
    cache.assume(info);
    cache.addPod(info.pod);
    assert.equal(cache.isAssumed('uid-p'), false);
    assert.throws(() => cache.forget(info), /wasn't assumed so cannot be forgotten/);
  });

  it('follows the API server when it bound a pod elsewhere', () => {
    const cache = newCache();
    cache.setNode(newNode('a'));
    cache.setNode(newNode('b'));
    cache.assume(podInfoOf(newPod('p')).assumedOn('a'));
    cache.addPod(bound('p', 'b'));
    const snapshot = new Snapshot();
    cache.updateSnapshot(snapshot);
    assert.deepEqual([snapshot.get('a')?.pods.length, snapshot.get('b')?.pods.length], [0, 1]);
  });

  it('takes pods before their node, and keeps them when it goes', () => {
    const cache = newCache();
    const snapshot = new Snapshot();
    cache.addPod(bound('p', 'n'));
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.nodes.length, 0);
    cache.setNode(newNode('n'));
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.get('n')?.pods.length, 1);
    cache.removeNode('n');
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.nodes.length, 0);
    cache.setNode(newNode('n'));
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.get('n')?.pods.length, 1);
  });

  it('leaves a snapshot alone until it is updated', () => {
    const cache = newCache();
    const snapshot = new Snapshot();
    cache.setNode(newNode('n'));
    cache.updateSnapshot(snapshot);
    cache.addPod(bound('p', 'n'));
    assert.equal(snapshot.get('n')?.pods.length, 0);
  });

  it('knows images by node, and how many nodes have each', () => {
    const cache = newCache();
    const withImages = (name: string, ...images: string[]) =>
      newNode(name, { status: { images: images.map((image) => ({ names: [image], sizeBytes: 5 })) } });
    cache.setNode(withImages('a', 'x:1', 'y:1'));
    cache.setNode(withImages('b', 'x:1'));
    const snapshot = new Snapshot();
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.get('a')?.images.get('x:1')?.nodes, 2);
    cache.removeNode('b');
    cache.setNode(withImages('a', 'x:1'));
    cache.updateSnapshot(snapshot);
    assert.equal(snapshot.get('a')?.images.get('x:1')?.nodes, 1);
    assert.equal(snapshot.get('a')?.images.has('y:1'), false);
  });

  it('brings a snapshot to the same state step by step as at once', () => {
    const name = fc.constantFrom('n1', 'n2', 'n3');
    const operation = fc.oneof(
      fc.record({ do: fc.constant('node' as const), name, zone: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('remove-node' as const), name }),
      fc.record({ do: fc.constant('pod' as const), pod: fc.integer({ min: 0, max: 5 }), name }),
      fc.record({ do: fc.constant('assume' as const), pod: fc.integer({ min: 0, max: 5 }), name }),
      fc.record({ do: fc.constant('remove-pod' as const), pod: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ do: fc.constant('snapshot' as const) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 50 }), (operations) => {
        const cache = newCache();
        const stepwise = new Snapshot();
        for (const step of operations) {
          const pod = 'pod' in step ? `p${step.pod}` : '';
          const known = cache.getPod(`uid-${pod}`);
          if (step.do === 'node') cache.setNode(zoned(step.name, step.zone));
          else if (step.do === 'remove-node') cache.removeNode(step.name);
          else if (step.do === 'pod') cache.addPod(bound(pod, known?.nodeName ?? step.name));
          else if (step.do === 'assume' && known === undefined)
            cache.assume(podInfoOf(bound(pod, '')).assumedOn(step.name));
          else if (step.do === 'remove-pod') cache.removePod(newPod(pod));
          else if (step.do === 'snapshot') cache.updateSnapshot(stepwise);
        }
        cache.updateSnapshot(stepwise);
        const names = stepwise.nodes.map((node) => node.name).sort();
        assert.deepEqual(names, [...stepwise.names()].sort());
        let pods = 0;
        for (const node of stepwise.nodes) {
          pods += node.pods.length;
          assert.equal(stepwise.get(node.name), node);
          assert.equal(node.requested.milliCpu, node.pods.length * 1000);
          assert.equal(node.usedPorts.conflictsWith({ ip: '0.0.0.0', port: 'TCP/80' }), node.pods.length > 0);
        }
        assert.ok(pods <= cache.podCount);
        for (let index = 0; index <= 5; index++) {
          const info = cache.getPod(`uid-p${index}`);
          const on: NodeInfo | undefined = info === undefined ? undefined : stepwise.get(info.nodeName);
          if (info !== undefined && on !== undefined) assert.ok(on.pods.some(({ uid }) => uid === info.uid));
        }
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});
