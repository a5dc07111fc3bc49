// The client's face: one method per API verb, all over one transport. Types only; `create-client.ts` is the implementation.
// It caches nothing: informers of `@homeostat/runtime` do.

import type { Json, KubeList, KubeObject, WatchEvent } from '@homeostat/machinery';
import type { ResourceType } from '../resource/resource-type.ts';
import type { Impersonation } from '../rest/impersonation.ts';
import type { QueryParameters } from '../rest/resource-path.ts';
import type { ApiResponse } from '../transport/transport.ts';
import type { ApplyConfiguration } from './apply-configuration.ts';

/** What every call takes. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Gives up after this time, milliseconds, waits and retries included; also told to the server as `timeout`. Default the client's. */
  readonly timeoutMs?: number;
  /**
   * Headers of this request. A function is asked right before each attempt, retries included, and once more when the request really leaves; it
   * may throw to end the call: that is how a write of a former leader is held back.
   */
  readonly headers?: RequestHeaders | (() => RequestHeaders);
  /** Acts as somebody else; default as the client says. The caller needs the right to. */
  readonly impersonate?: Impersonation;
  /** `lease` never waits behind other requests. Reads and writes of single Leases are so without being marked. */
  readonly lane?: 'lease';
}

/** Names in lower case. */
export type RequestHeaders = Readonly<Record<string, string>>;

interface Scoped {
  /** Undefined: cluster-scoped, or all namespaces for lists and watches. */
  readonly namespace?: string | undefined;
}

export interface GetOptions extends CallOptions, Scoped {
  readonly name: string;
  readonly subresource?: string;
  /** `0`: any cached state will do. Default: the most recent state. */
  readonly resourceVersion?: string;
}

export interface SelectOptions extends Scoped {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, SelectOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends SelectOptions {
  /** Ends the watch; the iterator then finishes without an error. */
  readonly signal?: AbortSignal;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly impersonate?: Impersonation;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number;
  /** Retries of the request, before the watch is open, at most; default the client's. */
  readonly retriesMax?: number;
}

export interface WriteOptions extends CallOptions {
  /** Default the client's, else the user agent's name, chosen by the server. */
  readonly fieldManager?: string;
  /** Runs everything but the store. Default the client's. */
  readonly dryRun?: boolean;
  /** What becomes of unknown and repeated fields. Default the client's, else `Warn`, chosen by the server. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface CreateOptions<T> extends WriteOptions, Scoped {
  /** Its `metadata.namespace` is used when `namespace` is absent; where both are given they must agree. */
  readonly object: T;
  /** Creates on a subresource of `name`, e.g. `eviction`, `binding`, `token`. */
  readonly subresource?: string;
  readonly name?: string;
}

export interface UpdateOptions<T> extends WriteOptions, Scoped {
  /** Names itself, its namespace too unless `namespace` does; must carry the resourceVersion that was read. */
  readonly object: T;
  readonly subresource?: string;
}

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchOptions extends WriteOptions, Scoped {
  readonly name: string;
  readonly type: PatchKind;
  /** Of type `json` a list of operations (RFC 6902), else a part of the object. What JSON can't say is left out. */
  readonly patch: object | Json;
  readonly subresource?: string;
  /** `apply` only: takes fields from other managers. */
  readonly force?: boolean;
}

export interface ApplyOptions<T> extends WriteOptions, Scoped {
  /** Names itself, its namespace too unless `namespace` does; holds the fields the manager wants, and nothing else. Its apiVersion and kind may be left out. */
  readonly object: ApplyConfiguration<T>;
  /** The call or the client must name one. */
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
}

export interface DeleteFields {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export interface DeleteOptions extends CallOptions, Scoped, DeleteFields {
  readonly name: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteCollectionOptions extends CallOptions, SelectOptions, DeleteFields {}

export interface LogOptions extends Scoped {
  readonly signal?: AbortSignal;
  /** The Pod. */
  readonly name: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339; instead of `sinceSeconds`. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
}

/** A call that no other method makes. */
export interface RawRequest extends CallOptions {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query?: QueryParameters;
  /** Sent as JSON; bytes, and a text whose `contentType` is not JSON (YAML), as they are. */
  readonly body?: unknown;
  /** Content type of `body`; default `application/json`. */
  readonly contentType?: string;
}

/**
 * Talks to one API server.
 *
 * Every method rejects with an `ApiError` when the server refused, with a `TransportError` when no answer came, and
 * with the signal's reason when aborted. 429 and 5xx answers that carry Retry-After of at most 60 s are retried, at most 10 times.
 *
 * Objects passed in are never changed. Objects that come back may be shared with the whole process (in-process transport):
 * build a new one to change one.
 *
 * @example
 * const client = createClient({ transport, env, userAgent: 'my-operator/1.0' });
 * const pod = await client.get(pods, { namespace: 'default', name: 'web-0' });
 */
export interface Client {
  get<T extends KubeObject>(resource: ResourceType<T>, options: GetOptions): Promise<T>;
  /** One request. With `limit` the answer may be one page: see `metadata.continue`, or use {@link listPages}. */
  list<T extends KubeObject>(resource: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>;
  /** All pages, from `continue` on; `limit` is the page size, default 500. An expired token restarts as one full list (then `restarted` is set). */
  listPages<T extends KubeObject>(
    resource: ResourceType<T>,
    options?: ListOptions,
  ): AsyncGenerator<ListPage<T>, void, void>;
  /** {@link listPages} in one list, which carries the resourceVersion of the first page (of the full list, after a restart). */
  listAll<T extends KubeObject>(resource: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>;
  /**
   * Resolves when the server has accepted the watch. Iterating gives ADDED, MODIFIED, DELETED and BOOKMARK events; an ERROR event
   * is thrown as ApiError, a broken connection as TransportError. An end without error: the server's time-out.
   */
  watch<T extends KubeObject>(resource: ResourceType<T>, options?: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>;
  create<T extends KubeObject>(resource: ResourceType<T>, options: CreateOptions<T>): Promise<T>;
  /** Creates on a subresource that speaks another kind; the answer is what the server says, often a Status. */
  createSubresource(
    resource: ResourceType,
    options: CreateOptions<KubeObject> & { readonly name: string; readonly subresource: string },
  ): Promise<KubeObject>;
  update<T extends KubeObject>(resource: ResourceType<T>, options: UpdateOptions<T>): Promise<T>;
  updateStatus<T extends KubeObject>(resource: ResourceType<T>, options: UpdateOptions<T>): Promise<T>;
  patch<T extends KubeObject>(resource: ResourceType<T>, options: PatchOptions): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(resource: ResourceType<T>, options: ApplyOptions<T>): Promise<T>;
  /** The answer is a Status when the object is gone, the object when it lives on (grace period, finalizers). */
  delete(resource: ResourceType, options: DeleteOptions): Promise<KubeObject>;
  deleteCollection(resource: ResourceType, options?: DeleteCollectionOptions): Promise<KubeObject>;
  /** The Pod's log as it comes. */
  logs(options: LogOptions): Promise<AsyncIterable<Uint8Array>>;
  /** Any other path; the decoded body of the answer. */
  request(request: RawRequest): Promise<unknown>;
  /** Any other path; the answer as it is, whatever its status. The caller must use up or abort its body. */
  send(request: RawRequest): Promise<ApiResponse>;
}

/** One page of a list. */
export interface ListPage<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  /** Of the first page: the version of the whole list. */
  readonly resourceVersion: string;
  /** The list had to start over as one full answer; what earlier pages held is void. */
  readonly restarted: boolean;
  /** More pages follow. */
  readonly more: boolean;
}
