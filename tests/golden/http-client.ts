// Asks a server over HTTP(S) and keeps what comes back as it came. Undecoded on purpose: the product's own client and
// codecs are what is being tested.

import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { realClock } from '@homeostat/base/node';
import type { Answer, Request } from './recording.ts';

export interface ServerTarget {
  /** `https://host:port` */
  readonly server: string;
  readonly token?: string;
  /** CA file; absent = the certificate is not verified. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Headers of an answer that every recording keeps. */
const keptHeaders = ['content-type', 'warning', 'location', 'retry-after', 'allow', 'www-authenticate'];

const defaultTimeoutMs = 70_000;

export class HttpClient {
  readonly #server: URL;
  readonly #token: string | undefined;
  readonly #secure: boolean;
  readonly #agent: http.Agent;

  constructor(target: ServerTarget) {
    this.#server = new URL(target.server);
    this.#token = target.token;
    this.#secure = this.#server.protocol === 'https:';
    const options = { keepAlive: true, maxSockets: 64 };
    this.#agent = this.#secure ? new https.Agent({ ...options, ...tlsOptions(target) }) : new http.Agent(options);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request; exactly one of the callbacks is called. */
  open(
    request: Request,
    onResponse: (response: http.IncomingMessage) => void,
    onError: (error: Error) => void,
  ): http.ClientRequest {
    const url = new URL(request.path, this.#server);
    const body = bodyOf(request);
    const sent = (this.#secure ? https : http).request(
      {
        host: this.#server.hostname,
        port: this.#server.port,
        path: url.pathname + url.search,
        method: request.method ?? 'GET',
        headers: this.#headers(request, body),
        agent: this.#agent,
      },
      onResponse,
    );
    sent.on('error', onError);
    sent.end(body);
    return sent;
  }

  /** Sends a request and waits for its whole answer. */
  ask(request: Request): Promise<Answer> {
    return new Promise((resolve) => {
      const timer = realClock.setTimer(request.timeoutMs ?? defaultTimeoutMs, () =>
        sent.destroy(new Error('no answer in time')),
      );
      const finish = (answer: Answer): void => {
        timer.cancel();
        resolve(answer);
      };
      const sent = this.open(
        request,
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => {}); // `close` follows, with what had come by then
          response.on('close', () => {
            const headers = keptHeadersOf(response, request.keep);
            const content = decode(response.headers['content-type'], Buffer.concat(chunks), request.raw === true);
            finish({
              ...(response.statusCode === undefined ? {} : { status: response.statusCode }),
              headers,
              ...content,
            });
          });
        },
        (error) => finish({ error: error.message }),
      );
    });
  }

  #headers(request: Request, body: Buffer | undefined): Record<string, string | number> {
    const wanted: Record<string, string | null> = {
      'user-agent': 'golden/1.0',
      ...(this.#token === undefined || this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
      ...request.headers,
    };
    const headers: Record<string, string | number> = {};
    for (const [name, value] of Object.entries(wanted)) if (value !== null) headers[name] = value;
    if (body !== undefined) {
      headers['content-length'] = body.length;
      const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
      if (!hasType) headers['content-type'] = 'application/json';
    }
    return headers;
  }
}

export function keptHeadersOf(
  response: http.IncomingMessage,
  further: readonly string[] = [],
): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  for (const name of [...keptHeaders, ...further]) {
    const value = response.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

export function isProtobuf(contentType: string | undefined): boolean {
  return /protobuf/.test(contentType ?? '');
}

function tlsOptions({ ca, cert, key }: ServerTarget): https.AgentOptions {
  return {
    ...(ca === undefined ? { rejectUnauthorized: false } : { ca: readFileSync(ca) }),
    ...(cert === undefined || key === undefined ? {} : { cert: readFileSync(cert), key: readFileSync(key) }),
  };
}

function bodyOf({ base64, text, repeat, body }: Request): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  if (text !== undefined) return Buffer.from(text);
  if (repeat !== undefined) {
    return Buffer.from((repeat.head ?? '') + repeat.unit.repeat(repeat.times) + (repeat.tail ?? ''));
  }
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

function decode(
  contentType: string | undefined,
  bytes: Buffer,
  raw: boolean,
): Pick<Answer, 'base64' | 'body' | 'text'> {
  if (isProtobuf(contentType)) return { base64: bytes.toString('base64') };
  const text = bytes.toString('utf8');
  if (!raw && /json/.test(contentType ?? '')) {
    try {
      return { body: JSON.parse(text) };
    } catch {
      // Not JSON after all: the text shows what it is.
    }
  }
  return text === '' ? {} : { text };
}
