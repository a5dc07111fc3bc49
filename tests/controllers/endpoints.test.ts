// Endpoints and EndpointSlices in virtual time: the scenarios of spec/infrastructure.md §9.5, §10.7 and §11.4.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoints } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { endpoints, endpointSlices, nodes, pods, services } from '@homeostat/client/resources';
import { newPod, newService } from './fixtures/objects.ts';
import { scenario, type Scenario, type ScenarioOptions } from './fixtures/scenario.ts';

// Nobody reports for the nodes here, and their silence is not the subject.
const controllers = ['*', '-nodelifecycle'];
const alone: ScenarioOptions = { nodes: false, controllerManagers: [{ identity: 'kcm-1', controllers }] };
const trigger = 'endpoints.kubernetes.io/last-change-trigger-time';

interface PodFields {
  readonly ip?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly ips?: readonly string[];
  readonly node?: string;
}

async function runPod(s: Scenario, name: string, fields: PodFields = {}): Promise<void> {
  const { ip = `10.1.0.${s.list(pods).length + 1}`, ready = true, phase = 'Running', labels = { app: 'web' } } = fields;
  const ips = fields.ips ?? [ip];
  await s.create(pods, newPod(name, labels, { nodeName: fields.node ?? 'n', ...fields.spec }));
  await setReady(s, name, ready, { phase, podIP: ips[0], podIPs: ips.map((each) => ({ ip: each })) });
}

function setReady(s: Scenario, name: string, ready: boolean, more: object = {}): Promise<unknown> {
  const conditions = [
    {
      type: 'Ready',
      status: ready ? 'True' : 'False',
      lastTransitionTime: new Date(s.cluster.clock.nowMs()).toISOString(),
    },
  ];
  return s.strategic(pods, name, { status: { conditions, ...more } }, { subresource: 'status' });
}

async function withNode(s: Scenario, name = 'n', labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await s.create(nodes, { metadata: { name, labels } } as never);
}

const ready = (s: Scenario, name = 'web'): readonly string[] =>
  (s.get(endpoints, name)?.subsets ?? [])
    .flatMap((subset) => subset.addresses ?? [])
    .map((address) => address.targetRef?.name ?? address.ip);
const notReady = (s: Scenario, name = 'web'): readonly string[] =>
  (s.get(endpoints, name)?.subsets ?? [])
    .flatMap((subset) => subset.notReadyAddresses ?? [])
    .map((address) => address.targetRef?.name ?? '');
const slicesOf = (s: Scenario, name = 'web'): readonly EndpointSlice[] =>
  s.list(endpointSlices).filter((slice) => slice.metadata?.labels?.['kubernetes.io/service-name'] === name);
/** `pod:ready/serving/terminating` of every endpoint. */
const shown = (s: Scenario, name = 'web'): readonly string[] =>
  slicesOf(s, name)
    .flatMap((slice) => slice.endpoints ?? [])
    .map(({ targetRef, conditions: c }) => `${targetRef?.name}:${c?.ready}/${c?.serving}/${c?.terminating}`);

