// The webhook server over real sockets.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import https from 'node:https';
import tls from 'node:tls';
import { after, before, test } from 'node:test';
import { Scope, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { configMaps } from '@homeostat/client/resources';
import { createValidatingWebhook } from '../../webhook/validating-webhook.ts';
import { type CertificatePair, createAuthority, issueCertificate } from '../pki/certificate-authority.ts';
import type { CertificateSource } from './certificate-source.ts';
import { createWebhookServer, type WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

const env = { ...createRealEnv(), log: silentLogger };
const validity = { nowMs: env.clock.nowMs(), days: 10 };
const webhooks = [createValidatingWebhook({ resource: configMaps, validate: () => 'no' })];

let authority: CertificatePair;
let pair: CertificatePair;

before(async () => {
  authority = await createAuthority({ commonName: 'ca' }, validity);
  pair = await serving();
});

function serving(): Promise<CertificatePair> {
  return issueCertificate(authority, { commonName: 'hook', usage: 'server', hosts: ['127.0.0.1'] }, validity);
}

class ChangingCertificates implements CertificateSource {
  change: (next: CertificatePair) => void = () => {};

  load = (): Promise<CertificatePair> => Promise.resolve(pair);

  run({ signal, onChange }: Parameters<CertificateSource['run']>[0]): Promise<void> {
    this.change = onChange;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
}

const scope = new Scope();
after(() => scope.close());

async function start(
  options: Partial<WebhookServerOptions> = {},
): Promise<{ readonly server: WebhookServer; readonly port: number }> {
  const server = createWebhookServer({
    env,
    webhooks,
    certificates: new ChangingCertificates(),
    host: '127.0.0.1',
    port: 0,
    ...options,
  });
  assert.equal(server.check?.(), 'webhook server has not been started yet');
  scope.spawn('server', (signal) => server.run({ signal, kill: signal }));
  const { port } = await server.listening;
  assert.equal(server.check?.(), undefined);
  return { server, port };
}

function post(
  port: number,
  more: https.RequestOptions = {},
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request({
      host: '127.0.0.1',
      port,
      path: '/validate--v1-configmap',
      method: 'POST',
      ca: authority.cert,
      headers: { 'content-type': 'application/json' },
      agent: false,
      ...more,
    });
    request.once('error', reject);
    request.once('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.end('{}');
  });
}

async function presented(port: number): Promise<string> {
  const socket = tls.connect({ host: '127.0.0.1', port, ca: authority.cert });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return new X509Certificate(raw).serialNumber;
}

test('reviews are answered over TLS', async () => {
  const { port } = await start();
  const { status, body } = await post(port);
  assert.equal(status, 400);
  assert.match(body, /wanted an AdmissionReview/);
});

test('a new certificate is served without a restart', async () => {
  const certificates = new ChangingCertificates();
  const { port } = await start({ certificates });
  assert.equal(await presented(port), new X509Certificate(pair.cert).serialNumber);
  const next = await serving();
  certificates.change(next);
  assert.equal(await presented(port), new X509Certificate(next.cert).serialNumber);
});

test('with client authorities only their clients are answered', async () => {
  const { port } = await start({ clientCa: [authority.cert] });
  assert.equal((await post(port)).status, 401);
  const client = await issueCertificate(authority, { commonName: 'kube-apiserver', usage: 'client' }, validity);
  assert.equal((await post(port, client)).status, 400);
});

test('a server that cannot start says why', async () => {
  const { port } = await start();
  const second = createWebhookServer({
    env,
    webhooks,
    certificates: new ChangingCertificates(),
    host: '127.0.0.1',
    port,
  });
  const { signal } = new AbortController();
  await assert.rejects(second.run({ signal, kill: signal }), /EADDRINUSE/);
  await assert.rejects(second.listening, /EADDRINUSE/);
  const failing: CertificateSource = {
    load: () => Promise.reject(new Error('no files')),
    run: () => Promise.resolve(),
  };
  await assert.rejects(
    createWebhookServer({ env, webhooks, certificates: failing }).run({ signal, kill: signal }),
    /no files/,
  );
});
