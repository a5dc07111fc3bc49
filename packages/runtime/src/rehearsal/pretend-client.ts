// A client that answers writes as if they were done, and shows them to its own reads. Nothing reaches the server but reads, and dry runs
// where they are asked for.

import { isApiError } from '@homeostat/base';
import {
  type Client,
  keyOf,
  type ListPage,
  type ObjectKey,
  type ResourceType,
  splitKey,
  toKey,
} from '@homeostat/client';
import { type Json, type KubeList, type KubeObject, newNotFound, parseLabelSelector } from '@homeostat/machinery';
import type { Action } from '../controller/plan.ts';
import { fenceId } from '../controller/fenced-client.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';
import { pretendApply, pretendPatch } from './pretend-patch.ts';
import {
  keyOfNew,
  type Left,
  pretendChange,
  pretendCreate,
  pretendDelete,
  saysTheSame,
  scaled,
  type Target,
} from './pretend-write.ts';
import type { PretendedWorld } from './pretended-world.ts';

/** A write that was not made. */
export interface RehearsedWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete';
  /** `<resource>.<group>` */
  readonly resource: string;
  readonly kind: string;
  readonly object: ObjectKey;
  readonly subresource?: string;
  /** Of the plan's action. */
  readonly reason?: string;
  readonly facts?: Readonly<Record<string, Json>>;
  /** Absent: there is none. */
  readonly before?: KubeObject;
  /** Absent: it is gone, or the write was refused. */
  readonly after?: KubeObject;
  /** Empty: it would change nothing. */
  readonly changes: readonly FieldChange[];
  /** Why it would be refused. */
  readonly error?: string;
  /** Who said what it would come to. */
  readonly answeredBy: 'local' | 'server';
}

/** What can't be pretended: the answer would come from elsewhere. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
}

export interface PretendClientOptions {
  /** For reads, and dry runs. */
  readonly client: Client;
  readonly world: PretendedWorld;
  /** The state of an object before anything was pretended. */
  readonly read: (resource: ResourceType, key: ObjectKey) => Promise<KubeObject | undefined>;
  readonly dryRun: 'local' | 'server';
  readonly nowMs: () => number;
  /** Takes the reason of the action that the next call is for. */
  readonly action: () => Action | undefined;
  readonly onWrite: (write: RehearsedWrite) => void;
  /** The writes were made, and done: preconditions, which name versions of that time, have held. */
  readonly replayed?: boolean;
}

interface Pretended {
  readonly verb: RehearsedWrite['verb'];
  readonly subresource?: string | undefined;
  /** What the write is for; has to be asked before anything is awaited. */
  readonly action: Action | undefined;
  readonly local: (target: Target, before: Left) => Left;
  /** The same as a dry run. */
  readonly server: () => Promise<KubeObject>;
}

