// Scores that look at one node at a time: balance and image locality; and the usual normalisation.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newContainer, newHandle, newNode, newNodeInfo, newPod, newPodInfo, scoreWith } from '../test-objects.ts';
import { createBalancedAllocation } from './balanced-allocation.ts';
import { createImageLocality } from './image-locality.ts';
import { normalizeByMaximum } from './normalize.ts';

describe('normalizeByMaximum()', () => {
  const cases: readonly (readonly [readonly number[], boolean, readonly number[]])[] = [
    [[1, 2, 4], false, [25, 50, 100]],
    [[1, 2, 4], true, [75, 50, 0]],
    [[0, 0], false, [0, 0]],
    [[0, 0], true, [100, 100]],
  ];
  for (const [raw, reverse, expected] of cases) {
    it(`makes ${raw.join(' ')} ${expected.join(' ')}${reverse ? ' in reverse' : ''}`, () => {
      const scores = Float64Array.from(raw);
      normalizeByMaximum(scores, reverse);
      assert.deepEqual(Array.from(scores), expected);
    });
  }
});

describe('NodeResourcesBalancedAllocation', () => {
  const plugin = createBalancedAllocation();
  const node = (name: string, requests: Record<string, string>) =>
    newNodeInfo(newNode(name, { allocatable: { cpu: '4', memory: '4Gi', pods: '9' } }), [
      newPod(`on-${name}`, { requests }),
    ]);

  it('prefers nodes that the pod makes more even', () => {
    const pod = newPodInfo('p', { requests: { cpu: '2' } });
    const scores = scoreWith(plugin, pod, [
      node('uneven', { memory: '2Gi' }),
      node('even', { cpu: '1', memory: '1Gi' }),
    ]);
    assert.deepEqual(scores, [87, 62]);
  });

  it('gives 75 to a pod that changes nothing', () => {
    const pod = newPodInfo('p', { requests: { cpu: '1', memory: '1Gi' } });
    assert.deepEqual(scoreWith(plugin, pod, [node('n', { cpu: '1', memory: '1Gi' })]), [75]);
  });

  it('skips pods that request nothing', () => {
    assert.equal(scoreWith(plugin, newPodInfo('p'), [node('n', {})]), 'Skip');
  });
});

describe('ImageLocality', () => {
  it('prefers the node that has a large image, weighted by how common it is', () => {
    const has = newNodeInfo(newNode('a'));
    has.images = new Map([['big:latest', { sizeBytes: 1000 * 1024 * 1024, nodes: 1 }]]);
    const nodes = [has, newNodeInfo(newNode('b')), newNodeInfo(newNode('c'))];
    const plugin = createImageLocality(newHandle({ nodes }));
    const pod = newPodInfo('p', { spec: { containers: [newContainer({}, { image: 'big' })] } });
    // A third of 1000 MiB, between 23 MiB and 1000 MiB.
    assert.deepEqual(scoreWith(plugin, pod, nodes), [31, 0, 0]);
  });
});
