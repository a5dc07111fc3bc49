// The story of the system in nine chapters. It acts as a user does, through the API alone, and tells what every stage of the
// loop does about it.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { isApiError } from '@homeostat/base';
import { createClient, keyOf } from '@homeostat/client';
import { deployments, endpointSlices, nodes, pods, replicaSets, services } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { InformerFactory } from '@homeostat/runtime';
import { loseOneEvent } from './lossy-handle.ts';
import type { Narrator } from './narrator.ts';
import { labels, namespace, webDeployment, webService } from './web-app.ts';
import { tellEvents } from './tell-events.ts';
import type { DemoWorld } from './world.ts';

interface Stage {
  readonly world: DemoWorld;
  readonly tell: Narrator;
}

/** Tells the whole story. @throws when something that must happen does not */
export async function tellStory(world: DemoWorld, tell: Narrator): Promise<void> {
  const stage = { world, tell };
  world.onAction((action) => tell.action(action));
  await meetNodes(stage);
  const end = new AbortController();
  const events = tellEvents(world, tell, end.signal);
  try {
    await tellChapters(stage);
  } finally {
    end.abort(new Error('the story is over'));
    await world.during(events);
    tell.end();
  }
}

async function tellChapters(stage: Stage): Promise<void> {
  await applyDeployment(stage);
  await deletePod(stage);
  await crashContainer(stage);
  await undoManualEdits(stage);
  await loseWatchEvent(stage);
  await refuseStaleWrite(stage);
  await stopNode(stage);
  await killLeader(stage);
}

async function meetNodes({ world, tell }: Stage): Promise<void> {
  tell.chapter('The cluster');
  await world.waitFor('three ready nodes', async () => (await listNodes(world)).filter(isReady).length === 3);
  tell.sees('three nodes are ready; nothing else is declared');
}

async function applyDeployment(stage: Stage): Promise<void> {
  const { world, tell } = stage;
  tell.chapter('1 · A desired state is declared');
  tell.does('apply a Deployment of 3 replicas, and a Service in front of it');
  await world.during(
    world.client.apply(deployments, { object: webDeployment(world.tolerationSeconds), fieldManager: 'demo' }),
  );
  await world.during(world.client.apply(services, { object: webService, fieldManager: 'demo' }));
  await untilSettled(stage);
}

async function deletePod(stage: Stage): Promise<void> {
  const { world, tell } = stage;
  tell.chapter('2 · A Pod is deleted');
  const [victim] = await listPods(world);
  tell.does(`delete pod ${nameOf(victim)}`);
  await world.during(world.client.delete(pods, { namespace, name: nameOf(victim) }));
  await world.waitFor('the pod to go', async () =>
    (await listPods(world)).every((pod) => pod.metadata?.uid !== victim?.metadata?.uid),
  );
  await untilSettled(stage);
}

async function crashContainer(stage: Stage): Promise<void> {
  const { world, tell } = stage;
  tell.chapter('3 · A container crashes');
  const name = 'fragile';
  tell.does('create a Pod whose container exits with 1 after two seconds');
  await world.during(
    world.client.create(pods, {
      namespace,
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name,
          namespace,
          annotations: { 'simulated.homeostat.dev/run-for': '2s', 'simulated.homeostat.dev/exit-code': '1' },
        },
        spec: { containers: [{ name: 'c', image: 'fragile:1' }], terminationGracePeriodSeconds: 0 },
      } as unknown as Pod,
    }),
  );
  const restarts = async (): Promise<number> =>
    (await world.during(world.client.get(pods, { namespace, name }))).status?.containerStatuses?.[0]?.restartCount ?? 0;
  await world.waitFor('a restart', async () => (await restarts()) > 0);
  tell.event(
    'kubelet',
    `${name} → the container ended with exit code 1 and restartPolicy is Always: started again (restart ${await restarts()})`,
  );
  await world.during(world.client.delete(pods, { namespace, name, gracePeriodSeconds: 0 }));
}

