// Status generation as tables (spec/node.md §4.8, §6, §16).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodStatus } from '@homeostat/api/types/core-v1';
import { container, deleting, factsOf, type FactsInput, instance, podOf, sidecar } from './fixture.ts';
import { generateStatus } from './generate-status.ts';

function conditionsOf(status: PodStatus): Record<string, string> {
  return Object.fromEntries(
    (status.conditions ?? []).map(({ type, status: value, reason, message }) => [
      type,
      [value, reason, message].filter((part) => part !== undefined).join('|'),
    ]),
  );
}

const initPod = podOf({ initContainers: [container('i1')] });
const never = podOf({ restartPolicy: 'Never', containers: [container('a'), container('b')] });

describe('phase', () => {
  const table: readonly (readonly [string, FactsInput, string])[] = [
    ['nothing there yet', { sandbox: 'none' }, 'Pending'],
    ['running', { containers: [instance('c', 'running')] }, 'Running'],
    ['created is not running', { containers: [instance('c', 'created')] }, 'Pending'],
    ['crashed under Always', { containers: [instance('c', 1)] }, 'Running'],
    ['exit 0 under Always', { containers: [instance('c', 0)] }, 'Running'],
    ['exit 0 under Always, stopped for good', { containers: [instance('c', 0)], stopped: true }, 'Succeeded'],
    ['crashed under Always, stopped for good', { containers: [instance('c', 1)], stopped: true }, 'Failed'],
    ['Never: one of two done', { pod: never, containers: [instance('a', 0), instance('b', 'running')] }, 'Running'],
    ['Never: 0 and 3', { pod: never, containers: [instance('a', 0), instance('b', 3)] }, 'Failed'],
    ['Never: 0 and 0', { pod: never, containers: [instance('a', 0), instance('b', 0)] }, 'Succeeded'],
    ['OnFailure: failed', { pod: podOf({ restartPolicy: 'OnFailure' }), containers: [instance('c', 1)] }, 'Running'],
    ['OnFailure: done', { pod: podOf({ restartPolicy: 'OnFailure' }), containers: [instance('c', 0)] }, 'Succeeded'],
    ['init running', { pod: initPod, containers: [instance('i1', 'running')] }, 'Pending'],
    ['init failed under Always', { pod: initPod, containers: [instance('i1', 1)] }, 'Pending'],
    [
      'init failed under Never',
      { pod: podOf({ restartPolicy: 'Never', initContainers: [container('i1')] }), containers: [instance('i1', 1)] },
      'Failed',
    ],
    [
      'init done, container running',
      { pod: initPod, containers: [instance('c', 'running'), instance('i1', 0)] },
      'Running',
    ],
    [
      'a sidecar keeps the Pod running',
      {
        pod: podOf({ restartPolicy: 'Never', initContainers: [sidecar('s')] }),
        containers: [instance('c', 0), instance('s', 'running')],
      },
      'Running',
    ],
    [
      'exit codes of sidecars do not count',
      {
        pod: podOf({ restartPolicy: 'Never', initContainers: [sidecar('s')] }),
        containers: [instance('c', 0), instance('s', 137)],
      },
      'Succeeded',
    ],
    [
      'sidecar not started yet',
      {
        pod: podOf({ initContainers: [sidecar('s')] }),
        containers: [instance('s', 'running')],
        probes: { 's/startup': 'unknown' },
      },
      'Pending',
    ],
    [
      'container rule restarts exit 42 under Never',
      {
        pod: podOf({
          restartPolicy: 'Never',
          containers: [
            container('c', {
              restartPolicy: 'Never',
              restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
            }),
          ],
        }),
        containers: [instance('c', 42)],
      },
      'Running',
    ],
    ['terminal stays terminal', { previous: { phase: 'Failed' }, containers: [instance('c', 'running')] }, 'Failed'],
  ];
  for (const [name, input, phase] of table) {
    it(name, () => assert.equal(generateStatus(factsOf(input)).phase, phase));
  }
});

