// The client over any transport: what each call asks for.

import { type KubeList, type KubeObject, toApiVersion } from '@homeostat/machinery';
import type { Named } from '../resource/object-key.ts';
import type { ResourceType } from '../resource/resource-type.ts';
import { excerpt, readBody } from '../rest/body.ts';
import { decodeError } from '../rest/decode-error.ts';
import { readAll, readPages } from '../rest/pager.ts';
import { toPartialEvents, toPartialMetadata } from '../rest/partial-metadata.ts';
import type { ResourcePathOptions } from '../rest/resource-path.ts';
import { readWatch } from '../rest/watch-stream.ts';
import type { ApiResponse } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { type Call, type CallerOptions, createCaller } from './caller.ts';
import type {
  CallOptions,
  Client,
  DeleteFields,
  ListOptions,
  PatchKind,
  SelectOptions,
  WriteOptions,
} from './client.ts';

export interface ClientOptions extends CallerOptions {
  /** Of writes that name none. */
  readonly fieldManager?: string;
  /** Writes change nothing, unless a call says `dryRun: false`. */
  readonly dryRun?: boolean;
  /** Of writes that say nothing. */
  readonly fieldValidation?: WriteOptions['fieldValidation'];
}

const patchTypes: Readonly<Record<PatchKind, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Creates a {@link Client}; nothing is sent before the first call. */
export function createClient(options: ClientOptions): Client {
  const { send, call, object } = createCaller(options);

  const list = async <T extends KubeObject>(
    resource: ResourceType<T>,
    listOptions: ListOptions,
  ): Promise<KubeList<T>> => {
    const value = await object<KubeList<T>>({
      method: 'GET',
      resource,
      path: { namespace: listOptions.namespace },
      query: {
        ...selectQuery(listOptions),
        limit: listOptions.limit,
        continue: listOptions.continue,
        resourceVersion: listOptions.resourceVersion,
        resourceVersionMatch: listOptions.resourceVersionMatch,
      },
      list: true,
      ...callOptions(listOptions),
    });
    return { ...value, items: withKind(resource, itemsOf(resource, value)) };
  };

  const writeQuery = (o: WriteOptions): Readonly<Record<string, string | undefined>> => ({
    dryRun: (o.dryRun ?? options.dryRun) === true ? 'All' : undefined,
    fieldManager: o.fieldManager ?? options.fieldManager,
    fieldValidation: o.fieldValidation ?? options.fieldValidation,
  });

  const replace = (
    resource: ResourceType,
    o: WriteOptions & { readonly namespace?: string | undefined; readonly object: KubeObject },
    subresource: string | undefined,
  ): Call => ({
    method: 'PUT',
    resource,
    path: namePath(resource, o.object, { namespace: o.namespace, subresource }),
    query: writeQuery(o),
    body: o.object,
    ...callOptions(o),
  });

  return {
    get: async (resource, o) => {
      const found = await object<NonNullable<(typeof resource)['objectType']>>({
        method: 'GET',
        resource,
        path: { namespace: o.namespace, name: o.name, subresource: o.subresource },
        query: { resourceVersion: o.resourceVersion },
        ...callOptions(o),
      });
      return resource.as === 'metadata' ? toPartialMetadata(found) : found;
    },
    list: (resource, o = {}) => list(resource, o),
    listPages: (resource, o = {}) => readPages((page) => list(resource, page), o),
    listAll: (resource, o = {}) => readAll((page) => list(resource, page), o),
    watch: async <T extends KubeObject>(resource: ResourceType<T>, o: Parameters<Client['watch']>[1] = {}) => {
      const response = await call({
        method: 'GET',
        resource,
        path: { namespace: o.namespace },
        query: {
          watch: true,
          ...selectQuery(o),
          resourceVersion: o.resourceVersion,
          resourceVersionMatch: o.resourceVersionMatch,
          allowWatchBookmarks: o.allowWatchBookmarks,
          // False is not the same as nothing said: then the version decides.
          sendInitialEvents: o.sendInitialEvents === undefined ? undefined : String(o.sendInitialEvents),
          timeoutSeconds: o.timeoutSeconds,
        },
        stream: true,
        retriesMax: o.retriesMax,
        ...callOptions(o),
      });
      const events = readWatch<T>(response, o.signal);
      return resource.as === 'metadata' ? toPartialEvents(events) : events;
    },
    create: async (resource, o) =>
      object({
        method: 'POST',
        resource,
        path: {
          namespace: resource.namespaced ? namespaceToCreateIn(resource, o) : o.namespace,
          name: o.name,
          subresource: o.subresource,
        },
        query: writeQuery(o),
        body: o.object,
        ...callOptions(o),
      }),
    createSubresource: (resource, o) =>
      object({
        method: 'POST',
        resource,
        path: { namespace: o.namespace ?? o.object.metadata?.namespace, name: o.name, subresource: o.subresource },
        query: writeQuery(o),
        body: o.object,
        ...callOptions(o),
      }),
    update: (resource, o) => object(replace(resource, o, o.subresource)),
    updateStatus: (resource, o) => object(replace(resource, o, 'status')),
    patch: (resource, o) =>
      object({
        method: 'PATCH',
        resource,
        path: { namespace: o.namespace, name: o.name, subresource: o.subresource },
        query: { ...writeQuery(o), force: o.force },
        body: o.patch,
        contentType: patchTypes[o.type],
        ...callOptions(o),
      }),
    apply: async (resource, o) => {
      const named: Named = o.object;
      if ((o.fieldManager ?? options.fieldManager ?? '') === '')
        throw new TypeError(`applying ${resource.resource} needs a fieldManager, of the call or of the client`);
      return object({
        method: 'PATCH',
        resource,
        path: namePath(resource, named, o),
        query: { ...writeQuery(o), force: o.force },
        body: { apiVersion: resource.apiVersion ?? toApiVersion(resource), kind: resource.kind, ...o.object },
        contentType: patchTypes.apply,
        ...callOptions(o),
      });
    },
    delete: (resource, o) =>
      object({
        method: 'DELETE',
        resource,
        path: { namespace: o.namespace, name: o.name },
        body: deleteBody({ dryRun: options.dryRun, ...o }, o.preconditions),
        ...callOptions(o),
      }),
    deleteCollection: (resource, o = {}) =>
      object({
        method: 'DELETE',
        resource,
        path: { namespace: o.namespace },
        query: selectQuery(o),
        body: deleteBody({ dryRun: options.dryRun, ...o }, undefined),
        ...callOptions(o),
      }),
    logs: async ({
      signal,
      namespace,
      name,
      container,
      follow,
      previous,
      timestamps,
      tailLines,
      sinceSeconds,
      sinceTime,
      limitBytes,
    }) => {
      const response = await call({
        method: 'GET',
        resource: podResource,
        path: { namespace, name, subresource: 'log' },
        query: { container, follow, previous, timestamps, tailLines, sinceSeconds, sinceTime, limitBytes },
        stream: true,
        ...(signal === undefined ? {} : { signal }),
      });
      return toByteStream(response);
    },
    request: async (request) => {
      const response = await send(request, false);
      if (response.status >= 300) throw await decodeError(response, { method: request.method });
      return readBody(response);
    },
    send: (request) => send(request, true),
  };
}

