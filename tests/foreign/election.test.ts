import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { leases } from '@homeostat/client/resources';
import { createLeaderElector } from '@homeostat/runtime';
import { connectForeign, type ForeignCluster } from './foreign-cluster.ts';

let cluster: ForeignCluster;

before(async () => {
  cluster = await connectForeign();
});
after(() => cluster?.close());

test('of several candidates one leads; when it stops, another does', async () => {
  const { env, namespace } = cluster;
  const leading = new Set<string>();
  const history: string[] = [];
  let wake: () => void = () => {};
  const candidates = ['a', 'b', 'c'].map((identity) => {
    const { client, close } = cluster.connect(identity);
    const elector = createLeaderElector({
      client,
      env,
      namespace,
      name: 'foreign-election',
      identity,
      retryPeriodMs: 200,
      renewDeadlineMs: 10_000,
      leaseDurationMs: 15_000,
      releaseOnStop: true,
    });
    const stop = new AbortController();
    const lead = async (signal: AbortSignal): Promise<void> => {
      leading.add(identity);
      assert.equal(leading.size, 1, 'two lead at once');
      history.push(identity);
      wake();
      if (!signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      leading.delete(identity);
    };
    const work = async (): Promise<void> => {
      await elector.run({ signal: stop.signal, lead });
      await close();
    };
    return { identity, stop, done: work() };
  });
  while (history.length < candidates.length) {
    const turn = history.length;
    while (history.length === turn) await new Promise<void>((resolve) => (wake = resolve));
    const current = candidates.find(({ identity }) => identity === history.at(-1));
    current?.stop.abort();
    await current?.done;
  }
  assert.deepEqual(history.toSorted(), ['a', 'b', 'c']);
  const lease = await cluster.client.get(leases, { namespace, name: 'foreign-election' });
  assert.equal(lease.spec?.holderIdentity ?? '', '');
  assert.ok((lease.spec?.leaseTransitions ?? 0) >= 2);
});
