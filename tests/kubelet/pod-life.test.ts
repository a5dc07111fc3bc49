// What watchers see of Pods on simulated nodes, with the real API server, controllers and scheduler, in virtual time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodReady } from '@homeostat/api';
import { resourceType } from '@homeostat/client';
import { deployments, events, jobs, pods } from '@homeostat/client/resources';
import { type KubeObject, parseTime } from '@homeostat/machinery';
import { simulated, startNodes } from './fixture.ts';

const secrets = resourceType<KubeObject>({
  group: '',
  version: 'v1',
  resource: 'secrets',
  kind: 'Secret',
  namespaced: true,
});

function conditionsOf(pod: Pod): readonly string[] {
  return (pod.status?.conditions ?? []).map(({ type, status, reason }) =>
    reason === undefined ? `${type}=${status}` : `${type}=${status} ${reason}`,
  );
}

test('a Deployment of 3 becomes available within milliseconds, on addresses of their own', async () => {
  await using cluster = await startNodes(2);
  const labels = { app: 'web' };
  await cluster.test.run(
    cluster.client.create(deployments, {
      object: {
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 3,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } },
        },
      },
    }),
  );
  const startMs = cluster.test.clock.monotonicMs();
  await cluster.test.waitFor(() => cluster.test.get(deployments, 'default', 'web')?.status?.availableReplicas === 3, {
    what: '3 available replicas',
  });
  assert.ok(cluster.test.clock.monotonicMs() - startMs < 100);
  const made = cluster.test.list(pods, 'default');
  assert.equal(new Set(made.map(({ status }) => status?.podIP)).size, 3);
  for (const { status, spec } of made) {
    assert.equal(status?.hostIP, spec?.nodeName === 'node-1' ? '172.18.0.2' : '172.18.0.3');
  }
});

test('a plain Pod is written as A, B and C: creating, on the network, running with everything true', async () => {
  await using cluster = await startNodes(1);
  const watched = await cluster.watch(pods);
  await cluster.createPod('plain', {
    spec: { containers: ['z', 'a'].map((name) => ({ name, image: 'nginx:1.27' })) },
    annotations: simulated({ 'start-delay': '2s' }),
  });
  await cluster.test.advance(5_000);
  const states = watched.seen.filter(({ event }) => event.type === 'MODIFIED');
  const [first, last] = [states.at(0), states.at(-1)];
  assert.ok(first !== undefined && last !== undefined);
  const a = first.event.object as Pod;
  assert.equal(a.status?.phase, 'Pending');
  assert.deepEqual(conditionsOf(a), [
    'PodReadyToStartContainers=False',
    'Initialized=True',
    'Ready=False ContainersNotReady',
    'ContainersReady=False ContainersNotReady',
    'PodScheduled=True',
  ]);
  assert.equal(
    a.status?.conditions?.find(({ type }) => type === 'Ready')?.message,
    'containers with unready status: [z a]',
  );
  assert.deepEqual(
    a.status?.containerStatuses?.map(({ name, state, started, imageID }) => ({ name, state, started, imageID })),
    ['a', 'z'].map((name) => ({
      name,
      state: { waiting: { reason: 'ContainerCreating' } },
      started: false,
      imageID: '',
    })),
  );
  // One after the other, two seconds each; in between nothing is known of them.
  assert.equal(states.length, 3);
  const b = states[1]?.event.object as Pod;
  assert.deepEqual(b.status?.containerStatuses, a.status?.containerStatuses);
  assert.equal(conditionsOf(b)[0], 'PodReadyToStartContainers=True');
  assert.equal(last.atMs - first.atMs, 4_000);
  const c = last.event.object as Pod;
  assert.equal(c.status?.phase, 'Running');
  assert.deepEqual(conditionsOf(c), [
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
    'PodScheduled=True',
  ]);
  assert.ok(
    c.status?.containerStatuses?.every(({ containerID }) => /^homeostat:\/\/[0-9a-f]{64}$/.test(containerID ?? '')),
  );
  assert.deepEqual(
    cluster.eventsOf('plain').map(({ reason, message, involvedObject }) => [reason, message, involvedObject.fieldPath]),
    ['z', 'a'].flatMap((name) => [
      [
        'Pulled',
        'Container image "nginx:1.27" already present on machine and can be accessed by the pod',
        `spec.containers{${name}}`,
      ],
      ['Created', 'Container created', `spec.containers{${name}}`],
      ['Started', 'Container started', `spec.containers{${name}}`],
    ]),
  );
});

