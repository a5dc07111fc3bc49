// The volume plugins: which nodes can have a pod's volumes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@homeostat/api/types/core-v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '@homeostat/api/types/storage-v1';
import type { KubeObject } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttachments,
} from '@homeostat/client/resources';
import type { NodeInfo } from '../../cache/node-info.ts';
import { actions } from '../../framework/cluster-event.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import type { Plugin, PluginHandle } from '../../framework/plugin.ts';
import {
  describe as say,
  filterWith,
  hintOf,
  newHandle,
  newNode,
  newNodeInfo,
  newPod,
  newPodInfo,
  type PodParts,
} from '../../test-objects.ts';
import { AssumedObjects } from './assumed-objects.ts';
import { createNodeVolumeLimits } from './node-volume-limits.ts';
import { createVolumeBinding } from './volume-binding.ts';
import { createVolumeRestrictions } from './volume-restrictions.ts';
import { createVolumeZone } from './volume-zone.ts';

const claimVolume = (claimName: string): Volume => ({ name: claimName, persistentVolumeClaim: { claimName } });
const using = (...volumes: Volume[]): PodParts => ({ spec: { volumes } });
const claim = (
  name: string,
  spec: PersistentVolumeClaim['spec'] = {},
  more: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim => ({
  ...more,
  metadata: { name, namespace: 'default', uid: `uid-${name}`, ...more.metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const bound = (name: string, volumeName: string, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim =>
  claim(name, { volumeName, ...spec }, { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } });
const volume = (
  name: string,
  spec: PersistentVolume['spec'] = {},
  labels: Record<string, string> = {},
): PersistentVolume => ({
  metadata: { name, labels },
  spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  status: { phase: 'Available' },
});
const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner: 'csi.example.com',
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});
const onlyOn = (zone: string): PersistentVolume['spec'] => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
  },
});
const node = (name: string, pods: readonly Pod[] = [], labels: Record<string, string> = { zone: name }): NodeInfo =>
  newNodeInfo(newNode(name, { labels }), pods);

interface Known {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly attachments?: readonly VolumeAttachment[];
  readonly drivers?: readonly CSIDriver[];
  readonly capacities?: readonly CSIStorageCapacity[];
}

function handleFor(known: Known, nodes: readonly NodeInfo[] = []): PluginHandle {
  const objects: readonly (readonly [ResourceType, readonly KubeObject[]])[] = [
    [persistentVolumeClaims, known.claims ?? []],
    [persistentVolumes, known.volumes ?? []],
    [storageClasses, known.classes ?? []],
    [csiNodes, known.csiNodes ?? []],
    [volumeAttachments, known.attachments ?? []],
    [csiDrivers, known.drivers ?? []],
    [csiStorageCapacities, known.capacities ?? []],
  ];
  return newHandle({ nodes, objects });
}

interface Case {
  readonly what: string;
  readonly asks: PodParts;
  readonly known?: Known;
  readonly nodes?: readonly NodeInfo[];
  readonly says: readonly string[];
}

function table(create: (handle: PluginHandle) => Plugin, cases: readonly Case[]): void {
  for (const { what, asks, known = {}, nodes = [node('a')], says } of cases) {
    it(`judges ${what}`, () => {
      const plugin = create(handleFor(known, nodes));
      assert.deepEqual(
        nodes.map((each) => filterWith(plugin, newPodInfo('p', asks), each, nodes)),
        says,
      );
    });
  }
}

const never = (text: string): string => `UnschedulableAndUnresolvable: ${text}`;