describe('Endpoints of a Service', () => {
  it('1, 2: has ready pods in one list and others in the other, labelled as its keeper’s', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, {
        ...newService('web', { app: 'web' }),
        metadata: { name: 'web', namespace: 'default', labels: { team: 'a' }, annotations: { note: 'b' } },
      });
      await runPod(s, 'a');
      await runPod(s, 'b', { ready: false });
      await s.advance(5);
      assert.deepEqual([ready(s), notReady(s)], [['a'], ['b']]);
      const { labels, annotations } = s.must(endpoints, 'web').metadata ?? {};
      assert.deepEqual(labels, { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
      assert.equal(annotations?.['note'], undefined);
      assert.deepEqual(s.must(endpoints, 'web').subsets?.[0]?.ports, [{ name: 'http', port: 80, protocol: 'TCP' }]);
      await s.merge(services, 'web', { spec: { publishNotReadyAddresses: true } });
      await s.advance(5);
      assert.deepEqual([ready(s), notReady(s)], [['a', 'b'], []]);
    }, alone));

  it('3, 4: leaves out pods that are terminating, that have ended, that have no address', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await runPod(s, 'b', { spec: { terminationGracePeriodSeconds: 60 } });
      await runPod(s, 'c');
      await s.create(pods, newPod('d', { app: 'web' }, { nodeName: 'n' }));
      await s.delete(pods, 'b');
      await s.merge(pods, 'c', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      await s.advance(5);
      assert.deepEqual(ready(s), ['a']);
      await s.merge(services, 'web', { spec: { publishNotReadyAddresses: true } });
      await s.advance(5);
      assert.deepEqual(ready(s), ['a', 'b']);
    }, alone));

  it('5, 15: a headless one without ports names its pods, with their host names', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }, { clusterIP: 'None', ports: [] }));
      await runPod(s, 'a', { spec: { hostname: 'one', subdomain: 'web' } });
      await s.advance(5);
      const object = s.must(endpoints, 'web');
      assert.equal(object.metadata?.labels?.['service.kubernetes.io/headless'], '');
      assert.equal(object.subsets?.[0]?.ports, undefined);
      assert.equal(object.subsets?.[0]?.addresses?.[0]?.hostname, 'one');
      const [slice] = slicesOf(s);
      assert.equal(slice?.endpoints?.[0]?.hostname, 'one');
    }, alone));

  it('6: a port name that means another number on each pod splits them', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }, { ports: [{ port: 80, targetPort: 'http' }] }));
      for (const [index, containerPort] of [8080, 9090, 8080].entries()) {
        const containers = [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort }] }];
        await runPod(s, `p${index}`, { spec: { containers } });
      }
      await s.advance(5);
      const numbers = (s.must(endpoints, 'web').subsets ?? []).map((subset) => [
        subset.ports?.[0]?.port,
        subset.addresses?.length,
      ]);
      assert.deepEqual(numbers.toSorted(), [
        [8080, 2],
        [9090, 1],
      ]);
      assert.equal(slicesOf(s).length, 2);
    }, alone));

  it('8, B17: more than a thousand addresses are cut, and the cut ends with the need for it', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      const made = Array.from({ length: 1001 }, (_, index) => index);
      await s.cluster.run(
        Promise.all(
          made.map(async (index) => {
            const name = `p${index}`;
            const ip = `10.1.${index >> 8}.${index & 255}`;
            const options = { namespace: 'default', name, type: 'strategic', subresource: 'status' } as const;
            await s.cluster.admin.create(pods, { object: newPod(name, { app: 'web' }, { nodeName: 'n' }) });
            const status = {
              phase: 'Running',
              podIP: ip,
              podIPs: [{ ip }],
              conditions: [{ type: 'Ready', status: 'True' }],
            };
            await s.cluster.admin.patch(pods, { ...options, patch: { status } });
          }),
        ),
      );
      await s.advance(60);
      const over = (): string | undefined =>
        s.must(endpoints, 'web').metadata?.annotations?.['endpoints.kubernetes.io/over-capacity'];
      assert.equal(ready(s).length, 1000);
      assert.equal(over(), 'truncated');
      assert.equal(shown(s).length, 1001);
      for (const index of [1, 2]) await s.delete(pods, `p${index}`, { gracePeriodSeconds: 0 });
      await s.advance(60);
      assert.equal(ready(s).length, 999);
      assert.equal(over(), undefined);
    }, alone));

  it('9: goes with the Service, and comes back when it is deleted alone', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await s.advance(5);
      await s.delete(endpoints, 'web');
      await s.advance(5);
      assert.deepEqual(ready(s), ['a']);
      await s.delete(services, 'web');
      await s.advance(5);
      assert.equal(s.get(endpoints, 'web'), undefined);
      assert.equal(slicesOf(s).length, 0);
    }, alone));

  it('10, 11: stays as it is when the Service gives up its selector or turns to another name', () =>
    scenario(async (s) => {
      await withNode(s);
      for (const name of ['web', 'out']) await s.create(services, newService(name, { app: 'web' }));
      await runPod(s, 'a');
      await s.advance(5);
      await s.merge(services, 'web', { spec: { selector: null } });
      await s.merge(services, 'out', {
        spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null },
      });
      await s.delete(pods, 'a', { gracePeriodSeconds: 0 });
      await s.advance(5);
      assert.deepEqual([ready(s), ready(s, 'out')], [['a'], ['a']]);
    }, alone));

  it('12, 13: is written for what concerns it, and nothing else', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await s.advance(5);
      const version = (): string | undefined => s.must(endpoints, 'web').metadata?.resourceVersion;
      const before = [version(), slicesOf(s)[0]?.metadata?.resourceVersion];
      await s.merge(pods, 'a', { metadata: { annotations: { x: 'y' } } });
      await s.merge(services, 'web', { metadata: { annotations: { x: 'y' } } });
      await s.advance(5);
      assert.deepEqual([version(), slicesOf(s)[0]?.metadata?.resourceVersion], before);
      await s.merge(services, 'web', { metadata: { labels: { team: 'b' } } });
      await s.advance(5);
      assert.equal(s.must(endpoints, 'web').metadata?.labels?.['team'], 'b');
      assert.equal(slicesOf(s)[0]?.metadata?.labels?.['team'], 'b');
    }, alone));

  it('says since when: at first the age of the Service, then what changed', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await s.advance(10);
      await runPod(s, 'a');
      await s.advance(1);
      assert.equal(
        s.must(endpoints, 'web').metadata?.annotations?.[trigger],
        s.must(pods, 'a').status?.conditions?.[0]?.lastTransitionTime,
      );
    }, alone));

  it('lets alone what users keep under a name that has no Service', () =>
    scenario(async (s) => {
      const own = {
        metadata: { name: 'own', namespace: 'default' },
        subsets: [{ addresses: [{ ip: '192.0.2.1' }] }],
      } as Endpoints;
      await s.create(endpoints, own);
      await s.merge(endpoints, 'own', { metadata: { labels: { x: 'y' } } });
      await s.advance(60);
      assert.ok(s.get(endpoints, 'own') !== undefined);
    }, alone));

  it('B16: a pod that turns ready again faster than the watch is not lost', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await s.advance(5);
      for (const resource of ['endpoints', 'endpointslices']) {
        s.cluster.faults.add({
          match: (target) => target.verb === 'watch' && target.resource === resource,
          fault: { kind: 'lag-watch', delayMs: 3_000 },
        });
      }
      const process = s.cluster.processes[0];
      await s.cluster.run(process?.crash() ?? Promise.resolve());
      s.cluster.startControllerManager({ identity: 'kcm-2', controllers });
      await s.advance(30);
      for (let i = 0; i < 6; i++) {
        await setReady(s, 'a', i % 2 === 1);
        await s.cluster.advance(300);
      }
      await s.advance(60);
      assert.deepEqual([ready(s), shown(s)], [['a'], ['a:true/true/false']]);
    }, alone));
});

