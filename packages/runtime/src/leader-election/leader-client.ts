// A client whose writes are a leader's (ADR 0027): each attempt is sent only while the term surely lasts, and carries it, so that a server
// that knows of terms refuses what arrives too late. Reads go through unchanged.

import {
  type CallOptions,
  type Client,
  formatLeaderTerm,
  isLeaderTermEnded,
  leaderTermHeader,
  type RawRequest,
  type RequestHeaders,
} from '@homeostat/client';
import type { Leadership } from './leadership.ts';

/**
 * Wraps a client for whoever acts as a leader. Writes reject with LeadershipLostError once the term is over, before anything is sent.
 *
 * @example
 * const client = createLeaderClient({ client: plain, leadership: elector });
 * await elector.run({ signal, lead: (stop) => work(client, stop) });
 */
export function createLeaderClient(options: { readonly client: Client; readonly leadership: Leadership }): Client {
  const { client, leadership } = options;

  const withTerm = <O extends CallOptions>(call: O): O => ({ ...call, headers: () => termHeaders(leadership, call) });
  const told = async <T>(write: Promise<T>): Promise<T> => {
    try {
      return await write;
    } catch (error) {
      if (isLeaderTermEnded(error)) leadership.refused();
      throw error;
    }
  };
  const raw = (request: RawRequest): RawRequest => (isRead(request.method) ? request : withTerm(request));

  return {
    ...client,
    create: (resource, call) => told(client.create(resource, withTerm(call))),
    createSubresource: (resource, call) => told(client.createSubresource(resource, withTerm(call))),
    update: (resource, call) => told(client.update(resource, withTerm(call))),
    updateStatus: (resource, call) => told(client.updateStatus(resource, withTerm(call))),
    patch: (resource, call) => told(client.patch(resource, withTerm(call))),
    apply: (resource, call) => told(client.apply(resource, withTerm(call))),
    delete: (resource, call) => told(client.delete(resource, withTerm(call))),
    deleteCollection: (resource, call) => told(client.deleteCollection(resource, withTerm(call ?? {}))),
    request: (request) => told(client.request(raw(request))),
    send: (request) => client.send(raw(request)),
  };
}

function termHeaders(leadership: Leadership, { headers }: CallOptions): RequestHeaders {
  const own = typeof headers === 'function' ? headers() : headers;
  return { ...own, [leaderTermHeader]: formatLeaderTerm(leadership.term()) };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