test('a crashing container waits 10, 20, 40 seconds; its Pod stays Running', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('crash', { annotations: simulated({ 'crash-after': '1s' }) });
  const starts: number[] = [];
  const ends: number[] = [];
  for (let restart = 0; restart <= 4; restart++) {
    await cluster.test.waitFor(() => {
      const status = cluster.pod('crash')?.status?.containerStatuses?.[0];
      return status?.restartCount === restart && status.state?.running !== undefined;
    });
    starts.push(cluster.test.clock.monotonicMs());
    await cluster.test.advance(1_000);
    ends.push(cluster.test.clock.monotonicMs());
    const ended = cluster.pod('crash');
    assert.equal(ended?.status?.phase, 'Running');
    if (restart === 0) continue;
    await cluster.test.advance(1_500);
    const [status] = cluster.pod('crash')?.status?.containerStatuses ?? [];
    const wait = ['10s', '20s', '40s', '1m20s'][restart - 1];
    assert.equal(status?.state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(
      status.state.waiting.message,
      `back-off ${wait} restarting failed container=c pod=crash_default(${ended.metadata?.uid})`,
    );
    assert.equal(status.lastState?.terminated?.exitCode, 1);
  }
  const gaps = starts.slice(1).map((start, index) => start - (ends[index] ?? 0));
  assert.equal(gaps[0], 0);
  for (const [index, atLeast] of [10_000, 20_000, 40_000].entries()) {
    const gap = gaps[index + 1] ?? 0;
    assert.ok(gap >= atLeast && gap <= 1.5 * atLeast, `gap ${index + 1} is ${gap} ms`);
  }
  assert.ok(cluster.eventsOf('crash').some(({ reason, type }) => reason === 'BackOff' && type === 'Warning'));
});

test('deletion: terminating, terminated with a terminal phase, then gone', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('gone', {
    annotations: simulated({ 'stop-delay': '3s' }),
    spec: { terminationGracePeriodSeconds: 30 },
  });
  await cluster.test.advance(1_000);
  const watched = await cluster.watch(pods);
  await cluster.deletePod('gone');
  const startMs = cluster.test.clock.monotonicMs();
  await cluster.test.waitFor(() => cluster.pod('gone') === undefined, { limitMs: 60_000 });
  assert.equal(cluster.test.clock.monotonicMs() - startMs, 3_000);
  const seen = watched.seen.slice(1).map(({ event }) => event);
  const [terminating, ...later] = seen.filter(({ type }) => type === 'MODIFIED').map(({ object }) => object as Pod);
  assert.equal(terminating?.metadata?.deletionGracePeriodSeconds, 30);
  assert.equal(terminating.status?.phase, 'Running');
  const last = later.at(-1);
  assert.equal(last?.status?.phase, 'Succeeded');
  assert.equal(last.status.containerStatuses?.[0]?.state?.terminated?.reason, 'Completed');
  assert.deepEqual(conditionsOf(last), [
    'PodReadyToStartContainers=False',
    'Initialized=True PodCompleted',
    'Ready=False PodCompleted',
    'ContainersReady=False PodCompleted',
    'PodScheduled=True',
  ]);
  // Never terminal while something runs.
  assert.ok(
    later.every(({ status }) => status?.phase === 'Running' || status?.containerStatuses?.[0]?.state?.terminated),
  );
  assert.equal(seen.at(-1)?.type, 'DELETED');
});

test('a container that ignores TERM is killed when its time is up', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('stubborn', { annotations: simulated({ 'stop-delay': 'never' }) });
  await cluster.test.advance(1_000);
  const watched = await cluster.watch(pods);
  await cluster.deletePod('stubborn', 600);
  await cluster.test.advance(2_000);
  // A shorter time counts from when it is asked for.
  await cluster.deletePod('stubborn', 5);
  const startMs = cluster.test.clock.monotonicMs();
  await cluster.test.waitFor(() => cluster.pod('stubborn') === undefined, { limitMs: 60_000 });
  assert.equal(cluster.test.clock.monotonicMs() - startMs, 5_000);
  const last = watched.seen.at(-1)?.event.object as Pod;
  assert.equal(last.status?.phase, 'Failed');
  assert.equal(last.status.containerStatuses?.[0]?.state?.terminated?.exitCode, 137);
});

