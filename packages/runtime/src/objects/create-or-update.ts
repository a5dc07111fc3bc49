// "Make it so" in one call, for plain reconciles: read, change, and create, update, patch or leave alone. Plans say the same as data.

import { createMergePatch, deepEqual, type Json, type KubeObject } from '@homeostat/machinery';
import { type Client, isNotFound, type ResourceType, toKey } from '@homeostat/client';
import type { Lister } from '../store/lister.ts';

/** controller-runtime's words for what was done. */
export type OperationResult = 'unchanged' | 'created' | 'updated' | 'updatedStatus' | 'updatedStatusOnly';

export interface CreateOrUpdateOptions<T extends KubeObject> {
  readonly resource: ResourceType<T>;
  /** Absent for cluster-scoped resources. */
  readonly namespace?: string;
  readonly name: string;
  /** The object as it should be, built from what is there, or from one with a name only. Must not change name or namespace. */
  mutate(this: void, object: T): T;
  /** Where to read, e.g. `caches.lister(resource)`; default live. */
  readonly lister?: Lister<T>;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

export interface OperationOutcome<T> {
  readonly operation: OperationResult;
  /** As the server answered, or as it was read when nothing was done. */
  readonly object: T;
}

type JsonMap = { readonly [key: string]: Json };

/**
 * Creates the object, or replaces it when `mutate` changes anything. The update carries the version that was read.
 * @throws ApiError Conflict when somebody else wrote in between, AlreadyExists when a cache did not show it yet: run again.
 */
export async function createOrUpdate<T extends KubeObject>(
  client: Client,
  options: CreateOrUpdateOptions<T>,
): Promise<OperationOutcome<T>> {
  const existing = await read(client, options);
  if (existing === undefined) return { operation: 'created', object: await create(client, options) };
  const wanted = mutated(options, existing);
  if (deepEqual(existing, wanted)) return { operation: 'unchanged', object: existing };
  return {
    operation: 'updated',
    object: await client.update(options.resource, { ...writeFields(options), object: wanted }),
  };
}

/**
 * Creates the object, or patches what `mutate` changes: the status through its subresource, the rest by a merge patch. Fields that others
 * write meanwhile stay theirs: there is no lock, but patches hold the uid that was read.
 */
export async function createOrPatch<T extends KubeObject>(
  client: Client,
  options: CreateOrUpdateOptions<T>,
): Promise<OperationOutcome<T>> {
  const existing = await read(client, options);
  if (existing === undefined) return { operation: 'created', object: await create(client, options) };
  const { status: statusPatch, ...patch } = createMergePatch(
    existing as unknown as JsonMap,
    mutated(options, existing) as unknown as JsonMap,
  );
  const { resource, namespace, name } = options;
  const uid = existing.metadata?.uid ?? '';
  const send = (body: JsonMap, subresource?: string): Promise<T> =>
    client.patch(resource, {
      ...writeFields(options),
      namespace,
      name,
      type: 'merge',
      patch: { ...body, metadata: { ...(body['metadata'] as JsonMap | undefined), uid } },
      ...(subresource === undefined ? {} : { subresource }),
    });
  const changesBody = Object.keys(patch).length > 0;
  let object = existing;
  if (changesBody) object = await send(patch);
  if (statusPatch !== undefined) object = await send({ status: statusPatch }, 'status');
  if (statusPatch === undefined) return { operation: changesBody ? 'updated' : 'unchanged', object };
  return { operation: changesBody ? 'updatedStatus' : 'updatedStatusOnly', object };
}

async function read<T extends KubeObject>(client: Client, options: CreateOrUpdateOptions<T>): Promise<T | undefined> {
  const { resource, namespace, name, lister, signal } = options;
  if (lister !== undefined) return lister.get(namespace, name);
  try {
    return await client.get(resource, { namespace, name, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function create<T extends KubeObject>(client: Client, options: CreateOrUpdateOptions<T>): Promise<T> {
  const { resource, namespace, name } = options;
  const bare: KubeObject = { metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
  // Kinds have optional fields throughout: an object with a name only is one.
  const object = mutated(options, bare as T);
  return client.create(resource, { ...writeFields(options), namespace, object });
}

function mutated<T extends KubeObject>({ mutate, namespace, name }: CreateOrUpdateOptions<T>, object: T): T {
  const wanted = mutate(object);
  if (toKey(wanted.metadata?.namespace, wanted.metadata?.name ?? '') !== toKey(namespace, name))
    throw new Error('mutate must not change the name or the namespace of the object');
  return wanted;
}

function writeFields({ fieldManager, signal }: { readonly fieldManager?: string; readonly signal?: AbortSignal }): {
  fieldManager?: string;
  signal?: AbortSignal;
} {
  return { ...(fieldManager === undefined ? {} : { fieldManager }), ...(signal === undefined ? {} : { signal }) };
}