async function undoManualEdits(stage: Stage): Promise<void> {
  const { world, tell } = stage;
  tell.chapter('4 · Hands that should not be there');
  const [replicaSet] = (await world.during(world.client.list<ReplicaSet>(replicaSets, { namespace }))).items;
  tell.does(`scale the ReplicaSet ${nameOf(replicaSet)} to 5 by hand`);
  await world.during(
    world.client.patch(replicaSets, {
      namespace,
      name: nameOf(replicaSet),
      type: 'merge',
      patch: { spec: { replicas: 5 } },
    }),
  );
  await world.waitFor('the ReplicaSet to be put right', async () => {
    const now = await world.during(world.client.get(replicaSets, { namespace, name: nameOf(replicaSet) }));
    return now.spec?.replicas === 3 && now.metadata?.generation !== replicaSet?.metadata?.generation;
  });
  await untilSettled(stage);

  const [slice] = (
    await world.during(
      world.client.list<EndpointSlice>(endpointSlices, { namespace, labelSelector: 'kubernetes.io/service-name=web' }),
    )
  ).items;
  tell.does(`empty the EndpointSlice ${nameOf(slice)} by hand`);
  await world.during(
    world.client.patch(endpointSlices, { namespace, name: nameOf(slice), type: 'merge', patch: { endpoints: [] } }),
  );
  await untilSettled(stage);

  const [stray] = await listPods(world);
  tell.does(`take the label app away from pod ${nameOf(stray)}`);
  await world.during(
    world.client.patch(pods, {
      namespace,
      name: nameOf(stray),
      type: 'merge',
      patch: { metadata: { labels: { app: null } } },
    }),
  );
  await untilSettled(stage);
  tell.sees(`${nameOf(stray)} runs on, owned by nobody; another pod has taken its place`);
  await world.during(world.client.delete(pods, { namespace, name: nameOf(stray), gracePeriodSeconds: 0 }));

  const [model] = await listPods(world);
  tell.does('create one Pod too many, with the labels of the others');
  const extra = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'one-too-many', namespace, labels: model?.metadata?.labels ?? labels },
    spec: { containers: [{ name: 'web', image: 'nginx:1.29' }], terminationGracePeriodSeconds: 1 },
  };
  await world.during(world.client.create(pods, { namespace, object: extra as unknown as Pod }));
  await untilSettled(stage);
}

async function loseWatchEvent({ world, tell }: Stage): Promise<void> {
  tell.chapter('5 · A watch event is lost');
  const lossy = loseOneEvent(
    (request) => world.transport.send(request),
    (event) => event.type === 'ADDED' && event.object.metadata?.name === 'unseen',
  );
  const { exchanges } = world.transport;
  const transport = {
    send: lossy.handle,
    close: () => Promise.resolve(),
    ...(exchanges === undefined ? {} : { exchanges }),
  };
  const informers = new InformerFactory({
    client: createClient({ transport, env: world.env, userAgent: 'demo-informer' }),
    env: world.env,
    repairPeriodMs: 3000,
  });
  const informer = informers.informer(pods, { select: { namespace } });
  const stop = new AbortController();
  const running = informers.run({ signal: stop.signal });
  await world.during(informer.waitForSync(stop.signal));
  tell.does('create the Pod unseen, and swallow the event that tells an informer of it');
  const unseen = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'unseen', namespace },
    spec: { containers: [{ name: 'c', image: 'x' }], schedulerName: 'nobody' },
  };
  const created = await world.during(world.client.create(pods, { namespace, object: unseen as unknown as Pod }));
  await world.waitFor('the event to be lost', () => Promise.resolve(lossy.lost() !== undefined));
  const inCache = (): boolean => informer.lister.getByKey(keyOf(created)) !== undefined;
  tell.sees(`the server has ${nameOf(created)}, the informer's cache ${inCache() ? 'too' : 'does not'}`);
  const beforeMs = world.env.clock.monotonicMs();
  await world.waitFor('the repair', () => Promise.resolve(inCache()));
  const seconds = ((world.env.clock.monotonicMs() - beforeMs) / 1000).toFixed(1);
  tell.event(
    'informer',
    `repair: compared the cache with a consistent list every 3 s, found ${nameOf(created)} missing and put it in, ${seconds} s later`,
  );
  stop.abort(new Error('enough'));
  await world.during(running);
  await world.during(world.client.delete(pods, { namespace, name: 'unseen', gracePeriodSeconds: 0 }));
}

