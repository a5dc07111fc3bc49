// Test support: a server over a memory store, without sockets, on a real or virtual clock, and short ways to ask it.
// Only for tests.

import { createVirtualEnv, type Env, Scope, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import type { ApiResponse } from '@homeostat/client';
import { createMemoryStore, type MemoryStore } from '@homeostat/storage/memory';
import type { ApiServer, ServerParts } from './api-server-options.ts';
import { createApiServer } from './api-server.ts';
import type { ServerHost } from './server-host.ts';

export interface Asked {
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
  /** The JSON body, parsed each time; empty for anything else. */
  readonly body: AnswerBody;
}

/** Just enough shape to look into answers without casts everywhere. */
export interface AnswerBody {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly metadata: {
    readonly [key: string]: unknown;
    readonly name: string;
    readonly resourceVersion: string;
    readonly uid: string;
  };
  readonly items: readonly AnswerBody[];
  readonly [key: string]: unknown;
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: AnswerBody;
}

export interface Watching {
  readonly status: number;
  /** The next event; rejects when the stream ends instead. */
  next(): Promise<WatchedEvent>;
  /** Events until the stream ends. */
  rest(): Promise<readonly WatchedEvent[]>;
  close(): Promise<void>;
}

export class FixtureServer {
  readonly env: Env;
  readonly store: MemoryStore;
  readonly server: ApiServer;
  readonly #scope = new Scope();

  private constructor(env: Env, store: MemoryStore, parts: ((host: ServerHost) => ServerParts) | undefined) {
    this.env = env;
    this.store = store;
    this.server = createApiServer({ env, store: this.store, freeze: true, ...(parts === undefined ? {} : { parts }) });
  }

  /** Starts a server that lets everybody do everything, unless `parts` say otherwise; `store` may hold something already. */
  static async start(
    options: {
      readonly env?: Env;
      readonly store?: MemoryStore;
      readonly parts?: (host: ServerHost) => ServerParts;
    } = {},
  ): Promise<FixtureServer> {
    const env = options.env ?? { ...createRealEnv(), log: silentLogger };
    const fixture = new FixtureServer(env, options.store ?? createMemoryStore({ env }), options.parts);
    fixture.#scope.spawn('server', (signal) => fixture.server.run({ signal }));
    await fixture.server.ready;
    return fixture;
  }

  async stop(): Promise<void> {
    await this.halt();
    await this.store.close();
  }

  /** Stops the server alone: another one may go on with its store. */
  async halt(): Promise<void> {
    await this.#scope.close();
  }

  async send(method: string, url: string, asked: Asked = {}): Promise<ApiResponse> {
    const [path = '', query = ''] = url.split('?');
    const text = asked.text ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
    return this.server.handle({
      method,
      path,
      query,
      headers: {
        'user-agent': 'test/1',
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      signal: asked.signal ?? new AbortController().signal,
      ...(text === undefined ? {} : { body: { kind: 'bytes', bytes: Buffer.from(text) } }),
    });
  }

  async ask(method: string, url: string, asked: Asked = {}): Promise<Answer> {
    const response = await this.send(method, url, asked);
    const text = Buffer.concat(await collect(response)).toString('utf8');
    return {
      status: response.status,
      headers: response.headers,
      text,
      get body() {
        return text.startsWith('{') ? (JSON.parse(text) as AnswerBody) : ({} as AnswerBody);
      },
    };
  }

  get(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('GET', url, asked);
  }

  post(url: string, body: unknown, asked: Asked = {}): Promise<Answer> {
    return this.ask('POST', url, { ...asked, body });
  }

  put(url: string, body: unknown, asked: Asked = {}): Promise<Answer> {
    return this.ask('PUT', url, { ...asked, body });
  }

  /** `type` is the patch's short name. */
  patch(url: string, type: 'json' | 'merge' | 'strategic' | 'apply', body: unknown): Promise<Answer> {
    return this.ask('PATCH', url, { body, headers: { 'content-type': patchTypes[type] } });
  }

  delete(url: string, body?: unknown): Promise<Answer> {
    return this.ask('DELETE', url, body === undefined ? {} : { body });
  }

  async watch(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Watching> {
    const stop = new AbortController();
    const response = await this.send('GET', url, { headers, signal: stop.signal });
    const events = lines(response);
    return {
      status: response.status,
      next: async () => {
        const next = await events.next();
        if (next.done === true) throw new Error('the watch ended');
        return next.value;
      },
      rest: async () => {
        const rest: WatchedEvent[] = [];
        for (let next = await events.next(); next.done !== true; next = await events.next()) rest.push(next.value);
        return rest;
      },
      close: async () => {
        stop.abort(new Error('closed'));
        await events.return(undefined);
      },
    };
  }
}

/** A clock that stands still unless moved, and the same randomness every time. */
export const virtualEnv = createVirtualEnv;

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

async function collect(response: ApiResponse): Promise<Uint8Array[]> {
  const { body } = response;
  if (body.kind === 'bytes') return [...body.chunks];
  if (body.kind !== 'stream') return [];
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return chunks;
}

async function* lines(response: ApiResponse): AsyncGenerator<WatchedEvent, void> {
  const { body } = response;
  if (body.kind !== 'stream') return;
  let text = '';
  for await (const chunk of body.chunks) {
    text += Buffer.from(chunk).toString('utf8');
    const complete = text.split('\n');
    text = complete.pop() ?? '';
    for (const line of complete) yield JSON.parse(line) as WatchedEvent;
  }
}
