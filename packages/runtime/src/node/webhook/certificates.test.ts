// Certificates of webhook servers: made, kept, renewed, read again. On a real directory and with real keys, in virtual time.

import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createVirtualEnv, Scope } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import { type CertificatePair, createAuthority, issueCertificate } from '../pki/certificate-authority.ts';
import { type CertificateStore, memoryCertificateStore, secretCertificateStore } from './certificate-store.ts';
import { fileCertificates } from './file-certificates.ts';
import { selfSignedCertificates, serviceHosts } from './self-signed-certificates.ts';

const dayMs = 86_400_000;
const hosts = serviceHosts({ namespace: 'ns', name: 'hook' });
const never = new AbortController().signal;
const startMs = createVirtualEnv().clock.nowMs();

/** Collects what a source changes to. */
class Changes {
  readonly pairs: CertificatePair[] = [];
  #wake = Promise.withResolvers<void>();

  add = (pair: CertificatePair): void => {
    this.pairs.push(pair);
    this.#wake.resolve();
  };

  async next(): Promise<CertificatePair> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers<void>();
    return this.pairs.at(-1) ?? assert.fail('no pair');
  }
}

test('selfSignedCertificates() makes a certificate for all names, keeps it, and renews it before it ends', async () => {
  const env = createVirtualEnv();
  const store = memoryCertificateStore();
  const first = selfSignedCertificates({ env, hosts, store, checkMs: dayMs / 4 });
  assert.throws(() => first.caBundle, /not loaded yet/);
  const pair = await first.load(never);
  const certificate = new X509Certificate(pair.cert);
  for (const host of ['hook.ns.svc', 'hook.ns.svc.cluster.local']) assert.equal(certificate.checkHost(host), host);
  assert.equal(certificate.verify(new X509Certificate(first.caBundle).publicKey), true);
  // Another replica finds it.
  const second = selfSignedCertificates({ env, hosts, store });
  assert.equal((await second.load(never)).cert, pair.cert);
  // Another name needs another certificate; the authority stays.
  const more = selfSignedCertificates({ env, hosts: [...hosts, '127.0.0.1'], store: memoryCertificateStore() });
  assert.equal(new X509Certificate((await more.load(never)).cert).checkIP('127.0.0.1'), '127.0.0.1');

  const changes = new Changes();
  await using scope = new Scope();
  scope.spawn('certificates', (signal) => first.run({ signal, onChange: changes.add }));
  await env.clock.advance(59 * dayMs);
  assert.equal(changes.pairs.length, 0);
  const bundle = first.caBundle;
  await env.clock.advance(2 * dayMs);
  const renewed = await changes.next();
  assert.notEqual(renewed.cert, pair.cert);
  assert.equal(first.caBundle, bundle);
});

test('a new authority is trusted beside the old one', async () => {
  const env = createVirtualEnv();
  const store = memoryCertificateStore();
  const source = selfSignedCertificates({ env, hosts, store, authorityDays: 30, certificateDays: 10 });
  const old = await source.load(never);
  const oldBundle = source.caBundle;
  const later = createVirtualEnv({ startMs: env.clock.nowMs() + 25 * dayMs });
  const next = selfSignedCertificates({ env: later, hosts, store, authorityDays: 30, certificateDays: 10 });
  const pair = await next.load(never);
  assert.ok(next.caBundle.startsWith(oldBundle));
  const [first = '', second = ''] = next.caBundle.match(/-----BEGIN[^]+?-----END CERTIFICATE-----/g) ?? [];
  assert.equal(new X509Certificate(old.cert).verify(new X509Certificate(first).publicKey), true);
  assert.equal(new X509Certificate(pair.cert).verify(new X509Certificate(second).publicKey), true);
});

test('a replica that was too late takes what the other one made', async () => {
  const env = createVirtualEnv();
  const shared = memoryCertificateStore();
  const other = selfSignedCertificates({ env, hosts, store: shared });
  let saves = 0;
  const racing: CertificateStore = {
    load: (signal) => shared.load(signal),
    async save(certificates, signal) {
      if (saves++ > 0) return shared.save(certificates, signal);
      await other.load(signal);
      return false;
    },
  };
  const late = selfSignedCertificates({ env, hosts, store: racing });
  assert.equal((await late.load(never)).cert, (await other.load(never)).cert);
  assert.equal(saves, 1);
});