test('the Pod of a Job runs to its end without being told to', async () => {
  await using cluster = await startNodes(1);
  const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'busybox:1.36' }] } };
  const job = await cluster.test.run(
    cluster.client.create(jobs, {
      object: { metadata: { name: 'j', namespace: 'default' }, spec: { suspend: true, template } },
    }),
  );
  await cluster.test.run(
    cluster.client.create(pods, {
      object: {
        metadata: {
          name: 'work',
          namespace: 'default',
          ownerReferences: [
            { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: job.metadata?.uid ?? '', controller: true },
          ],
        },
        spec: { nodeName: 'node-1', restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox:1.36' }] },
      },
    }),
  );
  await cluster.test.waitFor(() => cluster.pod('work')?.status?.phase === 'Succeeded', { limitMs: 5_000 });
  assert.deepEqual(conditionsOf(cluster.pod('work') ?? {}), [
    'PodReadyToStartContainers=False',
    'Initialized=True PodCompleted',
    'Ready=False PodCompleted',
    'ContainersReady=False PodCompleted',
    'PodScheduled=True',
  ]);
});

test('a Pod the node has no room for is refused for good', async () => {
  await using cluster = await startNodes([{ name: 'node-1', capacity: { cpu: '2' } }]);
  const asking = (cpu: string) => ({
    spec: { containers: [{ name: 'c', image: 'nginx:1.27', resources: { requests: { cpu } } }] },
  });
  await cluster.createPod('a', asking('1500m'));
  await cluster.createPod('b', asking('1'));
  await cluster.test.advance(1_000);
  const { status } = cluster.pod('b') ?? {};
  const message = "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000";
  assert.equal(status?.phase, 'Failed');
  assert.equal(status.reason, 'OutOfcpu');
  assert.equal(status.message, `Pod was rejected: ${message}`);
  assert.equal(status.conditions, undefined);
  assert.equal(status.containerStatuses, undefined);
  const [event] = cluster.eventsOf('b').filter(({ reason }) => reason === 'OutOfcpu');
  assert.equal(event?.message, message);
  await cluster.deletePod('b');
  await cluster.test.advance(100);
  assert.equal(cluster.pod('b'), undefined);
});

test('readiness follows the probe; liveness restarts the container', async () => {
  await using cluster = await startNodes(1);
  const probe = { httpGet: { port: 80 }, periodSeconds: 5, failureThreshold: 1 };
  await cluster.createPod('probed', {
    annotations: simulated({ readiness: 'pass-after=7s', liveness: 'fail-after=12s' }),
    spec: { containers: [{ name: 'c', image: 'nginx:1.27', readinessProbe: probe, livenessProbe: probe }] },
  });
  const container = () => cluster.pod('probed')?.status?.containerStatuses?.[0];
  const startMs = cluster.test.clock.monotonicMs();
  await cluster.test.waitFor(() => container()?.ready === true);
  assert.equal(cluster.test.clock.monotonicMs() - startMs, 10_000);
  await cluster.test.waitFor(() => container()?.restartCount === 1);
  assert.equal(cluster.test.clock.monotonicMs() - startMs, 15_000);
  assert.equal(container()?.ready, false);
  await cluster.test.advance(100);
  const told = cluster.eventsOf('probed').map(({ message }) => message);
  assert.ok(told.includes('Readiness probe failed: HTTP probe failed with statuscode: 503'));
  assert.ok(told.includes('Liveness probe failed: HTTP probe failed with statuscode: 503'));
  assert.ok(told.includes('Container c failed liveness probe, will be restarted'));
});

test('an image that is not there: ErrImagePull, then ImagePullBackOff', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('nope', { annotations: simulated({ 'image-error': 'ErrImagePull' }) });
  const waiting = () => cluster.pod('nope')?.status?.containerStatuses?.[0]?.state?.waiting;
  await cluster.test.waitFor(() => waiting()?.reason === 'ErrImagePull');
  await cluster.test.waitFor(() => waiting()?.reason === 'ImagePullBackOff');
  assert.match(waiting()?.message ?? '', /^Back-off pulling image "nginx:1.27": ErrImagePull: rpc error/);
  assert.equal(cluster.pod('nope')?.status?.phase, 'Pending');
  await cluster.test.advance(100_000);
  const pulls = cluster.eventsOf('nope').find(({ reason }) => reason === 'Pulling');
  assert.ok((pulls?.count ?? 0) >= 3 && (pulls?.count ?? 0) <= 4, `${pulls?.count} pulls`);
  await cluster.test.run(
    cluster.client.patch(pods, {
      namespace: 'default',
      name: 'nope',
      type: 'merge',
      patch: { metadata: { annotations: { 'simulated.homeostat.dev/image-error': null } } },
    }),
  );
  await cluster.test.waitFor(() => cluster.pod('nope')?.status?.phase === 'Running', { limitMs: 400_000 });
});

