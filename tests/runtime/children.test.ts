// Declarative children against the real API server, in virtual time: made, changed, rolled, adopted, let go, deleted, and told of in the
// parent's status.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deployment } from '@homeostat/api/types/apps-v1';
import type { ConfigMap, Namespace, Secret } from '@homeostat/api/types/core-v1';
import { keyOf } from '@homeostat/client';
import { configMaps, deployments, namespaces, secrets } from '@homeostat/client/resources';
import { labelSelectorAsSelector } from '@homeostat/machinery';
import {
  type ChildKind,
  type ChildrenDefinition,
  controllerOf,
  createOrUpdate,
  defineChildren,
  desired,
  isIdle,
  type UpdateStrategy,
} from '@homeostat/runtime';
import { createTestCluster, type TestCluster } from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';
import { controllerComponent } from './fixtures/controller-component.ts';

/** A Deployment wants `replicas` ConfigMaps that hold its `version` annotation. */
const family = (kind: Partial<ChildKind<ConfigMap>> = {}, more: object = {}): ChildrenDefinition<Deployment> => ({
  name: 'family',
  for: { resource: deployments },
  kinds: [{ resource: configMaps, ...kind }],
  children: ({ parent }) =>
    Array.from({ length: parent.spec?.replicas ?? 0 }, (_, at) =>
      desired<ConfigMap>(configMaps, {
        metadata: { name: `${parent.metadata?.name}-${at}`, labels: { app: parent.metadata?.name ?? '' } },
        data: { ...parent.metadata?.annotations },
      }),
    ),
  status: ({ parent, children }) => ({
    observedGeneration: parent.metadata?.generation ?? 0,
    replicas: children(configMaps).length,
  }),
  ...more,
});

async function withFamily(
  definition: ChildrenDefinition<Deployment>,
  test: (cluster: TestCluster, pass: Pass) => Promise<void>,
): Promise<void> {
  const { component, controllers, runs } = controllerComponent(defineChildren(definition));
  await using cluster = await createTestCluster({ controllerManagers: false, components: [component] });
  await test(cluster, {
    maps: () =>
      cluster
        .list(configMaps, 'default')
        .filter(({ metadata }) => metadata?.name !== 'kube-root-ca.crt')
        .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1)),
    versions() {
      return this.maps().map(({ metadata, data }) => `${metadata?.name}:${data?.['version']}`);
    },
    setVersion: (version) =>
      cluster.run(
        cluster.admin.patch(deployments, {
          namespace: 'default',
          name: 'web',
          type: 'merge',
          patch: { metadata: { annotations: { version } } },
        }),
      ),
    isIdle: () =>
      controllers.every((controller) =>
        controller.keys().every((key) => isIdle(controller.plan(key) ?? { steps: [] })),
      ),
    failures: () => runs.flatMap(({ error }) => (error === undefined ? [] : [error.message])),
  });
}

interface Pass {
  maps(): readonly ConfigMap[];
  versions(): readonly string[];
  setVersion(version: string): Promise<unknown>;
  isIdle(): boolean;
  failures(): readonly string[];
}

const start = async (cluster: TestCluster, replicas = 3): Promise<Deployment> => {
  const object = newDeployment('web', { replicas, annotations: { version: '1' } });
  const made = await cluster.run(cluster.admin.create(deployments, { object }));
  await cluster.advance(1_000);
  return made;
};

for (const method of ['apply', 'merge'] as const) {
  describe(`children by ${method}`, () => {
    it('are made, changed, repaired and deleted; fields of others stay; the status follows', () =>
      withFamily(family({ method }), async (cluster, { maps, versions, setVersion, isIdle, failures }) => {
        const parent = await start(cluster);
        assert.deepEqual(versions.call({ maps }), ['web-0:1', 'web-1:1', 'web-2:1']);
        assert.ok(maps().every((map) => controllerOf(map)?.uid === parent.metadata?.uid));
        assert.deepEqual(cluster.get(deployments, 'default', 'web')?.status, { observedGeneration: 1, replicas: 3 });

        const patch = (name: string, body: object) =>
          cluster.run(
            cluster.admin.patch(configMaps, { namespace: 'default', name, type: 'merge', patch: body as never }),
          );
        await patch('web-0', { data: { mine: 'x', version: 'spoiled' } });
        await cluster.advance(1_000);
        assert.deepEqual(maps()[0]?.data, { mine: 'x', version: '1' });

        await cluster.run(
          cluster.admin.patch(deployments, {
            namespace: 'default',
            name: 'web',
            type: 'merge',
            patch: { metadata: { annotations: { version: null, other: 'y' } }, spec: { replicas: 2 } },
          }),
        );
        await cluster.advance(1_000);
        assert.deepEqual(
          maps().map(({ data }) => data),
          [{ mine: 'x', other: 'y' }, { other: 'y' }],
          'what is no longer desired is taken away',
        );
        assert.equal(cluster.get(deployments, 'default', 'web')?.status?.replicas, 2);

        await cluster.run(cluster.admin.delete(configMaps, { namespace: 'default', name: 'web-1' }));
        await cluster.advance(1_000);
        assert.equal(maps().length, 2, 'made again');
        await setVersion('2');
        await cluster.advance(1_000);
        assert.ok(isIdle());
        assert.deepEqual(failures(), []);
      }));
  });
}

