// The garbage collector in virtual time: the scenarios of spec/infrastructure.md §7.8. Owners and dependents are ConfigMaps mostly: who
// owns whom is all it looks at.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { configMaps, deployments, namespaces, pods, replicaSets } from '@homeostat/client/resources';
import type { OwnerReference } from '@homeostat/machinery';
import { newDeployment } from './fixtures/objects.ts';
import { scenario, type Scenario, type ScenarioOptions } from './fixtures/scenario.ts';

const alone: ScenarioOptions = { nodes: false };

interface Fields {
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly namespace?: string;
}

async function make(s: Scenario, name: string, fields: Fields = {}): Promise<OwnerReference> {
  const { owners: ownerReferences = [], finalizers = [], namespace = 'default' } = fields;
  const metadata = { name, namespace, ownerReferences, finalizers };
  const made = await s.create(configMaps, { metadata } as ConfigMap);
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: made.metadata?.uid ?? '' };
}

const names = (s: Scenario): readonly string[] =>
  s
    .list(configMaps)
    .map((map) => map.metadata?.name ?? '')
    .filter((name) => name !== 'kube-root-ca.crt');
const ownersOf = (s: Scenario, name: string): readonly string[] =>
  (s.must(configMaps, name).metadata?.ownerReferences ?? []).map((owner) => owner.name);
const free = (s: Scenario, name: string): Promise<unknown> =>
  s.merge(configMaps, name, { metadata: { finalizers: null } });

