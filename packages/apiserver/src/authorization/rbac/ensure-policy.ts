// At start, makes the default RBAC objects that are missing and repairs those that lost something, through the server's
// own front door (spec/apiserver.md §17.1). What to do is decided in `reconcile-policy.ts`.

import { isApiError } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { ownRequest } from '../../registry/bootstrap/own-request.ts';
import { type DefaultPolicyObject, defaultPolicy, policyPath } from './bootstrap-policy.ts';
import type { BindingObject } from './rbac-policy.ts';
import { repairBinding, repairRole } from './reconcile-policy.ts';

/** Attempts for an object that somebody else writes at the same moment. */
const attemptsMax = 3;

/** Objects written at the same time. */
const parallelMax = 16;

export interface EnsurePolicyOptions {
  readonly handle: Handle;
  /** The stored object, as fresh as can be had without a request; a miss costs one refused create. */
  readonly lookup: (object: DefaultPolicyObject) => KubeObject | undefined;
  readonly signal: AbortSignal;
}

/** Resolves when every default object is stored. @throws the first error that is no race with another writer. */
export async function ensureDefaultPolicy(options: EnsurePolicyOptions): Promise<void> {
  const objects = defaultPolicy();
  // Bindings after roles: nobody shall meet a binding whose role is not there yet.
  for (const kinds of [
    ['clusterroles', 'roles'],
    ['clusterrolebindings', 'rolebindings'],
  ]) {
    const queue = objects.filter(({ resource }) => kinds.includes(resource));
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await ensure(next, options);
    };
    await Promise.all(Array.from({ length: parallelMax }, worker));
  }
}

async function ensure(wanted: DefaultPolicyObject, options: EnsurePolicyOptions): Promise<void> {
  let stored = options.lookup(wanted);
  for (let attempt = 1; ; attempt++) {
    const repair =
      'roleRef' in wanted.object
        ? repairBinding(stored as BindingObject | undefined, wanted.object)
        : repairRole(stored, wanted.object);
    if (repair.action === 'none') return;
    const collection = policyPath(wanted.resource, wanted.object.metadata?.namespace);
    const path = `${collection}/${encodeURIComponent(wanted.object.metadata?.name ?? '')}`;
    try {
      if (repair.action === 'recreate') await send(options, 'DELETE', path);
      if (repair.action === 'update') await send(options, 'PUT', path, repair.object);
      else await send(options, 'POST', collection, repair.object);
      return;
    } catch (error) {
      if (attempt === attemptsMax || !isApiError(error, 'AlreadyExists', 'Conflict', 'NotFound')) throw error;
      stored = await read(options, path);
    }
  }
}

async function read(options: EnsurePolicyOptions, path: string): Promise<KubeObject | undefined> {
  try {
    return await send(options, 'GET', path);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function send(
  { handle, signal }: EnsurePolicyOptions,
  method: string,
  path: string,
  object?: KubeObject,
): Promise<KubeObject> {
  return ownRequest(handle, signal, object === undefined ? { method, path } : { method, path, object });
}
