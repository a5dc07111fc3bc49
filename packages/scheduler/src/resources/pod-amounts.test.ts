import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { podRequests } from '@homeostat/api';
import type { Pod } from '@homeostat/api/types/core-v1';
import { newContainer, newPod } from '../test-objects.ts';
import { amountOf, toAmounts } from './amounts.ts';
import { podAmounts, podUsage } from './pod-amounts.ts';

const cpu = (amount: string): Record<string, string> => ({ cpu: amount });
const sidecar = { restartPolicy: 'Always' } as const;

describe('podAmounts()', () => {
  const cases: readonly { readonly what: string; readonly spec: Partial<Pod['spec']>; readonly milliCpu: number }[] = [
    {
      what: 'a sidecar listed before an init container runs beside it',
      spec: {
        initContainers: [newContainer(cpu('1'), sidecar), newContainer(cpu('3'))],
        containers: [newContainer(cpu('2'))],
      },
      milliCpu: 4000,
    },
    {
      what: 'a sidecar listed after an init container does not',
      spec: {
        initContainers: [newContainer(cpu('3')), newContainer(cpu('1'), sidecar)],
        containers: [newContainer(cpu('2'))],
      },
      milliCpu: 3000,
    },
    {
      what: 'overhead comes on top',
      spec: { containers: [newContainer(cpu('2'))], overhead: cpu('100m') },
      milliCpu: 2100,
    },
    {
      what: 'pod-level requests replace the sum',
      spec: { containers: [newContainer(cpu('1')), newContainer(cpu('1'))], resources: { requests: cpu('1') } },
      milliCpu: 1000,
    },
  ];
  for (const { what, spec, milliCpu } of cases) {
    it(`counts so that ${what}`, () => {
      assert.equal(podAmounts(newPod('p', { spec: spec as NonNullable<Pod['spec']> })).milliCpu, milliCpu);
    });
  }

  it('keeps extended resources, huge pages and other scalars apart and leaves the rest out', () => {
    const pod = newPod('p', {
      requests: {
        'x/y': '2',
        'hugepages-2Mi': '4Mi',
        'requests.storage': '1Gi',
        'ephemeral-storage': '1Ki',
        memory: '1Mi',
      },
    });
    const amounts = podAmounts(pod);
    assert.deepEqual(
      [...amounts.scalars],
      [
        ['x/y', 2],
        ['hugepages-2Mi', 4 * 1024 * 1024],
      ],
    );
    assert.equal(amounts.ephemeralStorage, 1024);
    assert.equal(amounts.memory, 1024 * 1024);
  });

  it('equals what the API says a pod requests, for random pods', () => {
    const quantities = fc.constantFrom('0', '1', '250m', '3', '1Gi', '100Mi', '1500m');
    const requests = fc.dictionary(fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'x/y'), quantities, {
      maxKeys: 3,
    });
    const container = fc.record({
      requests,
      restartable: fc.boolean(),
      actual: fc.option(requests),
      name: fc.constantFrom('a', 'b'),
    });
    const pods = fc.record({
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      init: fc.array(container, { maxLength: 3 }),
      overhead: fc.option(requests),
      podLevel: fc.option(fc.dictionary(fc.constantFrom('cpu', 'memory'), quantities)),
      infeasible: fc.boolean(),
    });
    fc.assert(
      fc.property(pods, fc.boolean(), ({ containers, init, overhead, podLevel, infeasible }, useStatus) => {
        const named = (list: typeof containers, prefix: string) =>
          list.map((each, index) => ({ ...each, name: `${prefix}${index}` }));
        const main = named(containers, 'c');
        const first = named(init, 'i');
        const statusOf = (list: typeof main) =>
          list.flatMap(({ name, actual }) =>
            actual === null
              ? []
              : [{ name, resources: { requests: actual }, image: '', imageID: '', ready: true, restartCount: 0 }],
          );
        const pod = newPod('p', {
          spec: {
            containers: main.map(({ name, requests: own }) => newContainer(own, { name })),
            initContainers: first.map(({ name, requests: own, restartable }) =>
              newContainer(own, restartable ? { name, restartPolicy: 'Always' } : { name }),
            ),
            ...(overhead === null ? {} : { overhead }),
            ...(podLevel === null ? {} : { resources: { requests: podLevel } }),
          },
          status: {
            containerStatuses: statusOf(main),
            initContainerStatuses: statusOf(first),
            conditions: infeasible
              ? [
                  {
                    type: 'PodResizePending',
                    status: 'True',
                    reason: 'Infeasible',
                    lastProbeTime: null,
                    lastTransitionTime: null,
                  },
                ]
              : [],
          } as NonNullable<Pod['status']>,
        });
        const expected = Object.entries(podRequests(pod, { useStatus })).map(
          ([name, text]) => [name, amountOf(name, text)] as const,
        );
        assert.deepEqual(podAmounts(pod, { useStatus }), toAmounts(new Map(expected)));
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

describe('podUsage()', () => {
  it('keeps the higher amount while a resize is under way, and what the node has when it is infeasible', () => {
    const status = { containerStatuses: [{ name: 'c', resources: { requests: cpu('2') } }] };
    const shrinking = newPod('p', { requests: cpu('1'), status: status as unknown as NonNullable<Pod['status']> });
    assert.equal(podUsage(shrinking).requested.milliCpu, 2000);
    const infeasible = newPod('p', {
      requests: cpu('8'),
      status: {
        ...status,
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
      } as unknown as NonNullable<Pod['status']>,
    });
    assert.equal(podUsage(infeasible).requested.milliCpu, 2000);
  });

  it('assumes amounts for containers that request nothing, but keeps an explicit zero', () => {
    const none = podUsage(newPod('p'));
    assert.deepEqual([none.nonZeroMilliCpu, none.nonZeroMemory, none.requested.milliCpu], [100, 200 * 1024 * 1024, 0]);
    assert.equal(podUsage(newPod('p', { requests: cpu('0') })).nonZeroMilliCpu, 0);
  });

  it('assumes nothing for what the pod as a whole requests', () => {
    const usage = podUsage(newPod('p', { spec: { resources: { requests: cpu('1') } } }));
    assert.deepEqual([usage.nonZeroMilliCpu, usage.nonZeroMemory], [1000, 200 * 1024 * 1024]);
  });
});
