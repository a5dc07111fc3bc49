// Badly written operators against the real API server: their loops are found and damped, and the cluster goes on working beside them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { toKey } from '@homeostat/client';
import { configMaps, deployments, secrets } from '@homeostat/client/resources';
import {
  type ControllerDefinition,
  controllerFor,
  type Finding,
  type PlanController,
  type RunRecord,
} from '@homeostat/runtime';
import { createTestCluster, type TestCluster } from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';
import { heldOperator } from './fixtures/held-operator.ts';

const name = 'shared';
const target = { resource: configMaps, namespace: 'default', name } as const;

/** Writes in every run, so that every run makes another. */
const restless: PlanController<ConfigMap> = {
  name: 'restless',
  for: { resource: configMaps, select: { namespace: 'default' } },
  observe: (key, caches) => (key === `default/${name}` ? caches.lister(configMaps).getByKey(key) : undefined),
  diff({ data }) {
    const patch = { data: { runs: String(Number(data?.['runs'] ?? '0') + 1) } };
    return {
      steps: [{ actions: [{ ...target, verb: 'patch', patchType: 'merge', patch, reason: 'Counts', facts: {} }] }],
    };
  },
};

/** Wants one value in a field that another wants another value in. */
const wants = (colour: string): ControllerDefinition =>
  controllerFor(colour, configMaps).reconcile(async ({ key, caches, client }) => {
    const object = caches.lister(configMaps).getByKey(key);
    if (object?.metadata?.name !== name || object.data?.['colour'] === colour) return;
    await client.patch(configMaps, { ...target, type: 'merge', patch: { data: { colour } } });
  });

interface Fixture extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly findings: Finding[];
  readonly runs: RunRecord[];
}

async function start(controllers: readonly ControllerDefinition[]): Promise<Fixture> {
  const findings: Finding[] = [];
  const runs: RunRecord[] = [];
  const held = heldOperator({
    name: 'bad-operator',
    controllers,
    onRun: (record) => runs.push(record),
    journal: { loops: { onFinding: (finding) => findings.push(finding) } },
  });
  const cluster = await createTestCluster({ nodes: 1, components: [held.component] });
  await cluster.run(cluster.admin.create(configMaps, { object: { metadata: { name, namespace: 'default' } } }));
  return { cluster, findings, runs, [Symbol.asyncDispose]: () => cluster.stop() };
}

async function assertWorks(cluster: TestCluster): Promise<void> {
  await cluster.run(cluster.admin.create(deployments, { object: newDeployment('web', { replicas: 2 }) }));
  await cluster.waitFor(() => cluster.get(deployments, 'default', 'web')?.status?.availableReplicas === 2);
}

describe('loops', () => {
  it('of a controller that wakes itself are found and damped', async () => {
    await using fixture = await start([restless as ControllerDefinition]);
    const { cluster, findings } = fixture;
    const count = (): number => Number(cluster.get(configMaps, 'default', name)?.data?.['runs'] ?? '0');
    await cluster.waitFor(() => findings.length === 1);
    assert.equal(findings[0]?.kind, 'self-triggering');
    assert.match(
      findings[0].message,
      /restless default\/shared patched configmaps default\/shared \(Counts\), which woke restless/,
    );
    await assertWorks(cluster);
    await cluster.advance(600_000);
    assert.ok(count() < 30, `${count()} writes`);
    assert.equal(findings.length, 1);
    // Somebody's change is looked at at once.
    const before = count();
    const patch = { data: { other: 'x' } };
    await cluster.run(cluster.admin.patch(configMaps, { ...target, type: 'merge', patch }));
    await cluster.settle();
    assert.ok(count() > before);
  });

  it('of two controllers that fight over a field are found once, with both names', async () => {
    await using fixture = await start([wants('red'), wants('blue')]);
    const { cluster, findings, runs } = fixture;
    await cluster.waitFor(() => findings.length === 1);
    assert.equal(findings[0]?.kind, 'oscillation');
    assert.deepEqual(findings[0].controllers.toSorted(), ['blue', 'red']);
    const before = runs.length;
    await assertWorks(cluster);
    await cluster.advance(600_000);
    assert.ok(runs.length < before + 150, `${runs.length - before} runs`);
    assert.equal(findings.length, 1);
  });

  it('are not seen where work goes on, and writes that change nothing are', async () => {
    const applies = controllerFor('applies', configMaps)
      .watches(secrets, () => [toKey('default', name)])
      .reconcile(async ({ key, client }) => {
        if (key !== `default/${name}`) return;
        const object = { metadata: { name, namespace: 'default' }, data: { wanted: 'yes' } };
        await client.apply(configMaps, { object, fieldManager: 'applies', force: true });
      });
    await using fixture = await start([applies]);
    const { cluster, findings } = fixture;
    for (let i = 0; i < 15; i++) {
      const object = { metadata: { name: `s${i}`, namespace: 'default' } };
      await cluster.run(cluster.admin.create(secrets, { object }));
      await cluster.settle();
    }
    assert.deepEqual(
      findings.map(({ kind, controller, count, damped }) => [kind, controller, count, damped]),
      [['no-op-writes', 'applies', 11, false]],
    );
  });
});
