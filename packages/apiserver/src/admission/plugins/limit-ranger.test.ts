import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitRangeItem, Pod } from '@homeostat/api/types/core-v1';
import type { KubeObject } from '@homeostat/machinery';
import { attributesOf, createFixtureHost } from '../admission-fixture.ts';
import { LimitRanger } from './limit-ranger.ts';

function rangerOf(...limits: LimitRangeItem[]): LimitRanger {
  const host = createFixtureHost();
  host.put('limitranges', { metadata: { name: 'r', namespace: 'x' }, spec: { limits } } as KubeObject);
  return new LimitRanger(host);
}

function pod(...resources: object[]): Pod {
  const containers = resources.map((each, index) => ({ name: `c${index}`, image: 'i', resources: each }));
  return { metadata: { name: 'p', namespace: 'x' }, spec: { containers } };
}

const defaults: LimitRangeItem = {
  type: 'Container',
  default: { cpu: '500m', memory: '256Mi' },
  defaultRequest: { cpu: '100m', memory: '256Mi' },
};

test('containers get what they do not state, and the Pod says so', async () => {
  const object = pod({ limits: { cpu: '2' }, requests: { cpu: '2' } }, {});
  await rangerOf(defaults).admit(attributesOf(object));
  assert.deepEqual(
    object.spec?.containers.map(({ resources }) => resources),
    [
      { limits: { cpu: '2', memory: '256Mi' }, requests: { cpu: '2', memory: '256Mi' } },
      { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
    ],
  );
  assert.equal(
    object.metadata?.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: memory request for container c0; memory limit for container c0; ' +
      'cpu, memory request for container c1; cpu, memory limit for container c1',
  );
});

test('a Pod that states everything is left alone', async () => {
  const object = pod({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } });
  const before = structuredClone(object);
  await rangerOf(defaults).admit(attributesOf(object));
  assert.deepEqual(object, before);
});

const bounds: readonly LimitRangeItem[] = [
  {
    type: 'Container',
    min: { cpu: '100m' },
    max: { cpu: '1' },
    maxLimitRequestRatio: { cpu: '2' },
  },
  { type: 'Pod', max: { cpu: '1500m' } },
];

const refusals: readonly (readonly [Pod, string])[] = [
  [
    pod({ requests: { cpu: '50m' }, limits: { cpu: '100m' } }),
    'minimum cpu usage per Container is 100m, but request is 50m',
  ],
  [
    pod({ requests: { cpu: '2' }, limits: { cpu: '2' } }),
    '[maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, but limit is 2]',
  ],
  [
    pod({ requests: { cpu: '100m' }, limits: { cpu: '900m' } }),
    'cpu max limit to request ratio per Container is 2, but provided ratio is 9.000000',
  ],
  [
    pod({ requests: { cpu: '1' }, limits: { cpu: '1' } }, { requests: { cpu: '1' }, limits: { cpu: '1' } }),
    'maximum cpu usage per Pod is 1500m, but limit is 2',
  ],
  [
    pod({}),
    '[minimum cpu usage per Container is 100m.  No request is specified, ' +
      'maximum cpu usage per Container is 1.  No limit is specified, ' +
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0, ' +
      'maximum cpu usage per Pod is 1500m.  No limit is specified]',
  ],
];

test('Pods out of bounds are refused with all that is wrong', async () => {
  const plugin = rangerOf(...bounds);
  for (const [object, text] of refusals) {
    await assert.rejects(plugin.validate(attributesOf(object)), { message: `pods "p" is forbidden: ${text}` });
  }
  await plugin.validate(attributesOf(pod({ requests: { cpu: '500m' }, limits: { cpu: '1' } })));
});

test('claims are held to the storage they may ask for', async () => {
  const plugin = rangerOf({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } });
  const ask = async (storage: string): Promise<void> =>
    plugin.validate(
      attributesOf(
        { metadata: { name: 'c', namespace: 'x' }, spec: { resources: { requests: { storage } } } } as KubeObject,
        {
          resource: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
        },
      ),
    );
  await assert.rejects(ask('512Mi'), /minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi/);
  await assert.rejects(ask('6Gi'), /maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi/);
  await ask('2Gi');
});

test('updates and other namespaces are not looked at', async () => {
  const plugin = rangerOf(...bounds);
  await plugin.validate(attributesOf(pod({}), { operation: 'UPDATE', oldObject: pod({}) }));
  const elsewhere = { ...pod({}), metadata: { name: 'p', namespace: 'y' } };
  await plugin.validate(attributesOf(elsewhere));
});