test('init containers and sidecars start in order and stop in reverse', async () => {
  await using cluster = await startNodes(1);
  const watched = await cluster.watch(events);
  await cluster.createPod('ordered', {
    annotations: simulated({ 'i.run-for': '2s' }),
    spec: {
      initContainers: [
        { name: 's1', image: 'nginx:1.27', restartPolicy: 'Always' },
        { name: 'i', image: 'nginx:1.27' },
        { name: 's2', image: 'nginx:1.27', restartPolicy: 'Always' },
      ],
    },
  });
  const startMs = cluster.test.clock.monotonicMs();
  await cluster.test.waitFor(() => cluster.pod('ordered')?.status?.phase === 'Running');
  assert.equal(cluster.test.clock.monotonicMs() - startMs, 2_000);
  await cluster.test.advance(1_000);
  const started = watched.seen
    .map(({ event }) => event.object as { reason?: string; involvedObject?: { fieldPath?: string; name?: string } })
    .filter(({ reason, involvedObject }) => reason === 'Started' && involvedObject?.name === 'ordered')
    .map(({ involvedObject }) => involvedObject?.fieldPath);
  assert.deepEqual(started, [
    'spec.initContainers{s1}',
    'spec.initContainers{i}',
    'spec.initContainers{s2}',
    'spec.containers{c}',
  ]);
  await cluster.test.run(
    cluster.client.patch(pods, {
      namespace: 'default',
      name: 'ordered',
      type: 'merge',
      patch: { metadata: { annotations: simulated({ 'stop-delay': '0s' }) } },
    }),
  );
  await cluster.deletePod('ordered');
  await cluster.test.waitFor(() => cluster.pod('ordered') === undefined, { limitMs: 40_000 });
});

test('logs tell what the container did', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('talker', { annotations: simulated({ 'log-lines': 'hello\nworld', 'crash-after': '5s' }) });
  await cluster.test.advance(1_000);
  const read = async (options: object): Promise<string> => {
    const stream = await cluster.test.run(cluster.client.logs({ namespace: 'default', name: 'talker', ...options }));
    let text = '';
    const all = async (): Promise<void> => {
      for await (const chunk of stream) text += new TextDecoder().decode(chunk);
    };
    await cluster.test.run(all());
    return text;
  };
  assert.equal(await read({}), 'container c (image nginx:1.27) started, attempt 0\nhello\nworld\n');
  assert.equal(await read({ tailLines: 1 }), 'world\n');
  assert.equal(await read({ tailLines: 1, limitBytes: 3 }), 'wor');
  assert.match(await read({ tailLines: 1, timestamps: true }), /^2026-01-01T00:00:\d\d\.\d{9}Z world\n$/);
  // Following ends with the container.
  assert.match(await read({ follow: true }), /world\nexited with code 1\n$/);
  await cluster.test.advance(500);
  assert.match(await read({ previous: true }), /attempt 0\n[^]*exited with code 1\n$/);
  assert.match(await read({}), /attempt 1\n/);
});

