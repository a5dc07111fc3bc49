// Deployments in virtual time: the scenarios of spec/workloads.md §4.16. Those about arithmetic alone are beside the code.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { isPodActive, isPodReady } from '@homeostat/api';
import { deployments, pods, replicaSets } from '@homeostat/client/resources';
import { controllerOf } from '@homeostat/runtime';
import { newDeployment, podTemplate } from './fixtures/objects.ts';
import { scenario, type Scenario } from './fixtures/scenario.ts';

const prefix = 'deployment.kubernetes.io';
const web = (s: Scenario) => s.must(deployments, 'web');
const condition = (s: Scenario, type: string) => web(s).status?.conditions?.find((each) => each.type === type);
const said = (s: Scenario, type: string) => {
  const found = condition(s, type);
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
};
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } } });
const imageOf = (set: ReplicaSet) => set.spec?.template?.spec?.containers?.[0]?.image ?? '';
const note = (object: Deployment | ReplicaSet, name: string) => object.metadata?.annotations?.[`${prefix}/${name}`];

/** Sizes of the ReplicaSets, newest first, as `image=spec`. */
function sizes(s: Scenario): string {
  return s
    .list(replicaSets)
    .toSorted((a, b) => Number(note(b, 'revision')) - Number(note(a, 'revision')))
    .map((set) => `${imageOf(set)}=${set.spec?.replicas}`)
    .join(' ');
}

function isDone(s: Scenario): boolean {
  const { spec, status, metadata } = web(s);
  return (
    status?.observedGeneration === metadata?.generation &&
    status?.updatedReplicas === spec?.replicas &&
    status?.replicas === spec?.replicas &&
    status?.availableReplicas === spec?.replicas
  );
}