describe('update strategies', () => {
  const isReady = (map: ConfigMap): boolean => map.metadata?.annotations?.['ready'] === 'true';
  const markReady = async (cluster: TestCluster, maps: readonly ConfigMap[]): Promise<void> => {
    for (const { metadata } of maps) {
      await cluster.run(
        cluster.admin.patch(configMaps, {
          namespace: 'default',
          name: metadata?.name ?? '',
          type: 'merge',
          patch: { metadata: { annotations: { ready: 'true' } } },
        }),
      );
    }
    await cluster.advance(1_000);
  };
  const rolling = (
    type: 'RollingRecreate' | 'RollingInPlace',
    maxUnavailable: number | '50%',
  ): UpdateStrategy<ConfigMap> => ({
    type,
    maxUnavailable,
    isReady,
  });

  it('OnDelete leaves children until somebody deletes them', () =>
    withFamily(family({ update: { type: 'OnDelete' } }), async (cluster, pass) => {
      await start(cluster);
      await pass.setVersion('2');
      await cluster.advance(1_000);
      assert.deepEqual(pass.versions(), ['web-0:1', 'web-1:1', 'web-2:1']);
      await cluster.run(cluster.admin.delete(configMaps, { namespace: 'default', name: 'web-1' }));
      await cluster.advance(1_000);
      assert.deepEqual(pass.versions(), ['web-0:1', 'web-1:2', 'web-2:1']);
      assert.ok(pass.isIdle());
    }));

  it('Recreate deletes all of them at once; a difference that others made does not count', () =>
    withFamily(family({ update: { type: 'Recreate' } }), async (cluster, pass) => {
      await start(cluster);
      const before = new Set(pass.maps().map(({ metadata }) => metadata?.uid));
      await cluster.run(
        cluster.admin.patch(configMaps, {
          namespace: 'default',
          name: 'web-0',
          type: 'merge',
          patch: { data: { version: 'x' } },
        }),
      );
      await cluster.advance(1_000);
      assert.ok(pass.maps().every(({ metadata }) => before.has(metadata?.uid)));
      await pass.setVersion('2');
      await cluster.advance(1_000);
      assert.deepEqual(pass.versions(), ['web-0:2', 'web-1:2', 'web-2:2']);
      assert.ok(pass.maps().every(({ metadata }) => !before.has(metadata?.uid)));
    }));

  it('RollingRecreate keeps to maxUnavailable, and waits for readiness', () =>
    withFamily(family({ update: rolling('RollingRecreate', 1) }), async (cluster, pass) => {
      await start(cluster);
      await markReady(cluster, pass.maps());
      await pass.setVersion('2');
      await cluster.advance(60_000);
      assert.deepEqual(pass.versions(), ['web-0:2', 'web-1:1', 'web-2:1']);
      await markReady(cluster, pass.maps().slice(0, 1));
      assert.deepEqual(pass.versions(), ['web-0:2', 'web-1:2', 'web-2:1']);
      await markReady(cluster, pass.maps().slice(1, 2));
      assert.deepEqual(pass.versions(), ['web-0:2', 'web-1:2', 'web-2:2']);
    }));

  it('RollingInPlace takes a share, and the ones that are down anyway first', () =>
    withFamily(family({ update: rolling('RollingInPlace', '50%') }), async (cluster, pass) => {
      await start(cluster, 4);
      await markReady(cluster, pass.maps().slice(0, 3));
      await pass.setVersion('2');
      await cluster.advance(1_000);
      // One is down, so one more may be; being changed does not make a map unready, so the roll goes on to its end.
      assert.deepEqual(pass.versions(), ['web-0:2', 'web-1:2', 'web-2:2', 'web-3:2']);
      assert.ok(pass.isIdle());
    }));
});

