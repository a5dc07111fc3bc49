// A client whose writes are noted for the read-your-writes fence and for the run that makes them. Dry runs are not: they change
// nothing. It wraps; it decides nothing about when a key may go on.

import { type ApiError, type Status } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import {
  apiErrorOf,
  type Client,
  isNotFound,
  isTransportError,
  keyOf,
  type ObjectKey,
  type PatchKind,
  type ResourceType,
  toKey,
} from '@homeostat/client';
import { LeadershipLostError, LeadershipUnsureError } from '../leader-election/leadership.ts';
import type { Write } from './write-fence.ts';

export interface FencedClientOptions {
  readonly client: Client;
  /** Receives each write once its answer is known. */
  readonly note: (write: Write) => void;
  /** The uid of an object in the cache, for writes that don't name one. */
  readonly uidOf: (resource: string, key: ObjectKey) => string | undefined;
  /** Is told of each write that goes out, and through the returned function of what came of it. */
  readonly sending?: (write: SentWrite) => (result?: WriteResult, error?: unknown) => void;
  /** Ends calls that bring no signal of their own. */
  readonly signal?: AbortSignal;
}

/** A write as it is sent. */
export interface SentWrite {
  /** {@link fenceId}. */
  readonly resource: string;
  readonly object: ObjectKey;
  /** `other`: on a subresource of another kind. */
  readonly verb: 'create' | 'update' | 'patch' | 'delete' | 'other';
  readonly patchType?: PatchKind;
  readonly body?: unknown;
  readonly subresource?: string;
}

/** What came of it: the object as it is now, the uid of one that is gone, or nothing that is known. */
export type WriteResult = { readonly object: KubeObject } | { readonly goneUid: string } | undefined;

/** The name under which the fence knows a resource. */
export function fenceId(resource: { readonly group: string; readonly resource: string }): string {
  return `${resource.resource}.${resource.group}`;
}

/** Wraps a client. */
export function createFencedClient(options: FencedClientOptions): Client {
  const { note, uidOf, sending = () => () => {} } = options;
  const client = options.signal === undefined ? options.client : withSignal(options.client, options.signal);

  const noted = async <T extends KubeObject>(
    sent: SentWrite,
    dryRun: boolean | undefined,
    send: () => Promise<T>,
  ): Promise<T> => {
    if (dryRun === true) return send();
    const settle = sending(sent);
    const { resource, object: key } = sent;
    try {
      const object = await send();
      const version = object.metadata?.resourceVersion;
      if (version !== undefined && version !== '') {
        note({ kind: 'version', resource, object: key, resourceVersion: version });
      }
      settle(sent.verb === 'other' ? undefined : { object });
      return object;
    } catch (error) {
      if (isUnanswered(error)) note({ kind: 'uncertain', resource, object: key });
      settle(undefined, error);
      throw error;
    }
  };

  const removed = async (
    sent: SentWrite,
    given: { readonly uid: string | undefined; readonly dryRun: boolean | undefined },
    send: () => Promise<KubeObject>,
  ): Promise<KubeObject> => {
    if (given.dryRun === true) return send();
    const settle = sending(sent);
    const { resource, object } = sent;
    // What the cache shows now is what the caller meant.
    const uid = given.uid ?? uidOf(resource, object);
    const gone = (known: string | undefined): void => {
      if (known !== undefined) note({ kind: 'removed', resource, object, uid: known });
    };
    try {
      const answer = await send();
      const known = uid ?? (answer as Partial<Status>).details?.uid;
      gone(known);
      // An object that lives on (grace, finalizers) was changed.
      const version = answer.kind === 'Status' ? undefined : answer.metadata?.resourceVersion;
      if (version !== undefined) note({ kind: 'version', resource, object, resourceVersion: version });
      // An eviction's answer does not say whether the Pod is gone.
      if (sent.verb !== 'delete') settle();
      else settle(version === undefined ? goneOf(known) : { object: answer });
      return answer;
    } catch (error) {
      if (isNotFound(error)) gone(uid);
      else if (isUnanswered(error)) note({ kind: 'uncertain', resource, object });
      settle(isNotFound(error) && sent.verb === 'delete' ? goneOf(uid) : undefined, error);
      throw error;
    }
  };

  return {
    ...client,
    create: (resource, o) => {
      const namespace = o.namespace ?? o.object.metadata?.namespace;
      const object = toKey(namespace, o.name ?? o.object.metadata?.name ?? o.object.metadata?.generateName ?? '');
      const verb = o.subresource === undefined ? 'create' : 'other';
      const sent: SentWrite = { resource: fenceId(resource), object, verb, ...subresourceOf(o) };
      return noted(sent, o.dryRun, () => client.create(resource, o));
    },
    createSubresource: async (resource, o) => {
      const id = fenceId(resource);
      const object = toKey(o.namespace ?? o.object.metadata?.namespace, o.name);
      const sent: SentWrite = { resource: id, object, verb: 'other', subresource: o.subresource };
      const send = (): Promise<KubeObject> => client.createSubresource(resource, o);
      if (o.subresource === 'eviction') return removed(sent, { uid: evictedUid(o.object), dryRun: o.dryRun }, send);
      if (o.subresource !== 'binding' || o.dryRun === true) return send();
      const uid = o.object.metadata?.uid ?? uidOf(id, object);
      const settle = sending(sent);
      try {
        const answer = await send();
        if (uid !== undefined) note({ kind: 'bound', resource: id, object, uid });
        settle();
        return answer;
      } catch (error) {
        if (isUnanswered(error)) note({ kind: 'uncertain', resource: id, object });
        settle(undefined, error);
        throw error;
      }
    },
    update: (resource, o) => noted(updated(resource, o), o.dryRun, () => client.update(resource, o)),
    updateStatus: (resource, o) =>
      noted({ ...updated(resource, o), subresource: 'status' }, o.dryRun, () => client.updateStatus(resource, o)),
    patch: (resource, o) => {
      const object = toKey(o.namespace, o.name);
      const verb = isOfItself(o.subresource) ? 'patch' : 'other';
      const sent: SentWrite = {
        resource: fenceId(resource),
        object,
        verb,
        patchType: o.type,
        body: o.patch,
        ...subresourceOf(o),
      };
      return noted(sent, o.dryRun, () => client.patch(resource, o));
    },
    apply: (resource, o) => {
      const verb = isOfItself(o.subresource) ? 'patch' : 'other';
      const object = keyOf(o.object);
      const sent: SentWrite = {
        resource: fenceId(resource),
        object,
        verb,
        patchType: 'apply',
        body: o.object,
        ...subresourceOf(o),
      };
      return noted(sent, o.dryRun, () => client.apply(resource, o));
    },
    delete: (resource, o) =>
      removed(
        { resource: fenceId(resource), object: toKey(o.namespace, o.name), verb: 'delete' },
        { uid: o.preconditions?.uid, dryRun: o.dryRun },
        () => client.delete(resource, o),
      ),
    // Which objects it took is only seen in a list.
    deleteCollection: async (resource, o) => {
      const taken = (): void => {
        if (o?.dryRun === true) return;
        note({ kind: 'uncertain', resource: fenceId(resource), object: toKey(o?.namespace, '*') });
      };
      try {
        const answer = await client.deleteCollection(resource, o);
        taken();
        return answer;
      } catch (error) {
        if (isUnanswered(error)) taken();
        throw error;
      }
    },
  };
}

