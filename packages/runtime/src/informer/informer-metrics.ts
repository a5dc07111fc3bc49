// Metrics of informers under client-go's names, computed when metrics are read: a process has many informers and few scrapes.

import type { Metrics } from '@homeostat/base';
import type { Informer } from './informer.ts';

/** `name` tells the informers of several parts of one process apart. */
export function createInformerMetrics(name: string, metrics: Metrics, informers: () => readonly Informer[]): void {
  const labelNames = ['name', 'group', 'version', 'resource'];
  const queued = metrics.gauge({
    name: 'informer_queued_items',
    help: 'Number of items currently queued in the FIFO',
    labelNames,
  });
  const reached = metrics.gauge({
    name: 'informer_store_resource_version',
    help: 'The resourceVersion the store has reached; its 15 least significant digits',
    labelNames,
  });
  const objects = metrics.gauge({ name: 'informer_objects', help: 'Objects in the cache', labelNames });
  metrics.onCollect(() => {
    for (const { resource, queuedItems, resourceVersion, lister } of informers()) {
      const labels = { name, group: resource.group, version: resource.version, resource: resource.resource };
      queued.set(queuedItems, labels);
      // Numbers beyond that lose digits.
      reached.set(Number(resourceVersion.slice(-15)) || 0, labels);
      objects.set(lister.size, labels);
    }
  });
}