describe('container statuses', () => {
  it('are sorted by name, while messages keep the order of the spec', () => {
    const pod = podOf({ containers: [container('z'), container('a')] });
    const status = generateStatus(factsOf({ pod }));
    assert.deepEqual(
      status.containerStatuses?.map(({ name }) => name),
      ['a', 'z'],
    );
    assert.equal(conditionsOf(status)['Ready'], 'False|ContainersNotReady|containers with unready status: [z a]');
  });

  it('of a Pod with init containers are all PodInitializing', () => {
    const status = generateStatus(factsOf({ pod: initPod }));
    const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    assert.deepEqual(
      all.map(({ state }) => state),
      [{ waiting: { reason: 'PodInitializing' } }, { waiting: { reason: 'PodInitializing' } }],
    );
    assert.deepEqual(conditionsOf(status), {
      PodReadyToStartContainers: 'True',
      Initialized: 'False|ContainersNotInitialized|containers with incomplete status: [i1]',
      Ready: 'False|ContainersNotReady|containers with unready status: [c]',
      ContainersReady: 'False|ContainersNotReady|containers with unready status: [c]',
      PodScheduled: 'True',
    });
  });

  it('during back-off wait, with the last end beside', () => {
    const failures = { c: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } };
    const [status] =
      generateStatus(factsOf({ containers: [instance('c', 1, { attempt: 3 })], failures })).containerStatuses ?? [];
    assert.deepEqual(status?.state, { waiting: failures.c });
    assert.equal(status?.lastState?.terminated?.exitCode, 1);
    assert.equal(status.restartCount, 3);
  });

  it('keep the last end when the runtime has forgotten it', () => {
    const before = generateStatus(factsOf({ containers: [instance('c', 7)] }));
    const [status] =
      generateStatus(factsOf({ previous: before, containers: [instance('c', 'running', { attempt: 1 })] }))
        .containerStatuses ?? [];
    assert.equal(status?.lastState?.terminated?.exitCode, 7);
    assert.equal(status.restartCount, 1);
  });

  it('of a container that has vanished say so', () => {
    const before = generateStatus(factsOf({ containers: [instance('c', 'running')] }));
    const [status] = generateStatus(factsOf({ previous: before })).containerStatuses ?? [];
    assert.deepEqual(status?.state, { waiting: { reason: 'ContainerCreating' } });
    assert.equal(status?.lastState?.terminated?.reason, 'ContainerStatusUnknown');
    assert.equal(
      status.lastState.terminated.message,
      'The container could not be located when the pod was deleted.  The container used to be Running',
    );
    assert.equal(status.restartCount, 1);
    const [gone] = generateStatus(factsOf({ pod: deleting(podOf()), previous: before })).containerStatuses ?? [];
    assert.equal(gone?.restartCount, 0);
  });

  it('of an unknown instance that was running: the end nobody saw', () => {
    const before = generateStatus(factsOf({ containers: [instance('c', 'running')] }));
    const [status] =
      generateStatus(factsOf({ previous: before, containers: [instance('c', 'unknown')] })).containerStatuses ?? [];
    assert.equal(status?.state?.terminated?.message, 'The container could not be located when the pod was terminated');
    assert.equal(status.restartCount, 1);
  });

  it('of an init container nobody knows, in a Pod that has started: done', () => {
    const status = generateStatus(factsOf({ pod: initPod, containers: [instance('c', 'running')] }));
    const [init] = status.initContainerStatuses ?? [];
    assert.equal(init?.state?.terminated?.reason, 'Completed');
    assert.equal(init.ready, true);
  });

  it('tell image, id, resources and mounts of what runs', () => {
    const pod = podOf({
      containers: [
        container('c', {
          resources: { requests: { cpu: '100m' } },
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'r', mountPath: '/r', readOnly: true },
          ],
        }),
      ],
    });
    const [status] = generateStatus(factsOf({ pod, containers: [instance('c', 'running')] })).containerStatuses ?? [];
    assert.deepEqual(status, {
      name: 'c',
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      lastState: {},
      ready: true,
      started: true,
      restartCount: 0,
      image: 'docker.io/library/busybox:1.36',
      imageID: 'docker.io/library/busybox@sha256:0',
      containerID: 'test://c-0',
      allocatedResources: { cpu: '100m' },
      resources: { requests: { cpu: '100m' } },
      volumeMounts: [
        { name: 'v', mountPath: '/v' },
        { name: 'r', mountPath: '/r', readOnly: true, recursiveReadOnly: 'Disabled' },
      ],
    });
  });
});