describe('the garbage collector', () => {
  it('1: deletes what has lost its last owner; a lost one beside a living one is forgotten', () =>
    scenario(async (s) => {
      const [x, y] = [await make(s, 'x'), await make(s, 'y')];
      await make(s, 'of-x', { owners: [x] });
      await make(s, 'of-both', { owners: [x, y] });
      await s.advance(1);
      await s.delete(configMaps, 'x');
      await s.advance(2);
      assert.deepEqual(names(s), ['of-both', 'y']);
      assert.deepEqual(ownersOf(s, 'of-both'), ['y']);
    }, alone));

  it('2, 3: deletes what names an owner that never was, or by another name', () =>
    scenario(async (s) => {
      const owner = await make(s, 'owner');
      await make(s, 'nobody', { owners: [{ ...owner, name: 'ghost', uid: 'no-such-uid' }] });
      await make(s, 'misnamed', { owners: [{ ...owner, name: 'wrong' }] });
      await make(s, 'mistaken-kind', { owners: [{ ...owner, kind: 'Secret' }] });
      await s.advance(5);
      assert.deepEqual(names(s), ['owner']);
    }, alone));

  it('4: orphans dependents when it is asked to', () =>
    scenario(async (s) => {
      const owner = await make(s, 'owner');
      for (const name of ['a', 'b']) await make(s, name, { owners: [owner] });
      await s.advance(1);
      await s.delete(configMaps, 'owner', { propagationPolicy: 'Orphan' });
      await s.advance(5);
      assert.deepEqual(names(s), ['a', 'b']);
      assert.deepEqual([ownersOf(s, 'a'), ownersOf(s, 'b')], [[], []]);
    }, alone));

  it('5, 6: in the foreground an owner waits for dependents that block, and only for those', () =>
    scenario(async (s) => {
      const owner = await make(s, 'owner');
      await make(s, 'blocking', { owners: [{ ...owner, blockOwnerDeletion: true }], finalizers: ['test/hold'] });
      await make(s, 'free', { owners: [owner], finalizers: ['test/hold'] });
      await s.advance(1);
      await s.delete(configMaps, 'owner', { propagationPolicy: 'Foreground' });
      await s.advance(30);
      const { deletionTimestamp, finalizers } = s.must(configMaps, 'owner').metadata ?? {};
      assert.ok(deletionTimestamp !== undefined);
      assert.deepEqual(finalizers, ['foregroundDeletion']);
      assert.ok(s.must(configMaps, 'blocking').metadata?.deletionTimestamp !== undefined);
      await free(s, 'blocking');
      await s.advance(5);
      assert.deepEqual(names(s), ['free']);
      assert.ok(s.must(configMaps, 'free').metadata?.deletionTimestamp !== undefined);
    }, alone));

  it('7: a dependent with another owner is let go by the one that waits', () =>
    scenario(async (s) => {
      const [waiting, solid] = [await make(s, 'waiting'), await make(s, 'solid')];
      await make(s, 'shared', { owners: [{ ...waiting, blockOwnerDeletion: true }, solid] });
      await s.advance(1);
      await s.delete(configMaps, 'waiting', { propagationPolicy: 'Foreground' });
      await s.advance(5);
      assert.deepEqual(names(s), ['shared', 'solid']);
      assert.deepEqual(ownersOf(s, 'shared'), ['solid']);
    }, alone));

  it('8: a circle of owners does not lock itself', () =>
    scenario(async (s) => {
      const a = await make(s, 'a');
      const b = await make(s, 'b', { owners: [{ ...a, blockOwnerDeletion: true }] });
      await s.merge(configMaps, 'a', { metadata: { ownerReferences: [{ ...b, blockOwnerDeletion: true }] } });
      await s.advance(1);
      const foreground = { namespace: 'default', propagationPolicy: 'Foreground' } as const;
      await s.cluster.run(
        Promise.all(['a', 'b'].map((name) => s.cluster.admin.delete(configMaps, { ...foreground, name }))),
      );
      await s.advance(60);
      assert.deepEqual(names(s), []);
    }, alone));

  it('11, B7: an owner of another namespace is none, whatever comes first; its own children live, and the stray is told', () =>
    scenario(async (s) => {
      for (const name of ['ns-a', 'ns-b']) await s.create(namespaces, { metadata: { name } } as never);
      await s.advance(1);
      const owner = await make(s, 'parent', { namespace: 'ns-a' });
      await make(s, 'before', { namespace: 'ns-a', owners: [owner] });
      await make(s, 'stray', { namespace: 'ns-b', owners: [owner] });
      await make(s, 'after', { namespace: 'ns-a', owners: [owner] });
      await s.advance(5);
      const inNamespace = (namespace: string): readonly string[] =>
        s
          .list(configMaps, namespace)
          .flatMap(({ metadata }) => (metadata?.name === 'kube-root-ca.crt' ? [] : [metadata?.name ?? '']));
      assert.deepEqual([inNamespace('ns-a'), inNamespace('ns-b')], [['after', 'before', 'parent'], []]);
      assert.match(s.events('OwnerRefInvalidNamespace')[0] ?? '', /does not exist in namespace "ns-b"$/);
      // A restart sees everything in another order.
      await s.cluster.run(s.cluster.processes[0]?.crash() ?? Promise.resolve());
      s.cluster.startControllerManager({ identity: 'kcm-2' });
      await s.advance(60);
      assert.deepEqual(inNamespace('ns-a'), ['after', 'before', 'parent']);
      await s.cluster.run(s.cluster.admin.delete(configMaps, { namespace: 'ns-a', name: 'parent' }));
      await s.advance(5);
      assert.deepEqual(inNamespace('ns-a'), []);
    }, alone));

  it('12: an object of no namespace with an owner of one is left alone', () =>
    scenario(async (s) => {
      const owner = await make(s, 'owner');
      await s.create(namespaces, { metadata: { name: 'kept', ownerReferences: [{ ...owner, uid: 'gone' }] } } as never);
      await s.advance(120);
      assert.equal(s.must(namespaces, 'kept').metadata?.deletionTimestamp, undefined);
    }, alone));

  for (const [title, patch, survives] of [
    [
      '13, B6: what gets another owner between the look and the delete lives',
      { metadata: { ownerReferences: 'other' } },
      true,
    ],
    [
      '14: what changes in another way between the look and the delete goes',
      { metadata: { labels: { x: 'y' } } },
      false,
    ],
  ] as const) {
    it(title, () =>
      scenario(async (s) => {
        const [owner, other] = [await make(s, 'owner'), await make(s, 'other')];
        await make(s, 'child', { owners: [owner] });
        await s.advance(1);
        // The collector's delete is slow to arrive; meanwhile the child changes.
        s.cluster.faults.add({
          match: (target) => target.verb === 'delete' && target.name === 'child',
          times: 1,
          fault: { kind: 'slow', delayMs: 5_000, when: 'before' },
        });
        await s.delete(configMaps, 'owner');
        await s.advance(2);
        await s.merge(configMaps, 'child', survives ? { metadata: { ownerReferences: [other] } } : patch);
        await s.advance(30);
        assert.deepEqual(names(s), survives ? ['child', 'other'] : ['other']);
      }, alone),
    );
  }

  it('15: an owner made again under its name has no claim on what the first one owned', () =>
    scenario(async (s) => {
      const owner = await make(s, 'owner');
      await make(s, 'child', { owners: [owner] });
      await s.advance(1);
      await s.delete(configMaps, 'owner');
      await make(s, 'owner');
      await s.advance(5);
      assert.deepEqual(names(s), ['owner']);
    }, alone));

  it('18: an owner of a kind nobody serves keeps its dependent', () =>
    scenario(async (s) => {
      await make(s, 'child', { owners: [{ apiVersion: 'bogus/v1', kind: 'Thing', name: 'x', uid: 'y' }] });
      await s.advance(600);
      assert.deepEqual(names(s), ['child']);
    }, alone));

  it('9: cascades through kinds; a Deployment takes its sets and pods along', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => s.get(deployments, 'web')?.status?.availableReplicas === 3);
      await s.delete(deployments, 'web');
      await s.until(() => s.list(replicaSets).length === 0 && s.list(pods).length === 0);
    }));

  it('16: in a crowd of random deletes exactly the right ones survive', () =>
    scenario(async (s) => {
      const policies = ['Background', 'Foreground', 'Orphan'] as const;
      const expected: string[] = [];
      const owners: OwnerReference[] = [];
      for (let i = 0; i < 15; i++) owners.push(await make(s, `owner-${i}`));
      for (const [i, owner] of owners.entries()) {
        for (let j = 0; j < 4; j++)
          await make(s, `child-${i}-${j}`, { owners: [{ ...owner, blockOwnerDeletion: j % 2 === 0 }] });
      }
      await s.advance(2);
      await s.cluster.run(
        Promise.all(
          owners.map(async (owner, i) => {
            if (i % 4 === 3) {
              expected.push(owner.name, ...[0, 1, 2, 3].map((j) => `child-${i}-${j}`));
              return;
            }
            const propagationPolicy = policies[i % 3] ?? 'Background';
            if (propagationPolicy === 'Orphan') expected.push(...[0, 1, 2, 3].map((j) => `child-${i}-${j}`));
            await s.cluster.admin.delete(configMaps, { namespace: 'default', name: owner.name, propagationPolicy });
          }),
        ),
      );
      await s.advance(60);
      assert.deepEqual(names(s).toSorted(), expected.toSorted());
    }, alone));

  it('waits for an API that can not be discovered, and starts when it can', () =>
    scenario(
      async (s) => {
        const stop = s.cluster.faults.add({
          match: (target) => target.resource === '',
          fault: { kind: 'answer', status: 503 },
        });
        s.cluster.startControllerManager({ identity: 'kcm-1' });
        await s.advance(120);
        await make(s, 'child', { owners: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'gone' }] });
        await s.advance(10);
        assert.deepEqual(names(s), ['child']);
        stop();
        await s.advance(60);
        assert.deepEqual(names(s), []);
      },
      { ...alone, controllerManagers: false },
    ));
});
