// The transport port: one request shape and one response shape for every way to reach an API server.
// The API server's core is a function of exactly this shape (`handle(request) → response`), so the in-process
// transport is that function, and HTTP is an adapter on either side.

import type { WatchEvent } from '@homeostat/machinery';

/** Who sent a request, as far as the connection itself says so. */
export interface Peer {
  readonly remoteAddress?: string;
  /** Subject of a client certificate that was verified against the client CA. */
  readonly clientCertificate?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    readonly fingerprint: string;
  };
  /** Identity asserted by the process itself; only the in-process transport may set it. */
  readonly user?: UserInfo;
}

/** `authentication.k8s.io` UserInfo. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type RequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> }
  /** In process: the object itself, never kept or changed by the server. */
  | { readonly kind: 'object'; readonly object: unknown };

export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path as sent, percent-encoded, without the query. */
  readonly path: string;
  /** Raw query without `?`; empty when there is none. */
  readonly query: string;
  /** Lower-case names; several values of one name joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  readonly peer?: Peer;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /**
   * `object`: the caller lives in this process and takes shared, frozen-by-contract objects; answers may be `object`
   * and `watch` bodies. `bytes` (default): answers are encoded as the Accept header asks.
   */
  readonly wants?: 'bytes' | 'object';
  /** `lease`: renews a lease, so it waits behind no other request of this client; see `ClientOptions`. A server ignores it. */
  readonly lane?: 'lease';
  /**
   * Called by transports right before the request leaves, after whatever held it back (limits, connections being opened); what it throws is
   * the outcome, and nothing is sent. A server ignores it.
   */
  readonly beforeSend?: () => void;
}

export type ResponseBody =
  | { readonly kind: 'empty' }
  /** Finished bytes in segments (encoded items are shared, not copied). */
  | { readonly kind: 'bytes'; readonly chunks: readonly Uint8Array[] }
  /** Encoded as it goes, with backpressure: watches, logs, large lists. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> }
  /** In process only: a shared object. */
  | { readonly kind: 'object'; readonly object: unknown }
  /** In process only: a watch. Ends when the server ends it or the request's signal aborts. */
  | { readonly kind: 'watch'; readonly events: AsyncIterable<WatchEvent> }
  /** 101: the connection now belongs to `run`, which ends when the stream does. */
  | { readonly kind: 'upgrade'; run(connection: DuplexConnection): Promise<void> };

/** A raw two-way byte stream after an upgrade. */
export interface DuplexConnection {
  readonly incoming: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. `warning` may repeat, hence arrays. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ResponseBody;
}

/** The API server's core, and every transport. Rejects only when no answer could be had (connection lost, aborted). */
export type Handle = (request: ApiRequest) => Promise<ApiResponse>;

export interface Transport {
  readonly send: Handle;
  /** `host:port` of the server, for metrics; absent in process. */
  readonly host?: string;
  /** `object`: bodies are objects both ways (in process). Default `bytes`. */
  readonly exchanges?: 'bytes' | 'object';
  /** Releases connections; requests under way are aborted. */
  close(): Promise<void>;
}
