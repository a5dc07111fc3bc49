import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { configMaps } from '@homeostat/client/resources';
import { type Change, InformerFactory } from '@homeostat/runtime';
import { EventContract } from '@homeostat/runtime/testing';
import { connectForeign, type ForeignCluster } from './foreign-cluster.ts';

let cluster: ForeignCluster;

before(async () => {
  cluster = await connectForeign();
});
after(() => cluster?.close());

for (const streaming of [true, false]) {
  test(`a cache follows the server, ${streaming ? 'streamed' : 'listed'}, and a recreated object is another one`, async () => {
    const { client, env, namespace, unique } = cluster;
    const label = `${unique}-${streaming}`;
    const create = (name: string) =>
      client.create(configMaps, {
        object: { metadata: { name: `${name}-${streaming}`, namespace, labels: { cache: label } } },
      });
    const remove = (name: string) => client.delete(configMaps, { namespace, name: `${name}-${streaming}` });
    await create('old');
    const informers = new InformerFactory({ client, env, streaming });
    const informer = informers.informer(configMaps, { select: { namespace, labelSelector: `cache=${label}` } });
    const contract = new EventContract<ConfigMap>();
    const told: string[] = [];
    let wake: () => void = () => {};
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await new Promise<void>((resolve) => (wake = resolve));
    };
    const handler = (change: Change<ConfigMap>): void => {
      told.push(`${change.type} ${change.object.metadata?.name}`);
      wake();
    };
    informer.addHandler(contract.wrap(handler));
    const stop = new AbortController();
    const running = informers.run({ signal: stop.signal });
    await informer.waitForSync(stop.signal);
    assert.equal(informer.lister.size, 1);

    const first = await create('again');
    await remove('again');
    const second = await create('again');
    await remove('old');
    await until(() => told.includes(`deleted old-${streaming}`));
    const cached = informer.lister.get(namespace, `again-${streaming}`);
    assert.equal(cached?.metadata?.uid, second.metadata?.uid);
    assert.notEqual(cached?.metadata?.uid, first.metadata?.uid);
    assert.deepEqual(
      told.filter((line) => line.endsWith(`again-${streaming}`)),
      ['added', 'deleted', 'added'].map((type) => `${type} again-${streaming}`),
    );
    assert.deepEqual(contract.problems, []);
    const { items } = await client.list(configMaps, { namespace, labelSelector: `cache=${label}` });
    assert.deepEqual(contract.differences(items), []);
    stop.abort();
    await running;
  });
}