export function createPretendClient(options: PretendClientOptions): Client {
  const { client, world, read, nowMs, replayed = false } = options;
  const held = <T>(claims: T): T | undefined => (replayed ? undefined : claims);

  const stateOf = async (resource: ResourceType, key: ObjectKey): Promise<Left> => {
    const pretended = world.find(fenceId(resource), key);
    if (pretended !== undefined) return pretended === 'gone' ? undefined : pretended;
    return read(resource, key);
  };

  /** The server knows nothing of what was pretended: what rests on that is answered here. */
  const serverCanTell = (resource: ResourceType, key: ObjectKey): boolean => {
    const { namespace } = splitKey(key);
    return (
      options.dryRun === 'server' &&
      world.find(fenceId(resource), key) === undefined &&
      (namespace === undefined || world.find('namespaces.', toKey(undefined, namespace)) === undefined)
    );
  };

  const write = async (resource: ResourceType, key: ObjectKey, how: Pretended): Promise<Left> => {
    const id = fenceId(resource);
    const { verb, subresource, action } = how;
    const answeredBy = serverCanTell(resource, key) ? 'server' : 'local';
    const before = await stateOf(resource, key);
    const told = {
      verb,
      resource: id,
      kind: resource.kind,
      object: key,
      answeredBy,
      ...(subresource === undefined ? {} : { subresource }),
      ...(action === undefined ? {} : { reason: action.reason, facts: action.facts }),
      ...(before === undefined ? {} : { before }),
    } as const;
    let after: Left;
    try {
      after =
        answeredBy === 'server'
          ? answered(await how.server(), before, world)
          : how.local({ resource, key, world, nowMs: nowMs() }, before);
    } catch (error) {
      if (isApiError(error)) options.onWrite({ ...told, changes: [], error: error.message });
      throw error;
    }
    if (after === undefined) world.remove(id, key, before?.metadata?.uid ?? '');
    else if (after !== before) world.set(id, key, after);
    options.onWrite({ ...told, changes: fieldChanges(before, after), ...(after === undefined ? {} : { after }) });
    return after;
  };

  const change = async <T extends KubeObject>(
    resource: ResourceType<T>,
    key: ObjectKey,
    how: Omit<Pretended, 'local'> & { readonly make: (before: KubeObject) => KubeObject; readonly claims: object },
  ): Promise<T> => {
    const { make, claims, subresource } = how;
    const local = (target: Target, before: Left): Left =>
      pretendChange(target, before, { change: make, claims: held(claims) ?? {}, subresource });
    // A Scale speaks for the object that it scales.
    const isScale = subresource === 'scale';
    const server = async (): Promise<KubeObject> =>
      scaled((await stateOf(resource, key)) ?? {}, replicasOf(await how.server()));
    const after = await write(resource, key, { ...how, ...(isScale ? { server } : {}), local });
    const left = after ?? (await read(resource, key)) ?? { metadata: {} };
    return (isScale ? scaleOf(left) : left) as T;
  };

  const gone = (key: ObjectKey): KubeObject =>
    ({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: splitKey(key).name },
    }) as KubeObject;

  const remove = async (resource: ResourceType, o: Parameters<Client['delete']>[1]): Promise<KubeObject> => {
    const key = toKey(o.namespace, o.name);
    const { preconditions: claims, propagationPolicy, gracePeriodSeconds } = o;
    const left = await write(resource, key, {
      verb: 'delete',
      action: options.action(),
      local: (target, before) =>
        pretendDelete(target, before, { claims: held(claims), propagationPolicy, gracePeriodSeconds }),
      server: () => client.delete(resource, { ...o, dryRun: true }),
    });
    return left ?? gone(key);
  };

  const listed = <T extends KubeObject>(
    resource: ResourceType<T>,
    items: readonly T[],
    o: { readonly namespace?: string | undefined; readonly labelSelector?: string } | undefined,
    isLast: boolean,
  ): readonly T[] => {
    const written = world.writtenTo(fenceId(resource));
    if (written.size === 0) return items;
    const selector = o?.labelSelector === undefined ? undefined : parseLabelSelector(o.labelSelector);
    const matches = ({ metadata }: KubeObject): boolean =>
      (o?.namespace === undefined || metadata?.namespace === o.namespace) &&
      selector?.matches(metadata?.labels) !== false;
    const kept = items.filter((item) => !written.has(keyOf(item)));
    if (!isLast) return kept;
    const added = Array.from(written.values(), (each) => ('object' in each ? (each.object as T) : undefined));
    return [...kept, ...added.filter((each) => each !== undefined && matches(each))] as T[];
  };

  async function* pages<T extends KubeObject>(
    resource: ResourceType<T>,
    o?: Parameters<Client['listPages']>[1],
  ): AsyncGenerator<ListPage<T>, void, void> {
    for await (const page of client.listPages(resource, o)) {
      yield { ...page, items: listed(resource, page.items, o, !page.more) };
    }
  }

  const list = async <T extends KubeObject>(
    found: Promise<KubeList<T>>,
    resource: ResourceType<T>,
    o?: Parameters<Client['list']>[1],
  ): Promise<KubeList<T>> => {
    const answer = await found;
    return { ...answer, items: listed(resource, answer.items, o, answer.metadata?.continue === undefined) };
  };

  const update = <T extends KubeObject>(
    resource: ResourceType<T>,
    o: Parameters<Client['update']>[1] & { readonly object: T },
    subresource: string | undefined,
    server: () => Promise<T>,
  ): Promise<T> => {
    const of = resource.subresource ?? subresource;
    const { uid, resourceVersion } = o.object.metadata ?? {};
    const claims = { uid, resourceVersion };
    const make = (before: KubeObject): KubeObject => (of === 'scale' ? scaled(before, replicasOf(o.object)) : o.object);
    if (of !== undefined && of !== 'status' && of !== 'scale') return refuse(`an update of ${of}`);
    return change(resource, keyOf(o.object), {
      verb: 'update',
      action: options.action(),
      subresource: of,
      make,
      claims,
      server,
    });
  };

  return {
    ...client,
    async get(resource, o) {
      const pretended = world.find(fenceId(resource), toKey(o.namespace, o.name));
      if (pretended === undefined || o.subresource !== undefined || resource.subresource !== undefined)
        return client.get(resource, o);
      if (pretended === 'gone') throw newNotFound(resource, o.name);
      return pretended as Awaited<
        ReturnType<typeof client.get<typeof resource extends ResourceType<infer T> ? T : never>>
      >;
    },
    list: (resource, o) => list(client.list(resource, o), resource, o),
    listAll: (resource, o) => list(client.listAll(resource, o), resource, o),
    listPages: pages,
    async create(resource, o) {
      if (o.subresource !== undefined) return refuse(`a create on ${o.subresource}`);
      const key = keyOfNew(o.object, o.namespace, world);
      const after = await write(resource, key, {
        verb: 'create',
        action: options.action(),
        local: (target, before) => pretendCreate(target, before, o.object),
        server: () => client.create(resource, { ...o, dryRun: true }),
      });
      return after as typeof o.object;
    },
    async createSubresource(resource, o) {
      const key = toKey(o.namespace ?? o.object.metadata?.namespace, o.name);
      if (o.subresource === 'eviction') return remove(resource, { name: o.name, namespace: splitKey(key).namespace });
      if (o.subresource !== 'binding') {
        if (options.dryRun === 'server') return client.createSubresource(resource, { ...o, dryRun: true });
        return refuse(`a create on ${o.subresource}`);
      }
      const { target } = o.object as { readonly target?: { readonly name?: string } };
      const make = (before: KubeObject): KubeObject => bound(before, target?.name);
      const server = (): Promise<KubeObject> => refuse('a dry run of a binding');
      await write(resource, key, {
        verb: 'update',
        action: options.action(),
        subresource: 'binding',
        local: (at, before) => pretendChange(at, before, { change: make, claims: {} }),
        server,
      });
      return gone(key);
    },
    update: (resource, o) => update(resource, o, o.subresource, () => client.update(resource, { ...o, dryRun: true })),
    updateStatus: (resource, o) =>
      update(resource, o, 'status', () => client.updateStatus(resource, { ...o, dryRun: true })),
    async patch(resource, o) {
      const action = options.action();
      const key = toKey(o.namespace, o.name);
      const of = resource.subresource ?? o.subresource;
      if (of !== undefined && of !== 'status' && of !== 'scale') return refuse(`a patch of ${of}`);
      const patch = replayed && o.type === 'json' ? withoutTests(o.patch as Json) : o.patch;
      const patching = { ...o, patch, resource, nowMs: nowMs() };
      const server = (): ReturnType<typeof client.patch<(typeof resource)['objectType'] & KubeObject>> =>
        client.patch(resource, { ...o, dryRun: true }) as never;
      const isNew = o.type === 'apply' && (await stateOf(resource, key)) === undefined;
      if (isNew) return (await created(resource, key, o.patch as KubeObject, { ...patching, action }, server)) as never;
      const make = (before: KubeObject): KubeObject =>
        of === 'scale'
          ? scaled(before, replicasOf(pretendPatch(scaleOf(before), patching)))
          : pretendPatch(before, patching);
      return change(resource, key, {
        verb: o.type === 'apply' ? 'apply' : 'patch',
        action,
        subresource: of,
        make,
        claims: claimsOf(o.patch),
        server,
      });
    },
    async apply(resource, o) {
      const action = options.action();
      const { object, ...rest } = o;
      const key = keyOf(object as KubeObject);
      const { namespace, name } = splitKey(key);
      const patching = { ...rest, type: 'apply' as const, patch: object as KubeObject, resource, nowMs: nowMs() };
      const server = () => client.apply(resource, { ...o, dryRun: true });
      if ((await stateOf(resource, key)) === undefined)
        return (await created(resource, key, object as KubeObject, { ...patching, action }, server)) as never;
      if (name === '') throw newNotFound(resource, namespace ?? '');
      const make = (before: KubeObject): KubeObject => pretendApply(before, patching);
      const claims = claimsOf(object as KubeObject);
      return change(resource, key, { verb: 'apply', action, subresource: o.subresource, make, claims, server });
    },
    delete: remove,
    async deleteCollection(resource, o) {
      const { namespace, labelSelector, fieldSelector, propagationPolicy, gracePeriodSeconds } = o ?? {};
      const select = {
        namespace,
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      };
      const how = {
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      };
      for await (const page of pages(resource, select)) {
        for (const { metadata } of page.items) {
          await remove(resource, { namespace: metadata?.namespace, name: metadata?.name ?? '', ...how });
        }
      }
      return gone(toKey(namespace, ''));
    },
    request: (request) =>
      isRead(request.method) ? client.request(request) : refuse(`${request.method} ${request.path}`),
    send: (request) => (isRead(request.method) ? client.send(request) : refuse(`${request.method} ${request.path}`)),
  };

  function created(
    resource: ResourceType,
    key: ObjectKey,
    config: KubeObject,
    patching: Parameters<typeof pretendApply>[1] & { readonly action: Action | undefined },
    server: () => Promise<KubeObject>,
  ): Promise<Left> {
    return write(resource, key, {
      verb: 'apply',
      action: patching.action,
      local: (target, before) => {
        if (!replayed && claimsOf(config).uid !== undefined) throw newNotFound(resource, splitKey(key).name);
        return pretendCreate(target, before, pretendApply(undefined, patching));
      },
      server,
    });
  }
}

