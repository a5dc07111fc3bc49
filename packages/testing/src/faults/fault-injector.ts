// The fault-injecting transport: stands between clients and the API server's handle and does what its rules say. All chance comes from
// the seed, so a failing history is replayed by its seed alone.

import { type Clock, type Random, sleepOn } from '@homeostat/base';
import { parseRequestInfo } from '@homeostat/apiserver';
import { type ApiRequest, type ApiResponse, type Handle, TransportError } from '@homeostat/client';
import type { Fault, FaultRule, FaultTarget, InjectedFault } from './fault.ts';
import { isWatchFault, withWatchFault } from './faulty-watch.ts';

export interface FaultInjectorOptions {
  readonly clock: Clock;
  /** Of its own: how many draws others make must not change which requests are hit. */
  readonly random: Random;
  /** Current revision of the store, for stale reads. */
  readonly revision: () => number;
  /** Oldest revision that can still be read. */
  readonly oldestRevision: () => number;
}

interface ActiveRule extends FaultRule {
  left: number;
}

/** Rules and what they did. */
export class FaultInjector {
  readonly #options: FaultInjectorOptions;
  readonly #rules = new Set<ActiveRule>();
  readonly #injected: InjectedFault[] = [];

  constructor(options: FaultInjectorOptions) {
    this.#options = options;
  }

  /** What was injected so far, oldest first; the last 10,000. */
  get injected(): readonly InjectedFault[] {
    return this.#injected;
  }

  /** Adds a rule; rules are asked in the order in which they were added, the first that hits is done. Returns the way to take it back. */
  add(rule: FaultRule): () => void {
    const active = { ...rule, left: rule.times ?? Infinity };
    this.#rules.add(active);
    return () => void this.#rules.delete(active);
  }

  /** Takes all rules back. Watches that are lagging already go on to lag; cut and swallowed ones are over. */
  clear(): void {
    this.#rules.clear();
  }

  /** The same handle with faults. */
  readonly intercept = (handle: Handle): Handle => {
    return (request) => {
      if (this.#rules.size === 0) return handle(request);
      const target = targetOf(request);
      const fault = this.#draw(target);
      return fault === undefined ? handle(request) : this.#inject(handle, request, target, fault);
    };
  };

  #draw(target: FaultTarget): Fault | undefined {
    const { random } = this.#options;
    for (const rule of this.#rules) {
      if (rule.left <= 0 || rule.match?.(target) === false) continue;
      if (rule.probability !== undefined && random.float() >= rule.probability) continue;
      const fault = typeof rule.fault === 'function' ? rule.fault(random) : rule.fault;
      if (isWatchFault(fault) !== (target.verb === 'watch') && (isWatchFault(fault) || fault.kind === 'stale-read'))
        continue;
      rule.left--;
      return fault;
    }
    return undefined;
  }

  async #inject(handle: Handle, request: ApiRequest, target: FaultTarget, fault: Fault): Promise<ApiResponse> {
    const { clock } = this.#options;
    this.#injected.push({ atMs: clock.nowMs(), target, fault });
    if (this.#injected.length > injectedMax) this.#injected.shift();
    switch (fault.kind) {
      case 'answer':
        return failure(fault);
      case 'reset': {
        if (fault.when === 'after') await discard(await handle(request));
        throw new TransportError('reset', `injected: the connection was reset ${fault.when} the server acted`);
      }
      case 'slow': {
        if (fault.when === 'before') await sleepOn(clock, fault.delayMs, request.signal);
        const response = await handle(request);
        if (fault.when === 'after') await sleepOn(clock, fault.delayMs, request.signal);
        return response;
      }
      case 'stale-read':
        return handle(this.#stale(request, target, fault.revisions));
      case 'cut-watch':
      case 'swallow-event':
      case 'lag-watch':
        return withWatchFault(await handle(request), fault, { clock, signal: request.signal });
    }
  }

  // A server whose cache lags gives an older list to those who take any. A list at exactly that revision has the same content.
  #stale(request: ApiRequest, target: FaultTarget, revisions: number): ApiRequest {
    const query = new URLSearchParams(request.query);
    if (target.verb !== 'list' || query.get('resourceVersion') !== '0') return request;
    const { revision, oldestRevision } = this.#options;
    query.set('resourceVersion', String(Math.max(oldestRevision(), revision() - revisions)));
    query.set('resourceVersionMatch', 'Exact');
    return { ...request, query: query.toString() };
  }
}

const injectedMax = 10_000;

function targetOf(request: ApiRequest): FaultTarget {
  const query = new URLSearchParams(request.query);
  const info = parseRequestInfo(request.method, request.path, query);
  const watch = info.verb === 'watch' || (info.verb === 'list' && ['1', 'true'].includes(query.get('watch') ?? ''));
  return {
    user: request.peer?.user?.username ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    verb: watch ? 'watch' : info.verb,
    group: info.group,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  };
}

const reasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  403: ['Forbidden', 'injected: forbidden'],
  409: [
    'Conflict',
    'injected: the object has been modified; please apply your changes to the latest version and try again',
  ],
  410: ['Expired', 'injected: too old resource version'],
  429: ['TooManyRequests', 'injected: too many requests, please try again later'],
  500: ['InternalError', 'injected: internal error'],
  503: ['ServiceUnavailable', 'injected: the server is currently unable to handle the request'],
  504: ['Timeout', 'injected: the request did not complete within the allotted time'],
};

function failure({ status, retryAfterSeconds }: Extract<Fault, { readonly kind: 'answer' }>): ApiResponse {
  const [reason = 'Unknown', message = 'injected'] = reasons[status] ?? [];
  const object = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code: status,
  };
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  const chunks = [new TextEncoder().encode(JSON.stringify(object))];
  return { status, headers, body: { kind: 'bytes', chunks } };
}

// An answer that nobody will read must not keep its stream open.
async function discard({ body }: ApiResponse): Promise<void> {
  if (body.kind === 'watch') await body.events[Symbol.asyncIterator]().return?.();
  if (body.kind === 'stream') await body.chunks[Symbol.asyncIterator]().return?.();
}
