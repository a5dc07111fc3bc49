// A whole controller in a whole cluster: every Namespace with the label `team` keeps a ConfigMap `contact` that says whom to
// call. Run it with: npx node examples/the-loop.ts

import type { ConfigMap, Namespace } from '@homeostat/api/types/core-v1';
import { configMaps, namespaces } from '@homeostat/client/resources';
import { adminUser, type Component } from '@homeostat/cluster';
import { createController, emptyPlan, InformerFactory, type PlanController } from '@homeostat/runtime';
import { createTestCluster } from '@homeostat/testing';

const contacts: PlanController<{ namespace: Namespace; contact: ConfigMap | undefined }> = {
  name: 'contacts',
  for: { resource: namespaces },
  // A changed ConfigMap says only where to look: at its namespace.
  watches: [{ resource: configMaps, wakes: ({ object }) => [object.metadata?.namespace ?? ''] }],
  observe(key, caches) {
    const namespace = caches.lister(namespaces).getByKey(key);
    return namespace && { namespace, contact: caches.lister(configMaps).get(key, 'contact') };
  },
  diff({ namespace: { metadata }, contact }) {
    const team = metadata?.labels?.['team'];
    const mail = `${team ?? ''}@example.com`;
    if (team === undefined || contact?.data?.['mail'] === mail) return emptyPlan;
    const target = { resource: configMaps, namespace: metadata?.name ?? '' };
    const object = contact ?? { metadata: { name: 'contact' } }; // with its resourceVersion: a stale write is refused
    const why = { reason: contact ? 'ContactDiffers' : 'ContactMissing', facts: { team } };
    const write = { ...target, object: { ...object, data: { mail } }, ...why };
    return {
      steps: [{ actions: [contact ? { verb: 'update', name: 'contact', ...write } : { verb: 'create', ...write }] }],
    };
  },
};

const component: Component = {
  name: 'contacts',
  create({ env, clientAs }) {
    const client = clientAs(adminUser, 'contacts');
    const informers = new InformerFactory({ client, env });
    const controller = createController(contacts, {
      client,
      env,
      informers,
      onAction: ({ outcome: { action }, key, wokenBy }) =>
        console.log(`  ${key}: ${action.verb}, ${action.reason}; woken by ${wokenBy?.change} ${wokenBy?.object}`),
    });
    return {
      ready: Promise.resolve(),
      run: async ({ signal }) => {
        await Promise.all([informers.run({ signal }), controller.run({ signal })]);
      },
    };
  },
};

await using cluster = await createTestCluster({ components: [component] });
const { admin } = cluster;
const contact = { namespace: 'shop', name: 'contact' };
const mail = (): string | undefined => cluster.get(configMaps, 'shop', 'contact')?.data?.['mail'];
const putRight = (): Promise<void> => cluster.waitFor(() => mail() === 'payments@example.com');

console.log('a namespace with a team');
await cluster.run(admin.create(namespaces, { object: { metadata: { name: 'shop', labels: { team: 'payments' } } } }));
await putRight();

console.log('somebody edits the ConfigMap by hand');
await cluster.run(admin.patch(configMaps, { ...contact, type: 'merge', patch: { data: { mail: 'me@home' } } }));
await putRight();

console.log('somebody deletes it');
await cluster.run(admin.delete(configMaps, contact));
await putRight();
console.log(`put right each time: ${mail()}`);