describe('VolumeRestrictions', () => {
  const disk = (pdName: string, readOnly = false): Volume => ({ name: 'd', gcePersistentDisk: { pdName, readOnly } });
  const exclusive = claim('c', { accessModes: ['ReadWriteOncePod'] });
  const inUse =
    'Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
  table(createVolumeRestrictions, [
    { what: 'no volumes', asks: {}, says: ['Skip'] },
    {
      what: 'a missing claim',
      asks: using(claimVolume('missing')),
      says: [never('persistentvolumeclaim "missing" not found')],
    },
    { what: 'a claim many may use', asks: using(claimVolume('c')), known: { claims: [claim('c')] }, says: ['Skip'] },
    {
      what: 'a claim that another pod has to itself',
      asks: using(claimVolume('c')),
      known: { claims: [exclusive] },
      nodes: [node('a', [newPod('o', using(claimVolume('c')))]), node('b')],
      says: [inUse, inUse],
    },
    {
      what: 'a disk that is mounted',
      asks: using(disk('x')),
      nodes: [node('a', [newPod('o', using(disk('x')))]), node('b', [newPod('o2', using(disk('y')))])],
      says: ['Unschedulable: node(s) had no available disk', 'Success'],
    },
    {
      what: 'a disk that everybody reads',
      asks: using(disk('x', true)),
      nodes: [node('a', [newPod('o', using(disk('x', true)))])],
      says: ['Success'],
    },
  ]);

  it('lets preemption of the other user help', () => {
    const user = newPod('o', using(claimVolume('c')));
    const nodes = [node('a', [user])];
    const plugin = createVolumeRestrictions(handleFor({ claims: [exclusive] }, nodes));
    const [a] = nodes;
    assert.ok(a !== undefined);
    const asking = newPodInfo('p', using(claimVolume('c')));
    const state = new CycleState();
    plugin.preFilter?.(state, asking, nodes);
    const what = state.clone();
    plugin.preFilterExtensions?.removePod(what, asking, { pod: newPodInfo('o', using(claimVolume('c'))), node: a });
    assert.deepEqual(
      [say(plugin.filter?.(what, asking, a)), say(plugin.filter?.(state, asking, a))],
      ['Success', inUse],
    );
  });
});