function goneOf(uid: string | undefined): WriteResult {
  return uid === undefined ? undefined : { goneUid: uid };
}

function updated(
  resource: ResourceType,
  o: { readonly object: KubeObject; readonly subresource?: string | undefined },
): SentWrite {
  const verb = isOfItself(o.subresource) ? 'update' : 'other';
  return { resource: fenceId(resource), object: keyOf(o.object), verb, body: o.object, ...subresourceOf(o) };
}

function subresourceOf({ subresource }: { readonly subresource?: string | undefined }): { subresource?: string } {
  return subresource === undefined ? {} : { subresource };
}

/** Other subresources (`scale`) answer with another kind. */
function isOfItself(subresource: string | undefined): boolean {
  return subresource === undefined || subresource === 'status';
}

/** The same client; calls end with `signal` unless they bring their own. */
function withSignal(client: Client, signal: AbortSignal): Client {
  return {
    ...client,
    get: (resource, o) => client.get(resource, { signal, ...o }),
    list: (resource, o) => client.list(resource, { signal, ...o }),
    listPages: (resource, o) => client.listPages(resource, { signal, ...o }),
    watch: (resource, o) => client.watch(resource, { signal, ...o }),
    create: (resource, o) => client.create(resource, { signal, ...o }),
    createSubresource: (resource, o) => client.createSubresource(resource, { signal, ...o }),
    update: (resource, o) => client.update(resource, { signal, ...o }),
    updateStatus: (resource, o) => client.updateStatus(resource, { signal, ...o }),
    patch: (resource, o) => client.patch(resource, { signal, ...o }),
    apply: (resource, o) => client.apply(resource, { signal, ...o }),
    delete: (resource, o) => client.delete(resource, { signal, ...o }),
    deleteCollection: (resource, o) => client.deleteCollection(resource, { signal, ...o }),
    logs: (o) => client.logs({ signal, ...o }),
    request: (o) => client.request({ signal, ...o }),
    send: (o) => client.send({ signal, ...o }),
  };
}

/** The request may have been carried out though no answer, or only a time-out, came back. */
function isUnanswered(error: unknown): boolean {
  const found: ApiError | undefined = apiErrorOf(error);
  if (found !== undefined) return found.code === 504 || found.reason === 'Timeout' || found.reason === 'ServerTimeout';
  // A leader's write that came too late was not sent.
  if (error instanceof LeadershipLostError || error instanceof LeadershipUnsureError) return false;
  return !isTransportError(error, 'refused') && !(error instanceof TypeError);
}

function evictedUid(eviction: KubeObject): string | undefined {
  const { deleteOptions } = eviction as {
    readonly deleteOptions?: { readonly preconditions?: { readonly uid?: string } };
  };
  return deleteOptions?.preconditions?.uid ?? eviction.metadata?.uid;
}