const podResource: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/** @throws TransportError for an answer that is no list: taken for an empty one it would say that everything is gone. */
function itemsOf<T extends KubeObject>({ resource }: ResourceType<T>, list: KubeList<T>): readonly T[] {
  const items = list.items as readonly unknown[] | null | undefined;
  // Go writes a nil slice as null, or leaves it out.
  if (items === null || (items === undefined && list.kind?.endsWith('List') === true)) return [];
  if (Array.isArray(items) && items.every((item) => typeof item === 'object' && item !== null))
    return items as readonly T[];
  throw new TransportError('protocol', `wanted a list of ${resource}, got ${excerpt(list)}`);
}

/** Lists leave kind and apiVersion out of their items; whoever holds an object wants to know what it is. */
function withKind<T extends KubeObject>(resource: ResourceType<T>, items: readonly T[]): readonly T[] {
  if (resource.as === 'metadata') return items.map((item: T) => toPartialMetadata(item));
  const first: T | undefined = items[0];
  if (first === undefined || first.kind !== undefined) return items;
  const apiVersion = toApiVersion(resource);
  const { kind } = resource;
  return items.map((item: T) => ({ apiVersion, kind, ...item }));
}

function callOptions(options: CallOptions): CallOptions {
  return {
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
    ...(options.impersonate === undefined ? {} : { impersonate: options.impersonate }),
    ...(options.lane === undefined ? {} : { lane: options.lane }),
  };
}

function selectQuery(options: SelectOptions): {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
} {
  return { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
}

/** @throws TypeError without one: the server would only say that nothing can be created across all namespaces. */
function namespaceToCreateIn(
  { resource }: ResourceType,
  {
    namespace,
    object,
    subresource,
  }: { readonly namespace?: string | undefined; readonly object: Named; readonly subresource?: string },
): string | undefined {
  // What is created on a subresource is not the object itself.
  const found =
    subresource === undefined
      ? agreedNamespace(resource, object, namespace)
      : (namespace ?? object.metadata?.namespace);
  if (found !== undefined && found !== '') return found;
  throw new TypeError(`creating ${resource} needs a namespace, in the call or in the object's metadata`);
}

/** The namespace of the call or of the object. @throws TypeError when they differ: one of them is a slip. */
function agreedNamespace(resource: string, { metadata }: Named, namespace: string | undefined): string | undefined {
  const own = metadata?.namespace;
  if (own === undefined || own === '') return namespace;
  if (namespace === undefined || namespace === own) return own;
  const name = metadata?.name ?? '';
  throw new TypeError(`the object ${resource}/${name} is in namespace ${own}, the call says ${namespace}`);
}

/** A cluster-scoped object may carry a namespace that means nothing; a call that names one is refused by the path. */
function namePath(
  { resource, namespaced }: ResourceType,
  named: Named,
  { namespace, subresource }: { readonly namespace?: string | undefined; readonly subresource?: string | undefined },
): ResourcePathOptions {
  return {
    namespace: namespaced ? agreedNamespace(resource, named, namespace) : namespace,
    name: named.metadata?.name ?? '',
    subresource,
  };
}

function deleteBody(
  fields: DeleteFields,
  preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined,
): unknown {
  const { propagationPolicy, gracePeriodSeconds, dryRun } = fields;
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}

async function* toByteStream(response: ApiResponse): AsyncGenerator<Uint8Array, void, void> {
  const { body } = response;
  if (body.kind === 'bytes' || body.kind === 'stream') yield* body.chunks;
  else if (body.kind !== 'empty')
    throw new TransportError('protocol', `wanted bytes, got an answer of kind ${body.kind}`);
}