describe('VolumeBinding', () => {
  const wait = {
    classes: [storageClass('wait', { provisioner: 'kubernetes.io/no-provisioner' }), storageClass('csi')],
  };
  const waiting = claim('c', { storageClassName: 'wait' });
  const provisioned = claim('c', { storageClassName: 'csi' });
  const asks = using(claimVolume('c'));
  const noVolumes = never("node(s) didn't find available persistent volumes to bind");
  const noSpace = never('node(s) did not have enough free storage');
  const driver: CSIDriver = { metadata: { name: 'csi.example.com' }, spec: { storageCapacity: true } };
  const capacity = (size: string): CSIStorageCapacity => ({
    metadata: { name: 'x' },
    storageClassName: 'csi',
    capacity: size,
    nodeTopology: { matchLabels: { zone: 'a' } },
  });
  table(createVolumeBinding, [
    { what: 'no volumes', asks: {}, says: ['Skip'] },
    {
      what: 'a missing claim',
      asks: using(claimVolume('missing')),
      says: [never('persistentvolumeclaim "missing" not found')],
    },
    {
      what: 'the claim of an ephemeral volume that is not there yet',
      asks: using({ name: 'v', ephemeral: {} }),
      says: [never('waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"')],
    },
    {
      what: "somebody else's claim",
      asks: using({ name: 'v', ephemeral: {} }),
      known: { claims: [claim('p-v')] },
      says: [never('PVC default/p-v was not created for pod default/p (pod is not owner)')],
    },
    {
      what: 'a lost claim',
      asks,
      known: { claims: [{ ...claim('c', { volumeName: 'v' }), status: { phase: 'Lost' } }] },
      says: [never('persistentvolumeclaim "c" bound to non-existent persistentvolume "v"')],
    },
    {
      what: 'a claim that is going',
      asks,
      known: { claims: [claim('c', {}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
      says: [never('persistentvolumeclaim "c" is being deleted')],
    },
    {
      what: 'a claim that should be bound already',
      asks,
      known: { claims: [claim('c')] },
      says: [never('pod has unbound immediate PersistentVolumeClaims')],
    },
    {
      what: 'a bound claim',
      asks,
      known: { claims: [bound('c', 'v')], volumes: [volume('v', onlyOn('a'))] },
      nodes: [node('a'), node('b')],
      says: ['Success', never("node(s) didn't match PersistentVolume's node affinity")],
    },
    {
      what: 'a bound claim whose volume has gone',
      asks,
      known: { claims: [bound('c', 'v')] },
      says: [never('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')],
    },
    { what: 'nothing to bind to', asks, known: { ...wait, claims: [waiting] }, says: [noVolumes] },
    {
      what: 'a volume in one zone',
      asks,
      known: { ...wait, claims: [waiting], volumes: [volume('v', { storageClassName: 'wait', ...onlyOn('b') })] },
      nodes: [node('a'), node('b')],
      says: [noVolumes, 'Success'],
    },
    { what: 'a volume to be made', asks, known: { ...wait, claims: [provisioned] }, says: ['Success'] },
    {
      what: 'a volume to be made elsewhere',
      asks,
      known: {
        ...wait,
        claims: [
          claim(
            'c',
            { storageClassName: 'csi' },
            { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'b' } } },
          ),
        ],
      },
      nodes: [node('a'), node('b')],
      says: [noVolumes, 'Success'],
    },
    {
      what: 'a class that is not for everywhere',
      asks,
      known: {
        claims: [provisioned],
        classes: [
          storageClass('csi', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['b'] }] }] }),
        ],
      },
      nodes: [node('a'), node('b')],
      says: [noVolumes, 'Success'],
    },
    {
      what: 'a driver that has said nothing of its room',
      asks,
      known: { ...wait, claims: [provisioned], drivers: [driver] },
      says: [noSpace],
    },
    {
      what: 'a driver that has room in one zone',
      asks,
      known: { ...wait, claims: [provisioned], drivers: [driver], capacities: [capacity('2Gi')] },
      nodes: [node('a'), node('b')],
      says: ['Success', noSpace],
    },
    {
      what: 'a driver that has too little',
      asks,
      known: { ...wait, claims: [provisioned], drivers: [driver], capacities: [capacity('512Mi')] },
      says: [noSpace],
    },
  ]);

  it('keeps a volume for the pod that got it first', () => {
    const known = {
      ...wait,
      claims: [waiting, claim('d', { storageClassName: 'wait' })],
      volumes: [volume('v', { storageClassName: 'wait' })],
    };
    const nodes = [node('a')];
    const plugin = createVolumeBinding(handleFor(known, nodes));
    const state = new CycleState();
    const first = newPodInfo('p', asks);
    plugin.preFilter?.(state, first, nodes);
    const [a] = nodes;
    assert.ok(a !== undefined);
    assert.equal(plugin.filter?.(state, first, a), undefined);
    const placement = {
      pod: first,
      nodeName: 'a',
      signal: new AbortController().signal,
      kill: new AbortController().signal,
    };
    assert.equal(plugin.reserve?.(state, placement), undefined);
    assert.equal(plugin.preBindPreFlight?.(state, placement), undefined, 'there is something to bind');
    const second = (): string => filterWith(plugin, newPodInfo('q', using(claimVolume('d'))), a, nodes);
    assert.equal(second(), noVolumes);
    plugin.unreserve?.(state, placement);
    assert.equal(second(), 'Success');
  });
});

describe('VolumeZone', () => {
  const zoneKey = 'topology.kubernetes.io/zone';
  const refused = never('node(s) had no available volume zone');
  const asks = using(claimVolume('c'));
  const nodes = [node('a', [], { [zoneKey]: 'a' }), node('b', [], { [zoneKey]: 'b' }), node('c', [], {})];
  table(createVolumeZone, [
    {
      what: 'a volume without a zone',
      asks,
      known: { claims: [bound('c', 'v')], volumes: [volume('v')] },
      says: ['Skip'],
    },
    {
      what: 'a volume of one zone',
      asks,
      known: { claims: [bound('c', 'v')], volumes: [volume('v', {}, { [zoneKey]: 'a' })] },
      nodes,
      says: ['Success', refused, 'Success'],
    },
    {
      what: 'a volume of two zones',
      asks,
      known: { claims: [bound('c', 'v')], volumes: [volume('v', {}, { [zoneKey]: 'a__b' })] },
      nodes,
      says: ['Success', 'Success', 'Success'],
    },
    {
      what: 'the old name of a zone',
      asks,
      known: {
        claims: [bound('c', 'v')],
        volumes: [volume('v', {}, { 'failure-domain.beta.kubernetes.io/zone': 'a' })],
      },
      nodes,
      says: ['Success', refused, 'Success'],
    },
    {
      what: 'a claim that waits',
      asks,
      known: { claims: [claim('c', { storageClassName: 'w' })], classes: [storageClass('w')] },
      says: ['Skip'],
    },
    {
      what: 'a claim without class and volume',
      asks,
      known: { claims: [claim('c')] },
      says: [never('PersistentVolumeClaim had no pv name and storageClass name')],
    },
    {
      what: 'a class that is missing',
      asks,
      known: { claims: [claim('c', { storageClassName: 'w' })] },
      says: [never('storageclass.storage.k8s.io "w" not found')],
    },
    {
      what: 'a volume that is missing',
      asks,
      known: { claims: [bound('c', 'v')] },
      says: [never('persistentvolume "v" not found')],
    },
  ]);
});

