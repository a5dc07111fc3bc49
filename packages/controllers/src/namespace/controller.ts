// The namespace controller: empties a namespace that is being deleted, then lets it go (spec/infrastructure.md §8).

import type { Namespace } from '@homeostat/api/types/core-v1';
import { isApiError } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import { namespaces } from '@homeostat/client/resources';
import {
  createBucketLimiter,
  createExponentialLimiter,
  createMaxOfLimiter,
  type ReconcileContext,
  type ReconcileController,
  type ReconcileResult,
} from '@homeostat/runtime';
import type { Discover } from '../shared/discovered-resources.ts';
import { deletionConditions } from './conditions.ts';
import { deleteContent } from './content.ts';

export interface NamespaceControllerOptions {
  readonly discover: Discover;
  /** `--concurrent-namespace-syncs`; default 10. */
  readonly concurrency?: number;
  /** `--namespace-sync-period`; default 5 min. */
  readonly syncPeriodMs?: number;
}

const token = 'kubernetes';
/** Time for the last writers to notice that the namespace is closing, before its content is counted. */
const graceMs = 5000;

/** Creates the definition; the manager runs it. */
export function createNamespaceController(options: NamespaceControllerOptions): ReconcileController {
  return {
    name: 'namespace-controller',
    concurrency: options.concurrency ?? 10,
    rateLimiter: ({ clock }) =>
      createMaxOfLimiter(
        createExponentialLimiter({ baseMs: 5, maxMs: 60_000 }),
        createBucketLimiter({ clock, qps: 10, burst: 100 }),
      ),
    for: {
      resource: namespaces,
      resyncPeriodMs: options.syncPeriodMs ?? 300_000,
      wakes: (change) => {
        const { deletionTimestamp, name = '' } = change.object.metadata ?? {};
        return change.type === 'deleted' || deletionTimestamp === undefined ? [] : [{ key: name, afterMs: graceMs }];
      },
    },
    // Every change of a namespace that is being deleted is another look at what is left in it.
    ownWrites: 'wake',
    reconcile: (context) => reconcile(context, options.discover),
  };
}

async function reconcile(
  { key, client, env, signal }: ReconcileContext,
  discover: Discover,
): Promise<ReconcileResult | void> {
  const found = await getNamespace(client, key, signal);
  const deletedAt = found?.metadata?.deletionTimestamp;
  if (found === undefined || deletedAt === undefined) return;
  const namespace = found.status?.phase === 'Terminating' ? found : await markTerminating(client, found, signal);
  if ((namespace.spec?.finalizers ?? []).length === 0) return;
  const nowMs = env.clock.nowMs();
  const { estimateSeconds, report } = await deleteContent({
    client,
    discovered: await discover(signal),
    namespace: key,
    deletedAt,
    nowMs,
    signal,
  });
  const conditions = deletionConditions(namespace.status?.conditions ?? [], report, nowMs);
  const left = estimateSeconds > 0 || report.deletionErrors.length > 0 || report.discoveryFailures.length > 0;
  // Conditions tell why a namespace stays; one that goes at once gets none.
  if (conditions !== undefined && (left || (namespace.status?.conditions ?? []).length > 0)) {
    await client.updateStatus(namespaces, {
      object: { ...namespace, status: { ...namespace.status, conditions } } as Namespace,
      signal,
    });
  }
  if (estimateSeconds > 0) return { requeueAfterMs: (Math.floor(estimateSeconds / 2) + 1) * 1000 };
  const [error] = [...report.deletionErrors, ...report.discoveryFailures.map((failure) => failure.message)];
  if (error !== undefined) throw new Error(error);
  await finalize(client, key, namespace.metadata?.uid, signal);
}

async function getNamespace(client: Client, name: string, signal: AbortSignal): Promise<Namespace | undefined> {
  try {
    return await client.get(namespaces, { name, signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function markTerminating(client: Client, namespace: Namespace, signal: AbortSignal): Promise<Namespace> {
  return client.updateStatus(namespaces, {
    object: { ...namespace, status: { ...namespace.status, phase: 'Terminating' } } as Namespace,
    signal,
  });
}

// Conflicts are retried by the queue, on a fresh read.
async function finalize(client: Client, name: string, uid: string | undefined, signal: AbortSignal): Promise<void> {
  const latest = await getNamespace(client, name, signal);
  if (latest === undefined || latest.metadata?.uid !== uid) return;
  const finalizers = (latest.spec?.finalizers ?? []).filter((finalizer) => finalizer !== token).toSorted();
  try {
    await client.update(namespaces, {
      object: { ...latest, spec: { ...latest.spec, finalizers } } as Namespace,
      subresource: 'finalize',
      signal,
    });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