describe('a Deployment', () => {
  it('1: makes a ReplicaSet of revision 1 and says when it is there', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      const [set, ...others] = s.list(replicaSets);
      assert.equal(others.length, 0);
      const hash = set?.metadata?.labels?.['pod-template-hash'] ?? '';
      assert.match(hash, /^[456789bcdf]{1,10}$/);
      assert.equal(set?.metadata?.name, `web-${hash}`);
      assert.deepEqual(set?.metadata?.annotations, {
        [`${prefix}/desired-replicas`]: '3',
        [`${prefix}/max-replicas`]: '4',
        [`${prefix}/revision`]: '1',
      });
      assert.equal(note(web(s), 'revision'), '1');
      assert.deepEqual(s.events('ScalingReplicaSet'), [`Normal Scaled up replica set web-${hash} from 0 to 3`]);
      assert.equal(said(s, 'Available'), 'True MinimumReplicasAvailable');
      assert.equal(said(s, 'Progressing'), 'True NewReplicaSetAvailable');
      assert.equal(condition(s, 'Progressing')?.message, `ReplicaSet "web-${hash}" has successfully progressed.`);
    }));

  it('12: a rolling update keeps within surge and availability at every moment', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web', { replicas: 12 }));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('good:2'));
      let most = 0;
      let fewest = Infinity;
      await s.until(() => {
        const all = s.list(pods).filter(isPodActive);
        most = Math.max(most, all.length);
        fewest = Math.min(fewest, all.filter(isPodReady).length);
        return isDone(s);
      });
      assert.ok(most <= 15 && fewest >= 9, `between ${fewest} ready and ${most} pods`);
      assert.equal(sizes(s), 'good:2=12 good:1=0');
    }));

  it('2: a rollout that is stuck rests; scaling it then is proportional', () =>
    scenario(async (s) => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
      await s.create(deployments, newDeployment('web', { replicas: 10, spec: { strategy } }));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('bad:1'));
      await s.advance(60);
      assert.equal(sizes(s), 'bad:1=5 good:1=8');
      await s.merge(deployments, 'web', { spec: { replicas: 30 } });
      await s.advance(60);
      assert.equal(sizes(s), 'bad:1=13 good:1=20');
      const [hash] = s.list(replicaSets).filter((set) => imageOf(set) === 'bad:1');
      assert.equal(note(hash as ReplicaSet, 'max-replicas'), '33');
    }));

  it('3: surplus goes to the sets in proportion; annotations follow', () =>
    scenario(
      async (s) => {
        const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 20, maxUnavailable: 0 } };
        await s.create(deployments, newDeployment('web', { replicas: 100, spec: { strategy } }));
        await s.until(() => isDone(s));
        await s.strategic(deployments, 'web', image('bad:1'));
        await s.advance(30);
        assert.equal(sizes(s), 'bad:1=20 good:1=100');
        await s.merge(deployments, 'web', { spec: { replicas: 120 } });
        await s.advance(30);
        assert.equal(sizes(s), 'bad:1=23 good:1=117');
        for (const set of s.list(replicaSets)) {
          assert.equal(note(set, 'desired-replicas'), '120');
          assert.equal(note(set, 'max-replicas'), '140');
        }
      },
      { nodes: { count: 5 } },
    ));

  it('11: kubectl scale changes the size of its set, and no revision', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      await s.merge(deployments, 'web', { spec: { replicas: 5 } }, { subresource: 'scale' });
      await s.until(() => isDone(s) && web(s).spec?.replicas === 5);
      assert.equal(s.list(replicaSets).length, 1);
      assert.equal(note(web(s), 'revision'), '1');
      assert.match(s.events('ScalingReplicaSet')[1] ?? '', /from 3 to 5$/);
    }));

  it('13: Recreate waits until the last old pod is gone, terminating ones too', () =>
    scenario(
      async (s) => {
        await s.create(deployments, newDeployment('web', { spec: { strategy: { type: 'Recreate' } } }));
        await s.until(() => isDone(s));
        await s.strategic(deployments, 'web', image('good:2'));
        let together = false;
        await s.until(() => {
          const images = new Set(s.list(pods).map((pod) => pod.spec?.containers?.[0]?.image));
          together ||= images.size > 1;
          return isDone(s);
        });
        assert.equal(together, false);
        assert.equal(sizes(s), 'good:2=3 good:1=0');
      },
      { nodes: { stopMs: 20_000 } },
    ));

  it('14: revisions are 64-bit numbers', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      const name = s.list(replicaSets)[0]?.metadata?.name ?? '';
      await s.merge(replicaSets, name, {
        metadata: { annotations: { [`${prefix}/revision`]: '3546343826724305832' } },
      });
      await s.strategic(deployments, 'web', image('good:2'));
      await s.until(() => isDone(s));
      const set = s.list(replicaSets).find((each) => imageOf(each) === 'good:2');
      assert.equal(note(set as ReplicaSet, 'revision'), '3546343826724305833');
    }));

  for (const limit of [1, 0]) {
    it(`15: keeps ${limit} old revisions once it is complete`, () =>
      scenario(async (s) => {
        await s.create(deployments, newDeployment('web', { spec: { revisionHistoryLimit: limit } }));
        for (const version of [2, 3, 4]) {
          await s.until(() => isDone(s));
          await s.strategic(deployments, 'web', image(`good:${version}`));
        }
        await s.until(() => isDone(s));
        await s.advance(5);
        assert.equal(sizes(s), limit === 1 ? 'good:4=3 good:3=0' : 'good:4=3');
      }));
  }

  it('16: going back to an old template raises its revision and remembers the old one', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('good:2'));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('good:1'));
      await s.until(() => isDone(s));
      assert.equal(sizes(s), 'good:1=3 good:2=0');
      const back = s.list(replicaSets).find((set) => imageOf(set) === 'good:1');
      assert.equal(note(back as ReplicaSet, 'revision'), '3');
      assert.equal(note(back as ReplicaSet, 'revision-history'), '1');
      assert.equal(note(web(s), 'revision'), '3');
    }));

  it('17: says when no progress was made for the deadline, without any event, and forgets it with the next progress', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web', { spec: { progressDeadlineSeconds: 30 } }));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('bad:1'));
      await s.advance(20);
      assert.equal(said(s, 'Progressing'), 'True ReplicaSetUpdated');
      await s.advance(20);
      assert.equal(said(s, 'Progressing'), 'False ProgressDeadlineExceeded');
      await s.strategic(deployments, 'web', image('good:3'));
      await s.until(() => isDone(s));
      assert.equal(said(s, 'Progressing'), 'True NewReplicaSetAvailable');
    }));

  it('18, 19: a paused one makes no ReplicaSet, but scales', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      await s.merge(deployments, 'web', { spec: { paused: true } });
      await s.advance(1);
      assert.equal(said(s, 'Progressing'), 'Unknown DeploymentPaused');
      await s.strategic(deployments, 'web', image('good:2'));
      await s.merge(deployments, 'web', { spec: { replicas: 5 } });
      await s.advance(30);
      assert.equal(sizes(s), 'good:1=5');
      assert.equal(web(s).status?.availableReplicas, 5);
      await s.merge(deployments, 'web', { spec: { paused: false } });
      await s.cluster.settle();
      await s.until(() => isDone(s));
      assert.equal(sizes(s), 'good:2=5 good:1=0');
    }));

  it('20, B22: a name that is taken by another template is stepped round', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      const name = s.list(replicaSets)[0]?.metadata?.name ?? '';
      await s.delete(deployments, 'web');
      await s.until(() => s.list(replicaSets).length === 0);
      const labels = { app: 'other' };
      await s.create(replicaSets, {
        metadata: { name, namespace: 'default', labels },
        spec: { replicas: 0, selector: { matchLabels: labels }, template: podTemplate(labels) },
      } as ReplicaSet);
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      assert.equal(web(s).status?.collisionCount, 1);
      const own = s.list(replicaSets).filter((set) => controllerOf(set)?.uid === web(s).metadata?.uid);
      assert.equal(own.length, 1);
      assert.notEqual(own[0]?.metadata?.name, name);
    }));

  it('21: a ReplicaSet that can not be made is a condition and an event', () =>
    scenario(async (s) => {
      const stop = s.cluster.faults.add({
        match: ({ verb, resource }) => verb === 'create' && resource === 'replicasets',
        fault: { kind: 'answer', status: 403 },
      });
      await s.create(deployments, newDeployment('web'));
      await s.advance(2);
      assert.equal(said(s, 'Progressing'), 'False ReplicaSetCreateError');
      assert.match(
        condition(s, 'Progressing')?.message ?? '',
        /^Failed to create new replica set "web-[a-z0-9]+": injected: forbidden$/,
      );
      assert.match(s.events('ReplicaSetCreateError')[0] ?? '', /^Warning Failed to create new replica set/);
      stop();
      await s.until(() => isDone(s));
      assert.equal(said(s, 'Progressing'), 'True NewReplicaSetAvailable');
    }));

  it('22: why pods can not be made shows on the Deployment, as long as it lasts', () =>
    scenario(async (s) => {
      const stop = s.cluster.faults.add({
        match: ({ verb, resource }) => verb === 'create' && resource === 'pods',
        fault: { kind: 'answer', status: 403 },
      });
      await s.create(deployments, newDeployment('web'));
      await s.advance(5);
      assert.equal(said(s, 'ReplicaFailure'), 'True FailedCreate');
      stop();
      await s.until(() => isDone(s) && condition(s, 'ReplicaFailure') === undefined);
    }));

  it('23: its annotations reach the new ReplicaSet, no old one, and make no revision', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('good:2'));
      await s.until(() => isDone(s));
      await s.merge(deployments, 'web', { metadata: { annotations: { team: 'a' } } });
      await s.advance(1);
      const noted = s.list(replicaSets).filter((set) => set.metadata?.annotations?.['team'] === 'a');
      assert.deepEqual(noted.map(imageOf), ['good:2']);
      assert.equal(note(web(s), 'revision'), '2');
    }));

  it('24: one that may neither surge nor miss any goes one by one', () =>
    scenario(async (s) => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '1%' } };
      await s.create(deployments, newDeployment('web', { replicas: 10, spec: { strategy } }));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('good:2'));
      let fewest = Infinity;
      let most = 0;
      await s.until(() => {
        const all = s.list(pods).filter(isPodActive);
        fewest = Math.min(fewest, all.filter(isPodReady).length);
        most = Math.max(most, all.length);
        return isDone(s);
      });
      assert.deepEqual([fewest, most], [9, 10]);
    }));

  it('25: a third template takes over from a second that was never done', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web', { replicas: 6 }));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('bad:2'));
      await s.advance(20);
      await s.strategic(deployments, 'web', image('good:3'));
      await s.until(() => isDone(s));
      assert.equal(sizes(s), 'good:3=6 bad:2=0 good:1=0');
    }));

  it('26: one made again after an orphaning delete takes its set and pods back', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      const before = s.list(pods).map((pod) => pod.metadata?.uid);
      const [set] = s.list(replicaSets);
      await s.delete(deployments, 'web', { propagationPolicy: 'Orphan' });
      await s.until(() => s.get(deployments, 'web') === undefined);
      assert.equal(controllerOf(s.list(replicaSets)[0] as ReplicaSet), undefined);
      await s.create(deployments, newDeployment('web'));
      await s.until(() => isDone(s));
      assert.deepEqual(
        s.list(replicaSets).map((each) => each.metadata?.uid),
        [set?.metadata?.uid],
      );
      assert.deepEqual(
        s.list(pods).map((pod) => pod.metadata?.uid),
        before,
      );
    }));

  it('28: one that is deleted in the foreground changes no size', () =>
    scenario(
      async (s) => {
        await s.create(deployments, newDeployment('web'));
        await s.until(() => isDone(s));
        await s.delete(deployments, 'web', { propagationPolicy: 'Foreground' });
        await s.merge(deployments, 'web', { spec: { replicas: 7 } });
        await s.advance(10);
        assert.equal(s.list(replicaSets)[0]?.spec?.replicas, 3);
        await s.until(() => s.get(deployments, 'web') === undefined);
        await s.until(() => s.list(replicaSets).length === 0 && s.list(pods).length === 0);
      },
      { nodes: { stopMs: 30_000 } },
    ));

  it('B20: a rollout without surge goes on though it was scaled to the size a set has already', () =>
    scenario(async (s) => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
      await s.create(deployments, newDeployment('web', { replicas: 3, spec: { strategy } }));
      await s.until(() => isDone(s));
      // Somebody sizes the set by hand, and then asks the Deployment for the same.
      const name = s.list(replicaSets)[0]?.metadata?.name ?? '';
      await s.merge(deployments, 'web', { spec: { paused: true } });
      await s.merge(replicaSets, name, { spec: { replicas: 5 } });
      await s.merge(deployments, 'web', { spec: { replicas: 5, paused: false } });
      await s.strategic(deployments, 'web', image('good:2'));
      await s.until(() => isDone(s));
      assert.equal(sizes(s), 'good:2=5 good:1=0');
    }));

  it('a Recreate Deployment with several sized sets is not held up by stale annotations', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web', { spec: { strategy: { type: 'Recreate' } } }));
      await s.until(() => isDone(s));
      await s.strategic(deployments, 'web', image('good:2'));
      await s.until(() => isDone(s));
      const old = s.list(replicaSets).find((set) => imageOf(set) === 'good:1')?.metadata?.name ?? '';
      const merge = { namespace: 'default', type: 'merge' } as const;
      await s.cluster.run(
        Promise.all([
          s.cluster.admin.patch(replicaSets, { ...merge, name: old, patch: { spec: { replicas: 2 } } }),
          s.cluster.admin.patch(deployments, { ...merge, name: 'web', patch: { spec: { replicas: 4 } } }),
        ]),
      );
      await s.until(() => isDone(s));
      assert.equal(sizes(s), 'good:2=4 good:1=0');
    }));
});