test('fileCertificates() reads again what changed, and keeps the old pair while files do not fit', async (t) => {
  const complained = Promise.withResolvers<void>();
  const env = createVirtualEnv({ level: 'error', sink: () => complained.resolve() });
  const directory = mkdtempSync(path.join(tmpdir(), 'homeostat-webhook-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const [cert, key] = [path.join(directory, 'tls.crt'), path.join(directory, 'tls.key')];
  const validity = { nowMs: env.clock.nowMs(), days: 10 };
  const authority = await createAuthority({ commonName: 'ca' }, validity);
  const make = (): Promise<CertificatePair> =>
    issueCertificate(authority, { commonName: 'a', usage: 'server' }, validity);
  const [one, two] = [await make(), await make()];
  const source = fileCertificates({ env, cert, key });
  await assert.rejects(source.load(never), /cannot use the certificate .*tls.crt with the key .*tls.key: ENOENT/);
  writeFileSync(cert, one.cert);
  writeFileSync(key, two.key);
  await assert.rejects(source.load(never), /the key does not belong to the certificate/);
  writeFileSync(key, one.key);
  assert.deepEqual(await source.load(never), one);

  const changes = new Changes();
  await using scope = new Scope();
  scope.spawn('certificates', (signal) => source.run({ signal, onChange: changes.add }));
  // Half written: nothing happens.
  writeFileSync(cert, two.cert);
  await env.clock.advance(10_000);
  await complained.promise;
  assert.equal(changes.pairs.length, 0);
  writeFileSync(key, two.key);
  await env.clock.advance(10_000);
  assert.deepEqual(await changes.next(), two);
});

test('an API server that cannot be told the authority at the start is told soon after', async () => {
  const env = createVirtualEnv();
  let asked = 0;
  const client = {
    get: () => {
      asked++;
      return asked === 1 ? Promise.reject(new Error('no route')) : Promise.resolve({ webhooks: [] });
    },
  } as unknown as Client;
  const source = selfSignedCertificates({ env, hosts, inject: { client, validating: ['c'] } });
  await source.load(never);
  await using scope = new Scope();
  scope.spawn('certificates', (signal) => source.run({ signal, onChange: () => assert.fail('nothing is new') }));
  await env.clock.advance(5_000);
  assert.equal(asked, 2);
  await env.clock.advance(55_000);
  assert.equal(asked, 2);
  await env.clock.advance(5_000);
  assert.equal(asked, 3);
});

test('stored certificates that somebody spoiled are made anew', async () => {
  const env = createVirtualEnv();
  const store = memoryCertificateStore();
  const good = await selfSignedCertificates({ env, hosts, store }).load(never);
  const stored = (await store.load(never)) ?? assert.fail('nothing was kept');
  const validity = { nowMs: env.clock.nowMs(), days: 10 };
  const foreign = await issueCertificate(
    await createAuthority({ commonName: 'other' }, validity),
    { commonName: 'a', usage: 'server', hosts },
    validity,
  );
  for (const spoiled of [
    { serving: { cert: 'no certificate', key: good.key } },
    { serving: { cert: good.cert, key: foreign.key } },
    { serving: foreign },
    { authority: { cert: stored.authority.cert, key: 'no key' } },
    { caBundle: 'nobody' },
  ]) {
    await store.save({ ...stored, ...spoiled }, never);
    const source = selfSignedCertificates({ env, hosts, store });
    const pair = await source.load(never);
    const certificate = new X509Certificate(pair.cert);
    assert.ok(certificate.verify(new X509Certificate(source.caBundle).publicKey), JSON.stringify(Object.keys(spoiled)));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(pair.key)));
  }
});

test('a new certificate is used though API servers cannot be told: at once under the old authority, else when the old one is over', async () => {
  // Good for 864 s, made anew when a third of that is left; the authority with it, or not.
  const certificateDays = 0.01;
  for (const [authorityDays, usedAfterMs] of [
    [3650, 600_000],
    [certificateDays, 870_000],
  ] as const) {
    const env = createVirtualEnv();
    let reachable = true;
    const client = {
      get: () => (reachable ? Promise.resolve({ webhooks: [] }) : Promise.reject(new Error('forbidden'))),
    } as unknown as Client;
    const store = memoryCertificateStore();
    const source = selfSignedCertificates({
      env,
      hosts,
      store,
      inject: { client, validating: ['c'] },
      authorityDays,
      certificateDays,
    });
    const first = await source.load(never);
    reachable = false;
    const changes = new Changes();
    await using scope = new Scope();
    scope.spawn('certificates', (signal) => source.run({ signal, onChange: changes.add }));
    const stored = async (): Promise<string | undefined> => (await store.load(never))?.serving.cert;
    while (env.clock.nowMs() - startMs < usedAfterMs - 60_000) {
      await env.clock.advance(5_000);
      if (authorityDays === certificateDays) assert.equal(changes.pairs.length, 0);
    }
    // Keys are made in real time.
    while ((await stored()) === first.cert) await new Promise(setImmediate);
    while (changes.pairs.length === 0 && env.clock.nowMs() - startMs < usedAfterMs) await env.clock.advance(5_000);
    assert.deepEqual(await changes.next(), (await store.load(never))?.serving);
  }
});

test('secretCertificateStore() keeps the type, the labels and the other data of a Secret that is there', async () => {
  const env = createVirtualEnv();
  const metadata = { namespace: 'ns', name: 'tls', resourceVersion: '7', labels: { chart: 'mine' } };
  const secret = { metadata, type: 'Opaque', data: { mine: 'eA==' } };
  const written: unknown[] = [];
  const client = {
    get: () => Promise.resolve(secret),
    update: (_resource: unknown, { object }: { readonly object: unknown }) => Promise.resolve(written.push(object)),
  } as unknown as Client;
  const store = secretCertificateStore({ client, namespace: 'ns', name: 'tls' });
  await selfSignedCertificates({ env, hosts, store }).load(never);
  const [object] = written as [{ readonly data: Readonly<Record<string, string>> }];
  const { data, ...rest } = object;
  assert.deepEqual(rest, { metadata, type: 'Opaque' });
  assert.deepEqual(Object.keys(data).toSorted(), ['ca.crt', 'ca.key', 'mine', 'signing-ca.crt', 'tls.crt', 'tls.key']);
});