test('a Pod that refers to what is not there waits for it', async () => {
  await using cluster = await startNodes(1);
  const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }];
  await cluster.createPod('env', { spec: { containers: [{ name: 'c', image: 'nginx:1.27', env }] } });
  await cluster.createPod('volume', { spec: { volumes: [{ name: 'v', configMap: { name: 'cm' } }] } });
  await cluster.test.advance(5_000);
  assert.deepEqual(cluster.pod('env')?.status?.containerStatuses?.[0]?.state, {
    waiting: { reason: 'CreateContainerConfigError', message: 'secret "s" not found' },
  });
  assert.ok(
    cluster
      .eventsOf('env')
      .some(({ reason, message }) => reason === 'Failed' && message === 'Error: secret "s" not found'),
  );
  const mounting = cluster.pod('volume');
  assert.equal(mounting?.status?.phase, 'Pending');
  assert.equal(mounting.status.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  assert.ok(conditionsOf(mounting).includes('PodReadyToStartContainers=False'));
  assert.ok(conditionsOf(mounting).includes('Initialized=True'));
  assert.ok(
    cluster
      .eventsOf('volume')
      .some(({ message }) => message === 'MountVolume.SetUp failed for volume "v" : configmap "cm" not found'),
  );
  const create = (resource: 'configmaps' | 'secrets', kind: string, name: string, data: Record<string, string>) =>
    cluster.test.run(
      cluster.client.create(resourceType<KubeObject>({ group: '', version: 'v1', resource, kind, namespaced: true }), {
        object: { metadata: { name, namespace: 'default' }, data } as KubeObject,
      }),
    );
  await create('secrets', 'Secret', 's', { other: 'eA==' });
  await cluster.test.waitFor(
    () =>
      cluster.pod('env')?.status?.containerStatuses?.[0]?.state?.waiting?.message ===
      "couldn't find key k in Secret default/s",
    { limitMs: 16_000 },
  );
  await cluster.test.run(cluster.client.delete(secrets, { namespace: 'default', name: 's' }));
  await create('secrets', 'Secret', 's', { k: 'eA==' });
  await create('configmaps', 'ConfigMap', 'cm', {});
  await cluster.test.waitFor(
    () => cluster.pod('env')?.status?.phase === 'Running' && cluster.pod('volume')?.status?.phase === 'Running',
    { limitMs: 30_000 },
  );
  assert.equal(cluster.pod('env')?.status?.containerStatuses?.[0]?.restartCount, 0);
});

test('a container that cannot be started says why, and is tried with back-off', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('broken', {
    annotations: simulated({ 'start-error': 'RunContainerError: exec format error' }),
  });
  await cluster.test.advance(60_000);
  const [status] = cluster.pod('broken')?.status?.containerStatuses ?? [];
  assert.ok(['RunContainerError', 'CrashLoopBackOff'].includes(status?.state?.waiting?.reason ?? ''));
  assert.equal(status?.lastState?.terminated?.exitCode, 128);
  assert.equal(status.lastState.terminated.reason, 'StartError');
  assert.ok(status.restartCount >= 2 && status.restartCount <= 4, `${status.restartCount} restarts`);
});

