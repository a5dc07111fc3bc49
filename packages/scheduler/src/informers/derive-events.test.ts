import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newContainer, newNode, newPod, type NodeParts, type PodParts } from '../test-objects.ts';
import { deriveNodeEvents, derivePodEvents } from './derive-events.ts';

describe('deriveNodeEvents()', () => {
  const cases: readonly (readonly [string, NodeParts, NodeParts, readonly string[]])[] = [
    ['a heartbeat', { resourceVersion: '1' }, { resourceVersion: '2' }, []],
    ['more cpu', { allocatable: { cpu: '1' } }, { allocatable: { cpu: '2' } }, ['NodeUpdateNodeAllocatable']],
    ['labels', {}, { labels: { a: 'b' } }, ['NodeUpdateNodeLabel']],
    ['uncordoning', { spec: { unschedulable: true } }, {}, ['NodeUpdateNodeTaint']],
    ['cordoning', {}, { spec: { unschedulable: true } }, []],
    [
      'taints and annotations',
      {},
      { annotations: { a: 'b' }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } },
      ['NodeUpdateNodeTaint', 'NodeUpdateNodeAnnotation'],
    ],
  ];
  for (const [what, old, now, expected] of cases) {
    it(`tells of ${what}`, () => {
      assert.deepEqual(
        deriveNodeEvents(newNode('n', old), newNode('n', now)).map(({ label }) => label),
        expected,
      );
    });
  }
});

describe('derivePodEvents()', () => {
  const gated: PodParts = { spec: { schedulingGates: [{ name: 'a' }] } };
  const cases: readonly (readonly [string, PodParts, PodParts, readonly string[]])[] = [
    ['something else', {}, { annotations: { a: 'b' } }, ['UnschedulablePodUpdate']],
    ['labels', {}, { labels: { a: 'b' } }, ['UnschedulablePodUpdatePodLabel']],
    ['the last gate', gated, {}, ['UnschedulablePodUpdatePodSchedulingGatesEliminated']],
    ['a toleration', {}, { spec: { tolerations: [{ operator: 'Exists' }] } }, ['UnschedulablePodUpdatePodToleration']],
    [
      'a smaller request',
      { spec: { containers: [newContainer({ cpu: '2' })] } },
      { spec: { containers: [newContainer({ cpu: '1' })] } },
      ['UnschedulablePodUpdatePodScaleDown'],
    ],
  ];
  for (const [what, old, now, expected] of cases) {
    it(`tells of ${what}`, () => {
      const found = derivePodEvents('UnschedulablePod', newPod('p', old), newPod('p', now));
      assert.deepEqual(
        found.map(({ label }) => label),
        expected,
      );
    });
  }
});
