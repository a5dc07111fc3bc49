// Over real sockets: loopback TLS with certificates made for the test.

import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type CertificatePair, createAuthority, issueCertificate } from '@homeostat/runtime/node';
import { webhookAnswerBytesMax, type WebhookCaller } from '../webhook-caller.ts';
import { createHttpWebhookCaller } from './http-webhook-caller.ts';

const validity = { nowMs: Date.parse('2026-01-01T00:00:00Z'), days: 36_500 };

let authority: CertificatePair;
let server: https.Server;
let port: number;
let caller: WebhookCaller;
let connections = 0;
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> | void;

before(async () => {
  authority = await createAuthority({ commonName: 'test-ca' }, validity);
  const pair = await issueCertificate(
    authority,
    { commonName: 'hook', usage: 'server', hosts: ['hook.default.svc', '127.0.0.1'] },
    validity,
  );
  server = https.createServer(pair, (request, response) => void answer(request, response));
  server.on('secureConnection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  caller = createHttpWebhookCaller({ socketsPerWebhookMax: 2 });
});

after(async () => {
  caller.close?.();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function call(more: { readonly [key: string]: unknown } = {}): ReturnType<WebhookCaller['call']> {
  return caller.call({
    url: `https://127.0.0.1:${port}/path?timeout=1s`,
    caBundle: authority.cert,
    body: Buffer.from('{"a":1}'),
    signal: new AbortController().signal,
    ...more,
  });
}

test('a call sends the review and brings back status, headers and body, on a kept connection', async () => {
  answer = async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const { method, url, headers } = request;
    response.writeHead(201, { 'retry-after': '3' });
    response.end(JSON.stringify({ method, url, host: headers.host, body: Buffer.concat(chunks).toString() }));
  };
  const before = connections;
  const { status, headers, body } = await call();
  assert.equal(status, 201);
  assert.equal(headers['retry-after'], '3');
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()), {
    method: 'POST',
    url: '/path?timeout=1s',
    host: `127.0.0.1:${port}`,
    body: '{"a":1}',
  });
  await call();
  assert.equal(connections, before + 1);
});

test('a kept connection that the webhook closes is replaced; a new one that it closes is a failure', async () => {
  let requests = 0;
  answer = (_request, response) => void response.end('{}');
  await call();
  answer = (request, response) => {
    requests++;
    if (requests === 1) request.socket.destroy();
    else response.end('again');
  };
  assert.equal(Buffer.from((await call()).body).toString(), 'again');
  assert.equal(requests, 2);
  answer = (request) => {
    requests++;
    request.socket.destroy();
  };
  await assert.rejects(call(), { message: 'EOF' });
  assert.equal(requests, 4, 'the kept one, then a new one');
});

test('a redirect is an answer, and an answer that breaks off is a failure', async () => {
  answer = (_request, response) => {
    response.writeHead(307, { location: `https://127.0.0.1:${port}/other` });
    response.end();
  };
  assert.equal((await call()).status, 307);
  answer = (request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"a"');
    setImmediate(() => request.socket.destroy());
  };
  await assert.rejects(call());
});

test('a Service’s name is checked at the endpoint that is dialled', async () => {
  answer = (request, response) => void response.end(request.headers.host);
  const connectTo = (): string => `127.0.0.1:${port}`;
  const url = 'https://hook.default.svc:443/?timeout=1s';
  const { body } = await call({ url, connectTo, serverName: 'hook.default.svc' });
  assert.equal(Buffer.from(body).toString(), 'hook.default.svc:443');
  await assert.rejects(call({ url: 'https://other.default.svc:443/', connectTo, serverName: 'other.default.svc' }), {
    message:
      'tls: failed to verify certificate: x509: certificate is valid for hook.default.svc, 127.0.0.1, not other.default.svc',
  });
});

test('an authority that is not trusted ends the call, also where a connection under another one is open', async () => {
  const message = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  await call();
  await assert.rejects(call({ caBundle: undefined }), { message });
  const other = await createAuthority({ commonName: 'other-ca' }, validity);
  await assert.rejects(call({ caBundle: other.cert }), { message });
});

test('calls beyond the sockets wait; an aborted one gives up', async () => {
  const release: (() => void)[] = [];
  const arrived: (() => void)[] = [];
  const arrivals = [0, 1].map(() => new Promise<void>((resolve) => arrived.push(resolve)));
  answer = (_request, response) => {
    release.push(() => void response.end('{}'));
    arrived.shift()?.();
  };
  const first = [call(), call()];
  await Promise.all(arrivals);
  const stop = new AbortController();
  const third = call({ signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(third);
  assert.equal(release.length, 2);
  for (const end of release) end();
  await Promise.all(first);
});

test('an answer that is too long, a broken connection and a closed port are told in upstream’s words', async () => {
  answer = (_request, response) => void response.end(Buffer.alloc(webhookAnswerBytesMax + 1));
  await assert.rejects(call(), { message: `the answer is longer than ${webhookAnswerBytesMax} bytes` });
  answer = (request) => void request.socket.destroy();
  await assert.rejects(call(), { message: 'EOF' });
  const unused = http.createServer();
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  const { port: closed } = unused.address() as AddressInfo;
  await new Promise((resolve) => unused.close(resolve));
  await assert.rejects(call({ url: `https://127.0.0.1:${closed}/` }), {
    message: `dial tcp 127.0.0.1:${closed}: connect: connection refused`,
  });
});