describe('EndpointSlices of a Service', () => {
  it('1: there is always one, be it empty, and looking again writes nothing', () =>
    scenario(async (s) => {
      await s.create(services, newService('web', { app: 'web' }));
      await s.advance(5);
      const [slice, ...others] = slicesOf(s);
      assert.equal(others.length, 0);
      assert.deepEqual([slice?.endpoints ?? [], slice?.ports ?? [], slice?.addressType], [[], [], 'IPv4']);
      assert.match(slice?.metadata?.name ?? '', /^web-[a-z0-9]{5}$/);
      const [owner] = slice?.metadata?.ownerReferences ?? [];
      assert.deepEqual(
        [owner?.kind, owner?.name, owner?.controller, owner?.blockOwnerDeletion],
        ['Service', 'web', true, true],
      );
      await s.advance(60);
      assert.equal(slicesOf(s)[0]?.metadata?.resourceVersion, slice?.metadata?.resourceVersion);
    }, alone));

  it('3, 4: hold a hundred each; what is missing fills those with room and touches no other', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      for (let index = 0; index < 250; index++)
        await runPod(s, `p${index}`, { ip: `10.1.${index >> 8}.${index & 255}` });
      await s.advance(10);
      const counts = (): readonly number[] =>
        slicesOf(s)
          .map((slice) => slice.endpoints?.length ?? 0)
          .toSorted((a, b) => a - b);
      assert.equal(
        counts().reduce((sum, count) => sum + count, 0),
        250,
      );
      assert.ok(counts().every((count) => count <= 100));
      const full = slicesOf(s).filter((slice) => slice.endpoints?.length === 100);
      await runPod(s, 'one-more', { ip: '10.2.0.1' });
      await s.advance(10);
      assert.equal(
        counts().reduce((sum, count) => sum + count, 0),
        251,
      );
      for (const slice of full)
        assert.equal(
          s.must(endpointSlices, slice.metadata?.name ?? '').metadata?.resourceVersion,
          slice.metadata?.resourceVersion,
        );
    }, alone));

  it('5, 6: show readiness and termination in place', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      for (const name of ['a', 'b', 'c']) await runPod(s, name, { spec: { terminationGracePeriodSeconds: 60 } });
      await s.advance(5);
      const before = slicesOf(s)[0]?.metadata?.name;
      await setReady(s, 'b', false);
      await s.delete(pods, 'c');
      await s.advance(5);
      assert.deepEqual(shown(s), ['a:true/true/false', 'b:false/false/false', 'c:false/true/true']);
      assert.deepEqual(
        slicesOf(s).map((slice) => slice.metadata?.name),
        [before],
      );
    }, alone));

  it('8: reserved labels of the Service are not taken over', () =>
    scenario(async (s) => {
      const labels = {
        'endpointslice.kubernetes.io/managed-by': 'evil',
        'kubernetes.io/service-name': 'other',
        team: 'a',
      };
      await s.create(services, {
        ...newService('web', { app: 'web' }),
        metadata: { name: 'web', namespace: 'default', labels },
      });
      await s.advance(5);
      assert.deepEqual(slicesOf(s)[0]?.metadata?.labels, {
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': 'web',
        team: 'a',
      });
    }, alone));

  it('9: another port reuses the slice', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await s.advance(5);
      const uid = slicesOf(s)[0]?.metadata?.uid;
      await s.merge(services, 'web', { spec: { ports: [{ name: 'http', port: 81, protocol: 'TCP' }] } });
      await s.advance(5);
      assert.deepEqual(
        slicesOf(s).map((slice) => [slice.metadata?.uid, slice.ports?.[0]?.port]),
        [[uid, 81]],
      );
    }, alone));

  it('12: a pod on a node that is not there is left out until it is', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await runPod(s, 'b', { node: 'late' });
      await s.advance(5);
      assert.deepEqual(shown(s), ['a:true/true/false']);
      await withNode(s, 'late', { 'topology.kubernetes.io/zone': 'z' });
      await s.advance(120);
      assert.deepEqual(shown(s).toSorted(), ['a:true/true/false', 'b:true/true/false']);
      const [late] = slicesOf(s)
        .flatMap((slice) => slice.endpoints ?? [])
        .filter((each) => each.nodeName === 'late');
      assert.equal(late?.zone, 'z');
    }, alone));

  it('13: one that was deleted or edited by hand is put right, a second later', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'a');
      await s.advance(5);
      const name = slicesOf(s)[0]?.metadata?.name ?? '';
      await s.merge(endpointSlices, name, { endpoints: [] });
      await s.advance(3);
      assert.deepEqual(shown(s), ['a:true/true/false']);
      await s.delete(endpointSlices, name);
      await s.advance(3);
      assert.deepEqual(shown(s), ['a:true/true/false']);
    }, alone));

  it('17: traffic distribution gives hints, and its end takes them', () =>
    scenario(async (s) => {
      await withNode(s, 'n', { 'topology.kubernetes.io/zone': 'z' });
      await s.create(services, newService('web', { app: 'web' }, { trafficDistribution: 'PreferClose' }));
      await runPod(s, 'a');
      await s.advance(5);
      const hints = (): unknown => slicesOf(s)[0]?.endpoints?.[0]?.hints;
      assert.deepEqual(hints(), { forZones: [{ name: 'z' }] });
      await s.merge(services, 'web', { spec: { trafficDistribution: null } });
      await s.advance(5);
      assert.equal(hints(), undefined);
    }, alone));

  it('20: a pod that moves from one Service to another moves in both', () =>
    scenario(async (s) => {
      await withNode(s);
      for (const name of ['web', 'api']) await s.create(services, newService(name, { app: name }));
      await runPod(s, 'a');
      await s.advance(5);
      await s.merge(pods, 'a', { metadata: { labels: { app: 'api' } } });
      await s.advance(5);
      assert.deepEqual([ready(s), ready(s, 'api')], [[], ['a']]);
      assert.deepEqual([shown(s), shown(s, 'api')], [[], ['a:true/true/false']]);
    }, alone));

  it('B18: a pod that has ended and a new one of the same address are told apart', () =>
    scenario(async (s) => {
      await withNode(s);
      await s.create(services, newService('web', { app: 'web' }));
      await runPod(s, 'old', { ip: '10.1.0.9' });
      await s.advance(5);
      await s.merge(pods, 'old', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      await runPod(s, 'new', { ip: '10.1.0.9' });
      await s.advance(5);
      assert.deepEqual([ready(s), shown(s)], [['new'], ['new:true/true/false']]);
      await s.delete(pods, 'old', { gracePeriodSeconds: 0 });
      await s.advance(5);
      assert.deepEqual([ready(s), shown(s)], [['new'], ['new:true/true/false']]);
    }, alone));
});