describe('claims of children', () => {
  const selecting = family(
    {},
    {
      selector: (parent: Deployment) => labelSelectorAsSelector({ matchLabels: { app: parent.metadata?.name ?? '' } }),
    },
  );

  it('adopt orphans the selector selects, delete those that are not desired, and let go of those it selects no more', () =>
    withFamily(selecting, async (cluster, pass) => {
      const orphan = (name: string, app: string): ConfigMap => ({
        metadata: { name, namespace: 'default', labels: { app } },
      });
      for (const object of [orphan('web-0', 'web'), orphan('extra', 'web'), orphan('foreign', 'other')])
        await cluster.run(cluster.admin.create(configMaps, { object }));
      const { metadata } = await start(cluster, 1);
      assert.deepEqual(pass.versions(), ['foreign:undefined', 'web-0:1']);
      assert.equal(controllerOf(pass.maps()[1] ?? {})?.uid, metadata?.uid);
      const patch = { metadata: { labels: { app: 'mine' } } };
      await cluster.run(cluster.admin.patch(configMaps, { namespace: 'default', name: 'web-0', type: 'merge', patch }));
      await cluster.advance(1_000);
      assert.equal(controllerOf(cluster.get(configMaps, 'default', 'web-0') ?? {}), undefined);
      assert.match(
        pass.failures().at(-1) ?? '',
        /NameTaken: ConfigMap default\/web-0 exists and is not a child of this parent/,
      );
    }));

  it('take nothing that is not theirs, and nothing for a parent that is being deleted', () =>
    withFamily(family(), async (cluster, pass) => {
      const object: ConfigMap = { metadata: { name: 'web-0', namespace: 'default' }, data: { version: 'theirs' } };
      await cluster.run(cluster.admin.create(configMaps, { object }));
      await start(cluster, 2);
      assert.deepEqual(pass.versions(), ['web-0:theirs', 'web-1:1']);
      await cluster.run(
        cluster.admin.delete(deployments, { namespace: 'default', name: 'web', propagationPolicy: 'Foreground' }),
      );
      await cluster.run(cluster.admin.delete(configMaps, { namespace: 'default', name: 'web-1' }));
      await cluster.advance(10_000);
      assert.deepEqual(pass.versions(), ['web-0:theirs']);
    }));
});

describe('children of a cluster-scoped parent', () => {
  it('live in namespaces: every namespace with the label gets a copy of the source, also when the source changes', async () => {
    const source = 'default/source';
    const copies = defineChildren<Namespace>({
      name: 'copies',
      for: { resource: namespaces },
      kinds: [
        {
          resource: configMaps,
          wakes: (change, caches) =>
            keyOf(change.object) === source ? caches.lister(namespaces).list().map(keyOf) : [],
        },
      ],
      children({ parent, caches }) {
        const from = caches.lister(configMaps).getByKey(source);
        if (from === undefined || parent.metadata?.labels?.['copy'] !== 'true') return [];
        const metadata = { name: 'copy', namespace: parent.metadata.name ?? '' };
        return [desired<ConfigMap>(configMaps, { metadata, data: { ...from.data } })];
      },
    });
    const { component } = controllerComponent(copies);
    await using cluster = await createTestCluster({ controllerManagers: false, components: [component] });
    const { admin } = cluster;
    const put = (data: Readonly<Record<string, string>>) =>
      cluster.run(
        createOrUpdate(admin, {
          resource: configMaps,
          namespace: 'default',
          name: 'source',
          mutate: (object) => ({ ...object, data }),
        }),
      );
    await put({ v: '1' });
    for (const [name, copy] of Object.entries({ a: 'true', b: 'true', c: 'false' }))
      await cluster.run(admin.create(namespaces, { object: { metadata: { name, labels: { copy } } } }));
    await cluster.advance(1_000);
    const shown = () => ['a', 'b', 'c'].map((name) => cluster.get(configMaps, name, 'copy')?.data?.['v']);
    assert.deepEqual(shown(), ['1', '1', undefined]);
    await put({ v: '2' });
    await cluster.advance(1_000);
    assert.deepEqual(shown(), ['2', '2', undefined]);
    const patch = { metadata: { labels: { copy: 'false' } } };
    await cluster.run(admin.patch(namespaces, { name: 'a', type: 'merge', patch }));
    await cluster.advance(1_000);
    assert.deepEqual(shown(), [undefined, '2', undefined]);
  });
});

describe('desired children that can not be', () => {
  const cases: readonly (readonly [string, ChildrenDefinition<Deployment>['children'], RegExp])[] = [
    [
      'one name twice',
      () => [1, 2].map(() => desired<ConfigMap>(configMaps, { metadata: { name: 'x' } })),
      /desires ConfigMap default\/x twice/,
    ],
    [
      'a name that is generated',
      () => [desired<ConfigMap>(configMaps, { metadata: { generateName: 'x-' } })],
      /desires a ConfigMap without a name; generateName won't do for children/,
    ],
    [
      'a kind that is not declared',
      () => [desired<Secret>(secrets, { metadata: { name: 'x' } })],
      /desires secrets.v1. but does not declare it/,
    ],
    [
      'another namespace',
      () => [desired<ConfigMap>(configMaps, { metadata: { name: 'x', namespace: 'kube-system' } })],
      /cross-namespace owner references are disallowed/,
    ],
  ];
  for (const [name, children, message] of cases) {
    it(`${name}: nothing is done, and the error is told`, () =>
      withFamily(family({}, { children }), async (cluster, pass) => {
        await start(cluster);
        assert.match(pass.failures()[0] ?? '', message);
        assert.deepEqual(pass.maps(), []);
      }));
  }
});