describe('NodeVolumeLimits', () => {
  const csi = (handle: string): PersistentVolume['spec'] => ({
    csi: { driver: 'csi.example.com', volumeHandle: handle },
  });
  const limit = (name: string, count: number): CSINode => ({
    metadata: { name },
    spec: { drivers: [{ name: 'csi.example.com', nodeID: name, topologyKeys: [], allocatable: { count } }] },
  });
  const known: Known = {
    claims: [bound('c', 'v'), bound('d', 'w')],
    volumes: [volume('v', csi('h1')), volume('w', csi('h2'))],
    csiNodes: [limit('a', 1)],
  };
  const tooMany = 'Unschedulable: node(s) exceed max volume count';
  const user = (name: string): Pod => newPod(`user-of-${name}`, using(claimVolume(name)));
  table(createNodeVolumeLimits, [
    { what: 'no volumes', asks: {}, says: ['Skip'] },
    {
      what: 'a missing claim',
      asks: using(claimVolume('m')),
      says: [never('looking up PVC default/m: persistentvolumeclaim "m" not found')],
    },
    { what: 'the first volume', asks: using(claimVolume('c')), known, says: ['Success'] },
    {
      what: 'one too many',
      asks: using(claimVolume('c')),
      known,
      nodes: [node('a', [user('d')]), node('b', [user('d')])],
      says: [tooMany, 'Success'],
    },
    {
      what: 'the same volume again',
      asks: using(claimVolume('c')),
      known,
      nodes: [node('a', [user('c')])],
      says: ['Success'],
    },
    {
      what: 'a volume that is to be made',
      asks: using(claimVolume('n')),
      known: {
        ...known,
        claims: [claim('n', { storageClassName: 's' }), bound('d', 'w')],
        classes: [storageClass('s')],
      },
      nodes: [node('a', [user('d')])],
      says: [tooMany],
    },
  ]);

  it('asks for another try when a limit grows', () => {
    const plugin = createNodeVolumeLimits(handleFor(known));
    const hint = (from: number, to: number): string =>
      hintOf(plugin, newPodInfo('p', using(claimVolume('c'))), {
        resource: 'storage.k8s.io/CSINode',
        action: actions.updateOther,
        old: limit('a', from),
        now: limit('a', to),
      });
    assert.deepEqual([hint(1, 2), hint(2, 2), hint(2, 1)], ['Queue', 'Skip', 'Skip']);
  });
});

describe('AssumedObjects', () => {
  it('shows decisions until the informer shows something newer', () => {
    let live: KubeObject = { metadata: { name: 'v', resourceVersion: '1' } };
    const objects = new AssumedObjects<KubeObject>({
      size: 1,
      get: () => live,
      getByKey: () => live,
      list: () => [live],
      byIndex: () => [],
    });
    const decided = { metadata: { name: 'v', resourceVersion: '1', labels: { decided: 'yes' } } };
    objects.assume(decided);
    assert.equal(objects.get(undefined, 'v'), decided);
    const written = { metadata: { ...decided.metadata, resourceVersion: '2' } };
    objects.confirm(written);
    assert.equal(objects.get(undefined, 'v'), written);
    live = { metadata: { name: 'v', resourceVersion: '2' } };
    assert.equal(objects.get(undefined, 'v'), live);
    objects.assume({ metadata: { name: 'v', resourceVersion: '2' } });
    live = { metadata: { name: 'v', resourceVersion: '3' } };
    assert.deepEqual(objects.list(), [live]);
  });
});
