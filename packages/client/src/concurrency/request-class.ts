// What a request is to the limiter, read from its path: whose turn it takes, and whether its latency tells of the server's load.

import type { ApiRequest } from '../transport/transport.ts';

export interface RequestClass {
  /** Requests of one flow wait for one another first: one resource, as one user agent asks for it. */
  readonly flow: string;
  /**
   * Requests of one key take about equally long on an idle server. Undefined where they don't: lists, and subresources, which may be
   * connections to nodes.
   */
  readonly timedAs: string | undefined;
  /** May last as long as its user wants, as the API server sees it too: a connection to a node or a Pod, a log. */
  readonly longRunning: boolean;
  /** Answers 429 for reasons of its own: a disruption budget. */
  readonly eviction: boolean;
}

const longRunning = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export function classify({ method, path, headers }: ApiRequest): RequestClass {
  const { resource, named, subresource } = parse(path);
  const timed = resource !== '' && subresource === '' && (method === 'POST' ? !named : named);
  return {
    flow: `${headers['user-agent'] ?? ''} ${resource}`,
    timedAs: timed ? `${method} ${resource}` : undefined,
    longRunning: longRunning.has(subresource.split('/')[0] ?? ''),
    eviction: subresource === 'eviction',
  };
}

/** `/api/v1/namespaces/x/pods/a/status` → resource `pods` of its group, named, subresource `status`. Other paths: no resource. */
function parse(path: string): { readonly resource: string; readonly named: boolean; readonly subresource: string } {
  const parts = path.split('/').slice(1);
  const prefix = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : parts.length;
  const group = parts[0] === 'apis' ? (parts[1] ?? '') : '';
  let rest = parts.slice(prefix);
  if (rest[0] === 'namespaces' && rest.length > 2) {
    // A Namespace's own subresources look like a resource in it.
    if (rest[2] === 'status' || rest[2] === 'finalize')
      return { resource: 'namespaces', named: true, subresource: rest[2] };
    rest = rest.slice(2);
  }
  const [resource = '', name, ...subresource] = rest;
  return {
    resource: resource === '' || group === '' ? resource : `${resource}.${group}`,
    named: name !== undefined,
    subresource: subresource.join('/'),
  };
}