/** What the server's dry run left, under a version that is newer than the cache's where it differs. */
function answered(answer: KubeObject, before: Left, world: PretendedWorld): Left {
  if (answer.kind === 'Status') return undefined;
  if (before !== undefined && saysTheSame(before, answer)) return before;
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = answer.metadata ?? {};
  if (deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0) return undefined;
  return { ...answer, metadata: { ...answer.metadata, resourceVersion: world.nextVersion() } };
}

function refuse(what: string): Promise<never> {
  return Promise.reject(new RehearsalError(`a rehearsal can't pretend ${what}`));
}

function withoutTests(patch: Json): Json {
  const operations = patch as readonly { readonly op: string }[];
  return operations.filter(({ op }) => op !== 'test') as unknown as Json;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function claimsOf(patch: Json | KubeObject): { readonly uid?: string; readonly resourceVersion?: string } {
  if (Array.isArray(patch)) return {};
  const { uid, resourceVersion } = (patch as KubeObject).metadata ?? {};
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function replicasOf(scale: KubeObject): unknown {
  return (scale as { readonly spec?: { readonly replicas?: unknown } }).spec?.replicas;
}

function scaleOf(object: KubeObject): KubeObject {
  return { metadata: object.metadata ?? {}, spec: { replicas: replicasOf(object) } } as KubeObject;
}

function bound(pod: KubeObject, nodeName: string | undefined): KubeObject {
  const { spec } = pod as { readonly spec?: object };
  return { ...pod, spec: { ...spec, nodeName } } as KubeObject;
}
