// Volumes that wait for their first consumer, from the choice of a node to the bound pod; the test plays the binder of volumes.

import {
  persistentVolumeClaims as claims,
  persistentVolumes as volumes,
  storageClasses as classes,
} from '@homeostat/client/resources';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionOf, namespace, type World, withWorld } from './fixture.ts';

const withClaim = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };

async function prepare(world: World, provisioner: string): Promise<void> {
  for (const zone of ['a', 'b']) await world.createNode(zone, { labels: { zone } });
  await world.run(
    world.client.create(classes, {
      object: { metadata: { name: 'wait' }, provisioner, volumeBindingMode: 'WaitForFirstConsumer' },
    }),
  );
  await world.run(
    world.client.create(claims, {
      object: {
        metadata: { name: 'c', namespace },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'wait', resources: { requests: { storage: '4Gi' } } },
      },
    }),
  );
}

async function createVolume(world: World, name: string, storage: string, zones: string[] = ['b']): Promise<void> {
  const { run, client } = world;
  const made = await run(
    client.create(volumes, {
      object: {
        metadata: { name },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'wait',
          local: { path: '/data' },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: zones }] }] },
          },
        },
      },
    }),
  );
  await run(client.updateStatus(volumes, { object: { ...made, status: { phase: 'Available' } } }));
}

/** What the binder of volumes does once the scheduler has decided. */
const completeBinding = (world: World, volumeName: string): Promise<unknown> =>
  world.run(
    world.client.patch(claims, {
      namespace,
      name: 'c',
      type: 'merge',
      patch: { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, spec: { volumeName } },
    }),
  );

describe('scheduler and volumes', () => {
  it('chooses the smallest volume and the node that can reach it, and binds when the claim is bound', () =>
    withWorld(async (world) => {
      await prepare(world, 'kubernetes.io/no-provisioner');
      await world.createPod('p', withClaim);
      assert.match(
        await world.refused('p'),
        /^0\/2 nodes are available: 2 node\(s\) didn't find available persistent volumes to bind\./,
      );
      await createVolume(world, 'large', '10Gi');
      await createVolume(world, 'small', '5Gi');
      const chosen = await world.until(
        async () => (await world.client.list(volumes)).items,
        (items) => items.some(({ spec }) => spec?.claimRef !== undefined),
      );
      const names = chosen.filter(({ spec }) => spec?.claimRef !== undefined).map(({ metadata }) => metadata?.name);
      assert.ok(names.length === 1);
      assert.equal((await world.pod('p')).status?.nominatedNodeName, 'b', 'told before the volume is bound');
      await completeBinding(world, names[0] ?? '');
      assert.equal(await world.bound('p'), 'b');
      assert.equal((await world.pod('p')).status?.nominatedNodeName, undefined);
    }));

  it('asks for a volume on the chosen node, and chooses again when it can not be made', () =>
    withWorld(async (world) => {
      await prepare(world, 'csi.example.com');
      await world.createPod('p', withClaim);
      const selected = 'volume.kubernetes.io/selected-node';
      const asked = await world.until(
        () => world.client.get(claims, { namespace, name: 'c' }),
        ({ metadata }) => metadata?.annotations?.[selected] !== undefined,
      );
      assert.ok(['a', 'b'].includes(asked.metadata?.annotations?.[selected] ?? ''));
      await world.run(
        world.client.patch(claims, {
          namespace,
          name: 'c',
          type: 'merge',
          patch: { metadata: { annotations: { [selected]: null, other: 'x' } } },
        }),
      );
      assert.match(
        await world.refused('p'),
        /^running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "c"$/,
      );
      assert.equal(conditionOf(await world.pod('p'))?.reason, 'SchedulerError');
      await world.until(
        () => world.client.get(claims, { namespace, name: 'c' }),
        ({ metadata }) => metadata?.annotations?.[selected] !== undefined,
      );
      await createVolume(world, 'made', '4Gi', ['a', 'b']);
      await completeBinding(world, 'made');
      await world.bound('p');
    }));
});
