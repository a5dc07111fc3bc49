// A small HTTP request to an identity provider: a JSON answer of at most 1 MiB, in 30 s, through proxies as the environment says.

import type { Env } from '@homeostat/base';
import { readBody } from '../../rest/body.ts';
import { TransportError } from '../../transport/transport-error.ts';
import { dial } from '../dial.ts';
import { Http1Client } from '../http1-client.ts';
import { type Environment, proxyFromEnvironment } from '../proxy/proxy-environment.ts';

const timeoutMs = 30_000;
const answerMaxBytes = 1 << 20;

export interface FetchJsonOptions {
  readonly env: Env;
  readonly environment: Environment;
  /** Authorities to trust, PEM; default those of the system. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
  /** POST with this form; default GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status and the decoded body. @throws TransportError; SyntaxError when it is not JSON. */
export async function fetchJson(
  url: URL,
  options: FetchJsonOptions,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const { env, environment, ca, form } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const timer = env.clock.setTimer(timeoutMs, () => {
    stop.abort(new TransportError('timeout', `no answer from ${url.host} within ${timeoutMs} ms`));
  });
  const http = new Http1Client({
    url,
    dial: () =>
      dial({
        url,
        tls: ca === undefined ? {} : { ca },
        alpn: ['http/1.1'],
        proxy: proxyFromEnvironment(url, environment),
        env,
        timeoutMs,
        signal,
      }),
  });
  try {
    const response = await http.send(
      { method: form === undefined ? 'GET' : 'POST', path: url.pathname, query: '', headers: {}, signal },
      {
        path: `${url.pathname}${url.search}`,
        headers: {
          accept: 'application/json',
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...options.headers,
        },
        body: form === undefined ? undefined : Buffer.from(new URLSearchParams(form).toString()),
        streaming: true,
      },
    );
    const { body } = response;
    const bounded = body.kind === 'stream' ? { ...body, chunks: limit(body.chunks, url) } : body;
    const value = await readBody({ ...response, headers: {}, body: bounded });
    return {
      status: response.status,
      body: typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {},
    };
  } finally {
    timer.cancel();
    http.close();
  }
}

async function* limit(chunks: AsyncIterable<Uint8Array>, url: URL): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > answerMaxBytes)
      throw new TransportError('protocol', `the answer of ${url.host} has more than ${answerMaxBytes} bytes`);
    yield chunk;
  }
}
