import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import type { TlsMaterial } from './http-connection-options.ts';
import { testCertificate, testKey } from './testing/tls-fixture.ts';
import { TlsSource } from './tls-source.ts';

it('TlsSource keeps what works while a certificate is half written, and looks again soon', async () => {
  const env = createVirtualEnv();
  const good: TlsMaterial = { cert: testCertificate, key: testKey };
  let material = good;
  const source = new TlsSource(env, () => material);
  material = { ...good, cert: testCertificate.slice(0, 200) };
  await env.clock.advance(300_000);
  assert.equal(source.refresh(undefined), false);
  assert.deepEqual(source.current, good);
  material = { ...good, ca: testCertificate };
  assert.equal(source.refresh(undefined), false);
  await env.clock.advance(10_000);
  assert.equal(source.refresh(undefined), true);
  assert.deepEqual(source.current, material);
});