async function refuseStaleWrite({ world, tell }: Stage): Promise<void> {
  tell.chapter('6 · Two writers');
  const read = await world.during(world.client.get(deployments, { namespace, name: 'web' }));
  tell.does(
    `read Deployment web at resourceVersion ${read.metadata?.resourceVersion ?? ''}; meanwhile somebody else writes it`,
  );
  await world.during(
    world.client.patch(deployments, {
      namespace,
      name: 'web',
      type: 'merge',
      patch: { metadata: { labels: { touched: 'yes' } } },
    }),
  );
  const change = (object: typeof read): typeof read => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata?.labels, mine: 'yes' } },
  });
  try {
    await world.during(world.client.update(deployments, { object: change(read) }));
    throw new Error('a stale write was accepted');
  } catch (error) {
    if (!isApiError(error, 'Conflict')) throw error;
    tell.event('apiserver', `refused with 409: ${error.message}`);
  }
  const fresh = await world.during(world.client.get(deployments, { namespace, name: 'web' }));
  const written = await world.during(world.client.update(deployments, { object: change(fresh) }));
  tell.does(
    `read again (${fresh.metadata?.resourceVersion ?? ''}), change again, write: accepted as ${written.metadata?.resourceVersion ?? ''}, and the other's label is still there`,
  );
}

async function stopNode(stage: Stage): Promise<void> {
  const { world, tell } = stage;
  tell.chapter('7 · A node falls silent');
  const [somebody] = await listPods(world);
  const name = somebody?.spec?.nodeName ?? '';
  tell.does(
    `stop the agent of ${name}; it may be silent for ${world.gracePeriodSeconds} s, pods tolerate that for ${world.tolerationSeconds} s more`,
  );
  await world.during(world.stopNode(name));
  await world.waitFor('NotReady', async () =>
    (await listNodes(world)).some((node) => nameOf(node) === name && !isReady(node)),
  );
  tell.sees(`${name} is NotReady`);
  await world.waitFor('the pods to be somewhere else', async () => {
    const running = (await listPods(world)).filter(
      (pod) => pod.metadata?.deletionTimestamp === undefined && isReady(pod),
    );
    return running.length === 3 && running.every((pod) => pod.spec?.nodeName !== name);
  });
  tell.sees(`three pods run on the other nodes; those on ${name} wait, terminating, for an agent that could stop them`);
}

async function killLeader(stage: Stage): Promise<void> {
  const { world, tell } = stage;
  tell.chapter('8 · The leader dies');
  const dead = await world.killLeader();
  tell.does(`kill ${dead}, the controller manager that leads, and scale to 4`);
  await world.during(
    world.client.patch(deployments, { namespace, name: 'web', type: 'merge', patch: { spec: { replicas: 4 } } }),
  );
  await world.waitFor(
    'four ready pods',
    async () =>
      (await listPods(world)).filter((pod) => pod.metadata?.deletionTimestamp === undefined && isReady(pod)).length ===
      4,
  );
  tell.sees('the standby waited until the lease had run out, took over, and went on from the state it found');
}

// Three ready pods of the Deployment, and as many addresses behind the Service.
async function untilSettled({ world, tell }: Stage): Promise<void> {
  await world.waitFor('three ready pods with addresses', async () => {
    const running = await listPods(world);
    if (running.length !== 3 || !running.every((pod) => isReady(pod) && pod.metadata?.deletionTimestamp === undefined))
      return false;
    const slices = (
      await world.during(
        world.client.list<EndpointSlice>(endpointSlices, {
          namespace,
          labelSelector: 'kubernetes.io/service-name=web',
        }),
      )
    ).items;
    const addresses = slices
      .flatMap((slice) => slice.endpoints ?? [])
      .filter((endpoint) => endpoint.conditions?.ready === true);
    const deployment = await world.during(world.client.get(deployments, { namespace, name: 'web' }));
    return addresses.length === 3 && deployment.status?.availableReplicas === 3 && deployment.status.replicas === 3;
  });
  const placed = (await listPods(world)).map((pod) => `${nameOf(pod)} on ${pod.spec?.nodeName ?? '?'}`);
  tell.sees(`3 of 3 pods ready, 3 addresses behind the Service: ${placed.join(', ')}`);
}

async function listPods(world: DemoWorld): Promise<readonly Pod[]> {
  return (await world.during(world.client.list<Pod>(pods, { namespace, labelSelector: 'app=web' }))).items;
}

async function listNodes(world: DemoWorld): Promise<readonly KubeObject[]> {
  return (await world.during(world.client.list(nodes))).items;
}

function isReady(object: KubeObject): boolean {
  const { status } = object as {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  };
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}

function nameOf(object: KubeObject | undefined): string {
  return object?.metadata?.name ?? '';
}
