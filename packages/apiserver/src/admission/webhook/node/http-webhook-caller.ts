// Calls admission webhooks over HTTPS with kept connections. One pool per trust (authorities and name), so that a changed
// caBundle never rides on a connection that was trusted under the old one.

import { createHash } from 'node:crypto';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { type WebhookAnswer, webhookAnswerBytesMax, type WebhookCall, type WebhookCaller } from '../webhook-caller.ts';
import { networkFailureText } from './network-failure-text.ts';

export interface HttpWebhookCallerOptions {
  /** Connections to one webhook at a time; further calls wait for one, within their timeouts. Default 64. */
  readonly socketsPerWebhookMax?: number;
  /** Pools kept; the one unused for longest is closed for another. Default 64. */
  readonly poolsMax?: number;
}

const keepAliveMs = 30_000;

/** Creates a {@link WebhookCaller}; it connects on the first call. Trusts the system's authorities where no caBundle is given. */
export function createHttpWebhookCaller(options: HttpWebhookCallerOptions = {}): WebhookCaller {
  return new HttpWebhookCaller(options);
}

/** A kept connection that the webhook closed before it answered: it need not have seen the request. */
class StaleConnection extends Error {}

const staleRetriesMax = 3;

class HttpWebhookCaller implements WebhookCaller {
  readonly #options: Required<HttpWebhookCallerOptions>;
  /** Least recently used first. */
  readonly #pools = new Map<string, https.Agent>();

  constructor({ socketsPerWebhookMax = 64, poolsMax = 64 }: HttpWebhookCallerOptions) {
    this.#options = { socketsPerWebhookMax, poolsMax };
  }

  async call(call: WebhookCall): Promise<WebhookAnswer> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#send(call);
      } catch (error) {
        const isStale = error instanceof StaleConnection && attempt < staleRetriesMax && !call.signal.aborted;
        if (!isStale) throw error;
      }
    }
  }

  /** @throws Error, StaleConnection */
  async #send(call: WebhookCall): Promise<WebhookAnswer> {
    const { url, body, connectTo, signal } = call;
    const target = new URL(url);
    const address = connectTo === undefined ? target : new URL(`https://${connectTo()}`);
    const host = address.hostname.replace(/^\[|\]$/g, '');
    const port = address.port === '' ? 443 : Number(address.port);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(new Error(networkFailureText(error, { host, port }), { cause: error }));
      const outgoing = https.request({
        agent: this.#pool(call, target),
        method: 'POST',
        host,
        port,
        path: `${target.pathname}${target.search}`,
        headers: {
          // As written: a port that is the scheme's own is sent too.
          host: /^https:\/\/([^/?]*)/.exec(url)?.[1] ?? target.host,
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
          'content-length': body.length,
        },
        signal,
      });
      // A request that waits for a socket says nothing when it is aborted.
      const onAbort = (): void => fail(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        if (!outgoing.reusedSocket || !isClosed) fail(error);
        else reject(new StaleConnection(networkFailureText(error, { host, port }), { cause: error }));
      });
      outgoing.once('response', (incoming) => {
        collect(incoming).then(resolve, (error: unknown) => {
          incoming.destroy();
          fail(error);
        });
      });
      outgoing.end(body);
    });
  }

  close(): void {
    for (const agent of this.#pools.values()) agent.destroy();
    this.#pools.clear();
  }

  #pool({ caBundle, serverName }: WebhookCall, url: URL): https.Agent {
    const name = serverName ?? url.hostname.replace(/^\[|\]$/g, '');
    const trust = caBundle === undefined ? '' : createHash('sha256').update(caBundle).digest('base64');
    const key = `${trust} ${name}`;
    const known = this.#pools.get(key);
    const agent =
      known ??
      new https.Agent({
        keepAlive: true,
        keepAliveMsecs: keepAliveMs,
        maxSockets: this.#options.socketsPerWebhookMax,
        // TLS asks for names only; an address is checked against the certificate all the same.
        ...(isAddress(name) ? {} : { servername: name }),
        ...(caBundle === undefined ? {} : { ca: caBundle }),
      });
    this.#pools.delete(key);
    this.#pools.set(key, agent);
    for (const [oldest, unused] of this.#pools) {
      if (this.#pools.size <= this.#options.poolsMax) break;
      unused.destroy();
      this.#pools.delete(oldest);
    }
    return agent;
  }
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}

async function collect(incoming: IncomingMessage): Promise<WebhookAnswer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > webhookAnswerBytesMax) {
      throw new Error(`the answer is longer than ${webhookAnswerBytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
}