test('a resize is taken up at once where there is room, and waits where there is none', async () => {
  await using cluster = await startNodes([{ name: 'node-1', capacity: { cpu: '2' } }]);
  const asking = (cpu: string) => ({
    containers: [{ name: 'c', image: 'nginx:1.27', resources: { requests: { cpu } } }],
  });
  await cluster.createPod('big', { spec: asking('1') });
  await cluster.createPod('small', { spec: asking('500m') });
  await cluster.test.advance(1_000);
  const resize = (cpu: string) =>
    cluster.test.run(
      cluster.client.patch(pods, {
        namespace: 'default',
        name: 'small',
        subresource: 'resize',
        type: 'strategic',
        patch: { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
      }),
    );
  const status = () => cluster.pod('small')?.status;
  await resize('800m');
  await cluster.test.advance(1_000);
  assert.deepEqual(status()?.containerStatuses?.[0]?.resources, { requests: { cpu: '800m' } });
  assert.deepEqual(status()?.allocatedResources, { cpu: '800m' });
  assert.equal(status()?.containerStatuses?.[0]?.restartCount, 0);
  await resize('1500m');
  await cluster.test.advance(1_000);
  assert.deepEqual(status()?.containerStatuses?.[0]?.allocatedResources, { cpu: '800m' });
  const pending = status()?.conditions?.find(({ type }) => type === 'PodResizePending');
  const message = "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000";
  assert.deepEqual([pending?.status, pending?.reason, pending?.message], ['True', 'Deferred', message]);
  await cluster.deletePod('big');
  await cluster.test.advance(1_000);
  assert.deepEqual(status()?.containerStatuses?.[0]?.allocatedResources, { cpu: '1500m' });
  assert.equal(
    status()?.conditions?.some(({ type }) => type === 'PodResizePending'),
    false,
  );
  const told = cluster.eventsOf('small').map(({ reason }) => reason);
  assert.deepEqual(
    told.filter((reason) => reason?.startsWith('Resize')),
    ['ResizeStarted', 'ResizeCompleted', 'ResizeDeferred', 'ResizeStarted', 'ResizeCompleted'],
  );
});

test('a restart rule starts all containers of the Pod anew, in place', async () => {
  await using cluster = await startNodes(1);
  const watched = await cluster.watch(pods);
  await cluster.createPod('rule', {
    annotations: simulated({ 'c.run-for': '5s', 'c.exit-code': '42,0' }),
    spec: {
      restartPolicy: 'Never',
      initContainers: [{ name: 'i', image: 'nginx:1.27' }],
      containers: [
        {
          name: 'c',
          image: 'nginx:1.27',
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
        },
        { name: 'd', image: 'nginx:1.27' },
      ],
    },
  });
  await cluster.test.advance(4_000);
  const before = cluster.pod('rule');
  assert.ok(conditionsOf(before ?? {}).includes('AllContainersRestarting=False'));
  await cluster.test.advance(4_000);
  const after = cluster.pod('rule');
  assert.equal(after?.status?.phase, 'Running');
  assert.deepEqual(
    [...(after.status.initContainerStatuses ?? []), ...(after.status.containerStatuses ?? [])].map(
      ({ name, restartCount }) => [name, restartCount],
    ),
    [
      ['i', 1],
      ['c', 1],
      ['d', 1],
    ],
  );
  assert.equal(after.status.podIP, before?.status?.podIP);
  const restarting = watched.seen
    .map(({ event }) => event.object as Pod)
    .find((pod) => conditionsOf(pod).includes('AllContainersRestarting=True RestartAllContainersStarted'));
  assert.deepEqual(
    restarting?.status?.containerStatuses?.map(({ state }) => state?.waiting?.reason),
    ['RestartingAllContainers', 'RestartingAllContainers'],
  );
});

test('activeDeadlineSeconds ends the Pod and says so when nothing runs any more', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('late', {
    annotations: simulated({ 'stop-delay': '4s' }),
    spec: { activeDeadlineSeconds: 10 },
  });
  const startMs = cluster.test.clock.monotonicMs();
  await cluster.test.waitFor(() => cluster.pod('late')?.status?.phase === 'Failed');
  assert.equal(cluster.test.clock.monotonicMs() - startMs, 14_000);
  const { status } = cluster.pod('late') ?? {};
  assert.equal(status?.reason, 'DeadlineExceeded');
  assert.equal(status.message, 'Pod was active on the node longer than the specified deadline');
  assert.equal(status.containerStatuses?.[0]?.state?.terminated?.exitCode, 0);
  assert.equal(parseTime(status.startTime ?? ''), parseTime(cluster.pod('late')?.metadata?.creationTimestamp ?? ''));
});

test('what others write into the status is repaired, and their conditions stay', async () => {
  await using cluster = await startNodes(1);
  await cluster.createPod('patched', {});
  await cluster.test.advance(1_000);
  const status = { phase: 'Pending', conditions: [{ type: 'example.com/gate', status: 'True' }] };
  await cluster.test.run(
    cluster.client.patch(pods, {
      namespace: 'default',
      name: 'patched',
      subresource: 'status',
      type: 'strategic',
      patch: { status },
    }),
  );
  await cluster.test.waitFor(() => cluster.pod('patched')?.status?.phase === 'Running', { limitMs: 10_000 });
  assert.ok(conditionsOf(cluster.pod('patched') ?? {}).includes('example.com/gate=True'));
});

test('a Pod that is well is not written any more', async () => {
  await using cluster = await startNodes(1);
  const probe = { httpGet: { port: 80 }, periodSeconds: 1 };
  await cluster.createPod('well', {
    spec: {
      initContainers: [
        { name: 'i', image: 'nginx:1.27' },
        { name: 's', image: 'nginx:1.27', restartPolicy: 'Always' },
      ],
      containers: [
        { name: 'c', image: 'nginx:1.27', readinessProbe: probe, livenessProbe: probe, startupProbe: probe },
      ],
    },
  });
  await cluster.test.waitFor(() => isPodReady(cluster.pod('well') ?? {}), { limitMs: 1_000 });
  const version = cluster.pod('well')?.metadata?.resourceVersion;
  await cluster.test.advance(3_600_000);
  assert.equal(cluster.pod('well')?.metadata?.resourceVersion, version);
});

test('one seed, one history', async () => {
  const run = async (): Promise<string> => {
    await using cluster = await startNodes(3, { seed: 7 });
    await cluster.createPod('crash', { annotations: simulated({ 'crash-after': '1s' }) });
    await cluster.createPod('fine', {});
    await cluster.test.advance(120_000);
    return JSON.stringify(await cluster.test.history());
  };
  assert.equal(await run(), await run());
});
