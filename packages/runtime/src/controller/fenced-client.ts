// A client whose writes are noted for the read-your-writes fence. Dry runs are not: they change nothing.
// It wraps; it decides nothing about when a key may go on.

import { type ApiError, type Status } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import {
  apiErrorOf,
  type Client,
  isNotFound,
  isTransportError,
  keyOf,
  type ObjectKey,
  type ResourceType,
  toKey,
} from '@homeostat/client';
import type { Write } from './write-fence.ts';

export interface FencedClientOptions {
  readonly client: Client;
  /** Receives each write once its answer is known. */
  readonly note: (write: Write) => void;
  /** The uid of an object in the cache, for writes that don't name one. */
  readonly uidOf: (resource: string, key: ObjectKey) => string | undefined;
}

/** The name under which the fence knows a resource. */
export function fenceId(resource: { readonly group: string; readonly resource: string }): string {
  return `${resource.resource}.${resource.group}`;
}

/** Wraps a client. */
export function createFencedClient(options: FencedClientOptions): Client {
  const { client, note, uidOf } = options;

  const noted = async <T extends KubeObject>(
    resource: ResourceType,
    key: ObjectKey,
    dryRun: boolean | undefined,
    write: Promise<T>,
  ): Promise<T> => {
    const id = fenceId(resource);
    try {
      const object = await write;
      const version = object.metadata?.resourceVersion;
      if (dryRun !== true && version !== undefined && version !== '') {
        note({ kind: 'version', resource: id, object: key, resourceVersion: version });
      }
      return object;
    } catch (error) {
      if (dryRun !== true && isUnanswered(error)) note({ kind: 'uncertain', resource: id, object: key });
      throw error;
    }
  };

  const removed = async (
    resource: ResourceType,
    key: ObjectKey,
    options: { readonly uid: string | undefined; readonly dryRun: boolean | undefined },
    write: Promise<KubeObject>,
  ): Promise<KubeObject> => {
    const id = fenceId(resource);
    // What the cache shows now is what the caller meant.
    const uid = options.uid ?? uidOf(id, key);
    const note1 = (known: string | undefined): void => {
      if (options.dryRun !== true && known !== undefined)
        note({ kind: 'removed', resource: id, object: key, uid: known });
    };
    try {
      const answer = await write;
      note1(uid ?? (answer as Partial<Status>).details?.uid);
      // An object that lives on (grace, finalizers) was changed.
      const version = answer.kind === 'Status' ? undefined : answer.metadata?.resourceVersion;
      if (options.dryRun !== true && version !== undefined)
        note({ kind: 'version', resource: id, object: key, resourceVersion: version });
      return answer;
    } catch (error) {
      if (isNotFound(error)) note1(uid);
      else if (options.dryRun !== true && isUnanswered(error)) note({ kind: 'uncertain', resource: id, object: key });
      throw error;
    }
  };

  return {
    ...client,
    create: (resource, o) => {
      const namespace = o.namespace ?? o.object.metadata?.namespace;
      const key = toKey(namespace, o.name ?? o.object.metadata?.name ?? o.object.metadata?.generateName ?? '');
      return noted(resource, key, o.dryRun, client.create(resource, o));
    },
    createSubresource: async (resource, o) => {
      const id = fenceId(resource);
      const key = toKey(o.namespace ?? o.object.metadata?.namespace, o.name);
      if (o.subresource === 'eviction') {
        return removed(
          resource,
          key,
          { uid: evictedUid(o.object), dryRun: o.dryRun },
          client.createSubresource(resource, o),
        );
      }
      if (o.subresource !== 'binding') return client.createSubresource(resource, o);
      const uid = o.object.metadata?.uid ?? uidOf(id, key);
      try {
        const answer = await client.createSubresource(resource, o);
        if (o.dryRun !== true && uid !== undefined) note({ kind: 'bound', resource: id, object: key, uid });
        return answer;
      } catch (error) {
        if (o.dryRun !== true && isUnanswered(error)) note({ kind: 'uncertain', resource: id, object: key });
        throw error;
      }
    },
    update: (resource, o) => noted(resource, keyOf(o.object), o.dryRun, client.update(resource, o)),
    updateStatus: (resource, o) => noted(resource, keyOf(o.object), o.dryRun, client.updateStatus(resource, o)),
    patch: (resource, o) => noted(resource, toKey(o.namespace, o.name), o.dryRun, client.patch(resource, o)),
    apply: (resource, o) => noted(resource, keyOf(o.object), o.dryRun, client.apply(resource, o)),
    delete: (resource, o) =>
      removed(
        resource,
        toKey(o.namespace, o.name),
        { uid: o.preconditions?.uid, dryRun: o.dryRun },
        client.delete(resource, o),
      ),
  };
}

/** The request may have been carried out though no answer, or only a time-out, came back. */
function isUnanswered(error: unknown): boolean {
  const found: ApiError | undefined = apiErrorOf(error);
  if (found !== undefined) return found.code === 504 || found.reason === 'Timeout' || found.reason === 'ServerTimeout';
  return !isTransportError(error, 'refused') && !(error instanceof TypeError);
}

function evictedUid(eviction: KubeObject): string | undefined {
  const { deleteOptions } = eviction as {
    readonly deleteOptions?: { readonly preconditions?: { readonly uid?: string } };
  };
  return deleteOptions?.preconditions?.uid ?? eviction.metadata?.uid;
}