describe('mirrored EndpointSlices', () => {
  it('11.4: follow what users keep by hand, until it is not to be mirrored', () =>
    scenario(async (s) => {
      await s.create(services, newService('own', undefined));
      await s.create(endpoints, {
        metadata: { name: 'own', namespace: 'default', annotations: { note: 'x' } },
        subsets: [
          {
            addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }],
            notReadyAddresses: [{ ip: '192.0.2.2' }],
            ports: [{ name: 'http', port: 1 }],
          },
          { addresses: [{ ip: '192.0.2.3' }], ports: [{ name: 'http', port: 2 }] },
        ],
      } as Endpoints);
      await s.advance(5);
      const mirrored = (): readonly string[] =>
        slicesOf(s, 'own')
          .map(
            (slice) =>
              `${slice.addressType} ${slice.ports?.[0]?.port} ${(slice.endpoints ?? []).map((each) => `${each.addresses[0]}:${each.conditions?.ready}`).join()}`,
          )
          .toSorted();
      assert.deepEqual(mirrored(), [
        'IPv4 1 192.0.2.1:true,192.0.2.2:false',
        'IPv4 2 192.0.2.3:true',
        'IPv6 1 2001:db8::1:true',
      ]);
      assert.equal(slicesOf(s, 'own')[0]?.metadata?.annotations?.['note'], 'x');
      await s.delete(endpointSlices, slicesOf(s, 'own')[0]?.metadata?.name ?? '');
      await s.advance(5);
      assert.equal(mirrored().length, 3);
      await s.merge(endpoints, 'own', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } });
      await s.advance(5);
      assert.deepEqual(mirrored(), []);
    }, alone));

  it('7: are cut at a thousand addresses a subset, with a word about it', () =>
    scenario(async (s) => {
      await s.create(services, newService('own', undefined));
      const addresses = Array.from({ length: 1001 }, (_, index) => ({ ip: `192.0.${index >> 8}.${index & 255}` }));
      await s.create(endpoints, {
        metadata: { name: 'own', namespace: 'default' },
        subsets: [{ addresses }],
      } as Endpoints);
      await s.advance(5);
      assert.equal(slicesOf(s, 'own').flatMap((slice) => slice.endpoints ?? []).length, 1000);
      assert.deepEqual(s.events('TooManyAddressesToMirror'), [
        'Warning A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped',
      ]);
    }, alone));
});
