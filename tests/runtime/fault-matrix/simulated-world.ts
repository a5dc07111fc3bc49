// The world in virtual time: a test cluster in this process, and transports that carry bytes without sockets.

import { createInProcessTransport } from '@homeostat/client';
import { configMaps, namespaces } from '@homeostat/client/resources';
import type { TestCluster } from '@homeostat/testing';
import { FaultyWire } from './faulty-wire.ts';
import type { World } from './world.ts';

/** The world of a test cluster, which must outlive it. */
export function simulatedWorld(cluster: TestCluster): World {
  const { admin, clock } = cluster;
  return {
    clock,
    slackMs: 0,
    list: (namespace) => cluster.list(configMaps, namespace),
    get: (namespace, name) => cluster.get(configMaps, namespace, name),
    async createNamespace(name) {
      await cluster.run(admin.create(namespaces, { object: { metadata: { name } } }));
    },
    async create(namespace, name) {
      await cluster.run(admin.create(configMaps, { object: { metadata: { name, namespace } } }));
    },
    async patch(namespace, name, data) {
      await cluster.run(admin.patch(configMaps, { namespace, name, type: 'merge', patch: { data } }));
    },
    async remove(namespace, name) {
      await cluster.run(admin.delete(configMaps, { namespace, name }));
    },
    async connect(options) {
      const inner = createInProcessTransport({
        handle: cluster.cluster.server.handle,
        user: { username: 'admin', groups: ['system:masters'] },
        exchanges: 'bytes',
      });
      const wire = new FaultyWire({ ...options, inner, clock });
      return {
        transport: wire,
        wire,
        close: async () => {
          await cluster.run(inner.close());
          return [];
        },
      };
    },
    run: (promise) => cluster.run(promise),
    advance: (durationMs) => cluster.advance(durationMs),
    runUntil: (done, limitMs) => clock.runUntil(done, limitMs),
  };
}
