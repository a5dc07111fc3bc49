// A small API server for the tests of this package: generic objects, one revision, list, watch, paging, faults on demand.
// It has no schemas, defaults or admission; tests against the real server are in `tests/runtime/`.

import { ApiError, type Env } from '@homeostat/base';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';
import { newAlreadyExists, newConflict, newExpired, newNotFound } from '@homeostat/machinery';
import {
  type ApiRequest,
  type ApiResponse,
  type Client,
  createClient,
  createInProcessTransport,
  resourceType,
} from '@homeostat/client';

export const widgets = resourceType<Widget>({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});
export const parts = resourceType<Widget>({
  group: 'example.com',
  version: 'v1',
  resource: 'parts',
  kind: 'Part',
  namespaced: true,
});

export interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number; readonly nodeName?: string };
  readonly status?: { readonly ready?: number };
}

/** A request as faults see it. */
export interface FakeRequest {
  readonly method: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly watch: boolean;
  readonly object: KubeObject | undefined;
}

/** Throws to refuse, returns a promise to delay, or nothing. */
export type Fault = (request: FakeRequest) => void | Promise<void>;

interface Logged extends WatchEvent {
  readonly resource: string;
  readonly revision: number;
}

interface OpenWatch {
  readonly resource: string;
  readonly namespace: string | undefined;
  push(event: WatchEvent): void;
  end(error?: unknown): void;
}

/** The server; `handle` is its transport side, the rest is for tests. */
export class FakeServer {
  readonly requests: FakeRequest[] = [];
  readonly watches = new Set<OpenWatch>();
  fault: Fault = () => {};
  /** Watch events for which this returns true are never sent. */
  swallow: (event: WatchEvent) => boolean = () => false;
  /** Watches refuse `sendInitialEvents`. */
  lacksStreaming = false;
  pageSizeMax = Infinity;
  revision = 10;
  compacted = 0;
  readonly #env: Env;
  readonly #objects = new Map<string, KubeObject>();
  #log: Logged[] = [];
  #uids = 0;

  constructor(env: Env) {
    this.#env = env;
  }

