// The cluster's PKI on a real directory: made, found again, renewed, and private.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { openClusterPki } from './cluster-pki.ts';

function temporary(t: { after(fn: () => void): void }): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'homeostat-pki-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return path.join(directory, 'pki');
}

test('openClusterPki() makes an authority that signed the rest, for every name of the server', async (t) => {
  const env = createVirtualEnv();
  const pki = await openClusterPki({
    env,
    directory: temporary(t),
    hosts: ['10.1.2.3', 'api.example'],
    serviceAddress: '10.0.0.1',
  });
  const ca = new X509Certificate(pki.caCert);
  const serving = new X509Certificate(pki.serving.cert);
  const admin = new X509Certificate((await pki.client('admin')).cert);
  assert.equal(ca.ca, true);
  for (const certificate of [serving, admin]) assert.equal(certificate.verify(ca.publicKey), true);
  for (const ip of ['127.0.0.1', '10.0.0.1', '10.1.2.3']) assert.equal(serving.checkIP(ip), ip);
  assert.equal(serving.checkHost('kubernetes.default.svc'), 'kubernetes.default.svc');
  assert.match(admin.subject, /CN=kubernetes-admin/);
  assert.match(admin.subject, /O=system:masters/);
});

test('openClusterPki() finds again what it made, and renews what is about to expire or lacks a name', async (t) => {
  const directory = temporary(t);
  const first = await openClusterPki({ env: createVirtualEnv(), directory });
  const key = await first.tokenKeyPem();
  const again = await openClusterPki({ env: createVirtualEnv(), directory });
  assert.equal(again.caCert, first.caCert);
  assert.equal(again.serving.cert, first.serving.cert);
  assert.equal(await again.tokenKeyPem(), key);
  assert.equal(again.tokenKeys.verificationKeys().length, 1);
  const named = await openClusterPki({ env: createVirtualEnv(), directory, hosts: ['new.example'] });
  assert.notEqual(named.serving.cert, first.serving.cert);
  const later = createVirtualEnv({ startMs: createVirtualEnv().clock.nowMs() + 340 * 86_400_000 });
  const renewed = await openClusterPki({ env: later, directory, hosts: ['new.example'] });
  assert.equal(renewed.caCert, first.caCert);
  assert.notEqual(renewed.serving.cert, named.serving.cert);
});

test('openClusterPki() keeps keys and certificates for their owner alone', async (t) => {
  const directory = temporary(t);
  await openClusterPki({ env: createVirtualEnv(), directory });
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  for (const name of ['ca.key', 'ca.crt', 'apiserver.key'])
    assert.equal(statSync(path.join(directory, name)).mode & 0o777, 0o600);
});
