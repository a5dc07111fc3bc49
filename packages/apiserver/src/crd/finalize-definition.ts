// The end of a CustomResourceDefinition: its instances are deleted, and when the last one is gone, so is its finalizer
// (upstream's CRD finalizer). Waits for instances that others hold by finalizers, however long that takes.

import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import { createDeferred, type Env, isApiError } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import { formatTime } from '@homeostat/machinery';
import { waitForCurrent } from '../endpoints/list-objects.ts';
import { ownRequest } from '../registry/bootstrap/own-request.ts';
import { deleteObject } from '../registry/delete.ts';
import { cleanupFinalizer, definitionsPath } from '../registry/kinds/delete-definition.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import { loopbackUser } from '../server/user.ts';
import { type Statement, withCondition } from './conditions.ts';

const attemptsMax = 20;

export interface Finalization {
  readonly env: Env;
  readonly handle: Handle;
  /** The definition as it is now; undefined when it is gone or another one has its name. */
  readonly present: () => CustomResourceDefinition | undefined;
  readonly instances: StoredResource;
  readonly signal: AbortSignal;
}

/** @throws ApiError, for instances that cannot be deleted */
export async function finalizeDefinition(finalization: Finalization): Promise<void> {
  const { instances, signal } = finalization;
  await state(finalization, 'True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
  try {
    await deleteInstances(instances, signal);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const message = `could not issue all deletes: ${text}`;
    await state(finalization, 'True', 'InstanceDeletionFailed', message);
    throw error;
  }
  await untilEmpty(instances, signal);
  const others = (finalization.present()?.metadata?.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
  if (others.length > 0) await state(finalization, 'False', 'InstanceDeletionCompleted', 'removed all instances');
  await change(finalization, '', (definition) => {
    const finalizers = (definition.metadata?.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
    return { ...definition, metadata: { ...definition.metadata, finalizers } };
  });
}

async function deleteInstances(instances: StoredResource, signal: AbortSignal): Promise<void> {
  await waitForCurrent(instances, signal);
  const context = {
    user: loopbackUser,
    signal,
    warnings: { add: () => {} },
    dryRun: false,
    requestVersion: '',
  };
  for (const { namespace, name, stored } of instances.cache.list()) {
    if (stored.metadata?.deletionTimestamp !== undefined) continue;
    try {
      await deleteObject(instances, { namespace, name, options: {}, context, validate: () => {} });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}

async function untilEmpty(instances: StoredResource, signal: AbortSignal): Promise<void> {
  const empty = createDeferred<void>();
  const check = (): void => {
    if (instances.cache.size === 0) empty.resolve();
  };
  const stop = instances.cache.onEvent(check);
  const onAbort = (): void => empty.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await waitForCurrent(instances, signal);
    check();
    await empty.promise;
    signal.throwIfAborted();
  } finally {
    stop();
    signal.removeEventListener('abort', onAbort);
  }
}

function state(finalization: Finalization, status: string, reason: string, message: string): Promise<void> {
  const condition: Statement = { type: 'Terminating', status, reason, message };
  const now = formatTime(finalization.env.clock.nowMs());
  return change(finalization, '/status', (definition) => ({
    ...definition,
    status: { ...definition.status, conditions: withCondition(definition.status?.conditions ?? [], condition, now) },
  }));
}

/** Reads, changes and writes until nobody comes between. */
async function change(
  { handle, present, signal }: Finalization,
  subresource: string,
  next: (definition: CustomResourceDefinition) => object,
): Promise<void> {
  const name = present()?.metadata?.name;
  const uid = present()?.metadata?.uid;
  for (let attempt = 1; ; attempt++) {
    try {
      const read = await ownRequest(handle, signal, { method: 'GET', path: `${definitionsPath}/${name}` });
      if (read.metadata?.uid !== uid) return;
      const object = next(read as CustomResourceDefinition);
      await ownRequest(handle, signal, { method: 'PUT', path: `${definitionsPath}/${name}${subresource}`, object });
      return;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      if (!isApiError(error, 'Conflict') || attempt >= attemptsMax) throw error;
    }
  }
}