  client(): Client {
    const transport = createInProcessTransport({
      handle: (request) => this.handle(request),
      user: { username: 'test' },
    });
    return createClient({ transport, env: this.#env, userAgent: 'test', retriesMax: 0 });
  }

  get(resource: string, namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(`${resource}/${namespace}/${name}`);
  }

  list(resource: string): readonly KubeObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, object]) => object);
  }

  /** Stores an object as if a client had created or updated it. */
  put(resource: string, object: KubeObject): KubeObject {
    const key = `${resource}/${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
    const before = this.#objects.get(key);
    const stored: KubeObject = {
      apiVersion: 'example.com/v1',
      kind: resource === 'widgets' ? 'Widget' : 'Part',
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata?.uid ?? object.metadata?.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(++this.revision),
      },
    };
    this.#objects.set(key, stored);
    this.#emit(resource, { type: before === undefined ? 'ADDED' : 'MODIFIED', object: stored });
    return stored;
  }

  remove(resource: string, namespace: string, name: string): void {
    const key = `${resource}/${namespace}/${name}`;
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(++this.revision) } };
    this.#emit(resource, { type: 'DELETED', object });
  }

  bookmark(): void {
    for (const watch of this.watches) watch.push(bookmarkAt(this.revision));
  }

  /** Ends all watches: in the ordinary way, or with an error. */
  endWatches(error?: unknown): void {
    for (const watch of this.watches) watch.end(error);
  }

  /** Watches and exact reads before now answer 410. */
  compact(): void {
    this.compacted = this.revision;
    this.#log = [];
  }

  async handle(request: ApiRequest): Promise<ApiResponse> {
    const parsed = parse(request);
    this.requests.push(parsed);
    try {
      await this.fault(parsed);
      request.signal.throwIfAborted();
      return this.#answer(parsed, request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.code, headers: {}, body: { kind: 'object', object: error.toStatus() } };
    }
  }

  #answer(request: FakeRequest, raw: ApiRequest): ApiResponse {
    const { method, resource, namespace = '', name } = request;
    const gr = { group: 'example.com', resource };
    if (method === 'GET' && name === undefined) {
      return request.watch ? this.#watch(request, raw.signal) : ok(this.#listPage(request, raw));
    }
    const before = this.#objects.get(`${resource}/${namespace}/${name ?? ''}`);
    if (method === 'POST' && request.subresource === undefined) {
      const generated = request.object?.metadata?.generateName;
      const metadata = request.object?.metadata;
      const wanted = metadata?.name ?? `${generated ?? ''}${++this.#uids}`;
      if (this.#objects.has(`${resource}/${namespace}/${wanted}`)) throw newAlreadyExists(gr, wanted);
      return ok(this.put(resource, { ...request.object, metadata: { ...metadata, name: wanted, namespace } }), 201);
    }
    if (before === undefined) throw newNotFound(gr, name ?? '');
    switch (method) {
      case 'GET':
        return ok(before);
      case 'PUT': {
        const version = request.object?.metadata?.resourceVersion;
        if (version !== undefined && version !== before.metadata?.resourceVersion)
          throw newConflict(gr, name ?? '', 'stale');
        return ok(this.put(resource, request.object ?? {}));
      }
      case 'PATCH': {
        const { uid, resourceVersion } = request.object?.metadata ?? {};
        const { metadata } = before;
        if ((uid ?? metadata?.uid) !== metadata?.uid) throw newConflict(gr, name ?? '', 'uid differs');
        if ((resourceVersion ?? metadata?.resourceVersion) !== metadata?.resourceVersion)
          throw newConflict(gr, name ?? '', 'stale');
        const patch = (request.object ?? {}) as Record<string, unknown>;
        return ok(this.put(resource, merge(before as Record<string, unknown>, patch) as KubeObject));
      }
      default: {
        const options = request.object as { preconditions?: { uid?: string } } | undefined;
        const uid = method === 'POST' ? undefined : options?.preconditions?.uid;
        if (uid !== undefined && uid !== before.metadata?.uid) throw newConflict(gr, name ?? '', 'uid differs');
        this.remove(resource, namespace, name ?? '');
        const details = { name: name ?? '', uid: before.metadata?.uid ?? '' };
        return ok({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } as KubeObject);
      }
    }
  }

  #matching({ resource, namespace }: FakeRequest): KubeObject[] {
    return this.list(resource).filter((object) => namespace === undefined || object.metadata?.namespace === namespace);
  }

  #listPage(request: FakeRequest, raw: ApiRequest): KubeObject {
    const [offset = '0', at = String(this.revision)] = (request.query.get('continue') ?? '')
      .split('@')
      .filter((part) => part !== '');
    if (request.query.has('continue') && Number(at) < this.compacted)
      throw newExpired('the continue token has expired');
    const limit = Math.min(Number(request.query.get('limit') ?? Infinity), this.pageSizeMax);
    const all = this.#matching(request);
    const from = Number(offset);
    const end = from + limit;
    const items = all.slice(from, end).map((object) => {
      const metadataOnly = raw.headers['accept']?.includes('PartialObjectMetadata') === true;
      return metadataOnly ? { metadata: object.metadata } : object;
    });
    const list = {
      kind: 'List',
      metadata: { resourceVersion: at, ...(end < all.length ? { continue: `${end}@${at}` } : {}) },
      items,
    };
    return list as KubeObject;
  }

  #watch(request: FakeRequest, signal: AbortSignal): ApiResponse {
    const { resource, namespace, query } = request;
    const initial = query.get('sendInitialEvents') === 'true';
    if (initial && this.lacksStreaming) {
      throw new ApiError({ code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' });
    }
    const from = Number(query.get('resourceVersion') ?? '0');
    if (!initial && from < this.compacted) throw newExpired(`too old resource version: ${from} (${this.compacted})`);
    const buffer: WatchEvent[] = [];
    let wake: () => void = () => {};
    let ended = false;
    let failure: unknown;
    const watch: OpenWatch = {
      resource,
      namespace,
      push: (event) => {
        buffer.push(event);
        wake();
      },
      end: (error) => {
        ended = true;
        failure = error;
        this.watches.delete(watch);
        wake();
      },
    };
    if (initial) {
      for (const object of this.#matching(request)) watch.push({ type: 'ADDED', object });
      watch.push(bookmarkAt(this.revision, { 'k8s.io/initial-events-end': 'true' }));
    } else {
      for (const event of this.#log) if (event.revision > from) this.#send(watch, event.resource, event);
    }
    this.watches.add(watch);
    signal.addEventListener('abort', () => watch.end(), { once: true });
    const events = async function* (): AsyncGenerator<WatchEvent, void, void> {
      for (;;) {
        const event = buffer.shift();
        if (event !== undefined) yield event;
        else if (failure !== undefined) throw failure;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    };
    return { status: 200, headers: {}, body: { kind: 'watch', events: events() } };
  }

  #emit(resource: string, event: WatchEvent): void {
    const logged: Logged = { ...event, resource, revision: this.revision };
    this.#log.push(logged);
    for (const watch of this.watches) this.#send(watch, resource, event);
  }

  #send(watch: OpenWatch, resource: string, { type, object }: WatchEvent): void {
    if (watch.resource !== resource) return;
    if (watch.namespace !== undefined && watch.namespace !== object.metadata?.namespace) return;
    if (this.swallow({ type, object })) return;
    watch.push({ type, object });
  }
}

function bookmarkAt(revision: number, annotations?: Record<string, string>): WatchEvent {
  const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
  return { type: 'BOOKMARK', object: { metadata } };
}

function ok(object: KubeObject, status = 200): ApiResponse {
  return { status, headers: {}, body: { kind: 'object', object } };
}

function parse(request: ApiRequest): FakeRequest {
  const prefixLength = request.path.startsWith('/api/') ? 3 : 4;
  const segments = request.path.split('/').slice(prefixLength).map(decodeURIComponent);
  const namespaced = segments[0] === 'namespaces';
  const [resource = '', name, subresource] = namespaced ? segments.slice(2) : segments;
  const query = new URLSearchParams(request.query);
  return {
    method: request.method,
    resource,
    namespace: namespaced ? segments[1] : undefined,
    name,
    subresource,
    query,
    watch: query.get('watch') === 'true',
    object: request.body?.kind === 'object' ? (request.body.object as KubeObject) : undefined,
  };
}

function merge(
  target: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key];
    const bothObjects = isRecord(before) && isRecord(value);
    if (value === null) delete merged[key];
    else merged[key] = bothObjects ? merge(before, value) : value;
  }
  return merged;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A widget or part under construction. */
export function newWidget(
  name: string,
  options: { readonly namespace?: string; readonly size?: number; readonly owner?: KubeObject } = {},
): Widget {
  const { namespace = 'default', size = 1, owner } = options;
  const ownerReferences =
    owner === undefined
      ? undefined
      : [
          {
            apiVersion: 'example.com/v1',
            kind: 'Widget',
            name: owner.metadata?.name ?? '',
            uid: owner.metadata?.uid ?? '',
            controller: true,
          },
        ];
  return {
    metadata: { name, namespace, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
    spec: { size },
  };
}