describe('started and ready', () => {
  const probed = podOf({ containers: [container('c')] });
  const table: readonly (readonly [string, FactsInput['probes'], boolean, boolean])[] = [
    ['no probes', {}, true, true],
    ['startup not passed', { 'c/startup': 'unknown' }, false, false],
    ['startup passed, not ready', { 'c/startup': 'success', 'c/readiness': 'failure' }, true, false],
    ['both passed', { 'c/startup': 'success', 'c/readiness': 'success' }, true, true],
    ['liveness does not count', { 'c/liveness': 'failure' }, true, true],
  ];
  for (const [name, probes, started, ready] of table) {
    it(name, () => {
      const facts = factsOf({ pod: probed, containers: [instance('c', 'running')], probes: probes ?? {} });
      const [status] = generateStatus(facts).containerStatuses ?? [];
      assert.deepEqual([status?.started, status?.ready], [started, ready]);
    });
  }

  it('an unready sidecar makes the Pod unready', () => {
    const facts = factsOf({
      pod: podOf({ initContainers: [sidecar('s')] }),
      containers: [instance('c', 'running'), instance('s', 'running')],
      probes: { 's/readiness': 'failure' },
    });
    assert.equal(
      conditionsOf(generateStatus(facts))['Ready'],
      'False|ContainersNotReady|containers with unready status: [s]',
    );
  });
});

describe('conditions', () => {
  it('of a Pod that succeeded and of one that failed', () => {
    const succeeded = generateStatus(factsOf({ pod: never, containers: [instance('a', 0), instance('b', 0)] }));
    assert.deepEqual(conditionsOf(succeeded), {
      PodReadyToStartContainers: 'True',
      Initialized: 'True|PodCompleted',
      Ready: 'False|PodCompleted',
      ContainersReady: 'False|PodCompleted',
      PodScheduled: 'True',
    });
    const failed = generateStatus(factsOf({ pod: never, containers: [instance('a', 0), instance('b', 3)] }));
    assert.equal(conditionsOf(failed)['Initialized'], 'True');
    assert.equal(conditionsOf(failed)['Ready'], 'False|PodFailed');
  });

  it('foreign ones come first and stay; readiness gates are asked', () => {
    const foreign = { type: 'example.com/gate', status: 'False' };
    const pod = podOf(
      { readinessGates: [{ conditionType: 'example.com/gate' }, { conditionType: 'other' }] },
      { conditions: [foreign] },
    );
    const status = generateStatus(factsOf({ pod, containers: [instance('c', 'running')] }));
    assert.deepEqual(status.conditions?.[0], foreign);
    assert.equal(
      conditionsOf(status)['Ready'],
      'False|ReadinessGatesNotReady|the status of pod readiness gate "example.com/gate" is not "True", but False, ' +
        'corresponding condition of pod readiness gate "other" does not exist.',
    );
  });

  it('transition times change with the status alone; the generation is told', () => {
    const first = generateStatus(factsOf({}));
    const later = factsOf({ previous: first, containers: [instance('c', 'running')] });
    const second = generateStatus({ ...later, nowMs: later.nowMs + 60_000 });
    const since = (status: PodStatus, type: string) =>
      status.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
    assert.equal(since(second, 'Initialized'), since(first, 'Initialized'));
    assert.equal(since(second, 'Ready'), '2026-01-01T00:01:10Z');
    assert.ok(second.conditions?.every(({ observedGeneration }) => observedGeneration === 1));
    assert.equal(second.startTime, first.startTime);
  });
});

describe('addresses', () => {
  it('of the Pod come with its sandbox and stay when it is over', () => {
    const running = generateStatus(factsOf({ containers: [instance('c', 'running')] }));
    assert.deepEqual(
      [running.podIP, running.podIPs, running.hostIP],
      ['10.244.0.2', [{ ip: '10.244.0.2' }], '172.18.0.2'],
    );
    const over = generateStatus(
      factsOf({
        pod: deleting(podOf()),
        previous: running,
        sandbox: 'none',
        containers: [instance('c', 0)],
        stopped: true,
      }),
    );
    assert.equal(over.podIP, '10.244.0.2');
    assert.equal(generateStatus(factsOf({ previous: running, sandbox: 'none' })).podIP, undefined);
  });

  it('on the host network are the host’s, from the first status', () => {
    const status = generateStatus(factsOf({ pod: podOf({ hostNetwork: true }), sandbox: 'none' }));
    assert.equal(status.podIP, '172.18.0.2');
  });
});
