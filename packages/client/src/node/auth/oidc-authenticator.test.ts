// A provider on the loopback interface, a kubeconfig in a folder of its own.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { decodeYaml } from '@homeostat/machinery/yaml';
import { findConnection } from '../find-connection.ts';
import type { Authenticator } from '../http-connection-options.ts';
import { startTestServer, type TestServer } from '../testing/server-fixture.ts';
import { testCertificate } from '../testing/tls-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'oidc-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'config');
const { signal } = new AbortController();
writeFileSync(join(folder, 'idp.pem'), testCertificate);

const env = createVirtualEnv();
/** A token that expires in `inMs`, and says `who`. */
const token = (who: string, inMs: number): string => {
  const claims = { sub: who, exp: Math.floor((env.clock.nowMs() + inMs) / 1000) };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
};

describe('OidcAuthenticator', () => {
  let provider: TestServer;
  let forms: string[];
  let answer: (form: string, authorization: string) => { readonly status?: number; readonly body: object };
  beforeEach(async () => {
    forms = [];
    provider = await startTestServer(
      (request, response) => {
        if (request.url === '/realm/.well-known/openid-configuration') {
          response.end(JSON.stringify({ token_endpoint: `${provider.url}/token` }));
          return;
        }
        let form = '';
        request.on('data', (chunk: Uint8Array) => (form += Buffer.from(chunk).toString()));
        request.on('end', () => {
          forms.push(form);
          const { status = 200, body } = answer(form, request.headers.authorization ?? '');
          response.writeHead(status);
          response.end(JSON.stringify(body));
        });
      },
      { h2: false },
    );
  });
  afterEach(() => provider.close());

  const load = (config: object): Authenticator => {
    const section = {
      'idp-issuer-url': `${provider.url}/realm`,
      'idp-certificate-authority': 'idp.pem',
      'client-id': 'kube',
      'client-secret': 'shh',
      ...config,
    };
    const kubeconfig = {
      'current-context': 'x',
      clusters: [{ name: 'c', cluster: { server: 'https://h:1' } }],
      users: [
        { name: 'other', user: { token: 'kept' } },
        { name: 'u', user: { 'auth-provider': { name: 'oidc', config: section } } },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    };
    writeFileSync(path, JSON.stringify(kubeconfig));
    return findConnection({ env, path }).authorize;
  };
  const ask = async (authorize: Authenticator): Promise<string> =>
    ((await authorize.headers(signal))['authorization'] ?? '').replace('Bearer ', '');

  it('J9 refreshes once for all who wait when the id-token expires, and writes the new tokens back', async () => {
    const [old, fresh] = [token('old', 60_000), token('fresh', 3_600_000)];
    answer = (_, authorization) => {
      assert.equal(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString(), 'kube:shh');
      return { body: { id_token: fresh, refresh_token: 'second' } };
    };
    const authorize = load({ 'id-token': old, 'refresh-token': 'first' });
    assert.equal(await ask(authorize), old);
    await env.clock.advance(60_001);
    assert.deepEqual(await Promise.all([ask(authorize), ask(authorize), ask(authorize)]), [fresh, fresh, fresh]);
    assert.deepEqual(forms, ['grant_type=refresh_token&refresh_token=first']);
    const written = decodeYaml(readFileSync(path, 'utf8')) as {
      readonly users: readonly { readonly user: Record<string, unknown> }[];
    };
    assert.deepEqual(written.users[0]?.user, { token: 'kept' });
    const section = written.users[1]?.user['auth-provider'] as { readonly config: Record<string, string> };
    assert.equal(section.config['id-token'], fresh);
    assert.equal(section.config['refresh-token'], 'second');
    assert.equal(section.config['client-id'], 'kube');
  });

  it('puts the client into the form for a provider that reads it there only', async () => {
    const fresh = token('fresh', 3_600_000);
    answer = (form) =>
      form.includes('client_secret=shh')
        ? { body: { id_token: fresh } }
        : { status: 401, body: { error: 'invalid_client' } };
    assert.equal(await ask(load({ 'refresh-token': 'first' })), fresh);
    assert.equal(forms.length, 2);
  });

  it('says what went wrong', async () => {
    answer = () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'Token is not active' } });
    await assert.rejects(ask(load({ 'refresh-token': 'first' })), /status 400: invalid_grant: Token is not active/);
    answer = () => ({ body: { access_token: 'x' } });
    await assert.rejects(ask(load({ 'refresh-token': 'first' })), /did not contain an id_token/);
    await assert.rejects(ask(load({})), /no valid id-token, and cannot refresh without refresh-token/);
    await assert.rejects(ask(load({ 'id-token': 'garbage' })), /not a JSON Web Token/);
    assert.throws(() => load({ 'client-id': '' }), /must provide client-id/);
    assert.throws(() => load({ 'idp-issuer-url': '' }), /must provide idp-issuer-url/);
  });

  it('does not ask the provider again within a second of a failure', async () => {
    answer = () => ({ status: 500, body: {} });
    const authorize = load({ 'refresh-token': 'first' });
    for (let i = 0; i < 3; i++) await assert.rejects(ask(authorize), /status 500/);
    assert.equal(forms.length, 2);
    await env.clock.advance(1_000);
    await assert.rejects(ask(authorize), /status 500/);
    assert.equal(forms.length, 4);
  });

  it('does not ask for every request when our clock takes all its tokens for expired, or they are none', async () => {
    const stale = token('stale', -3_600_000);
    answer = () => ({ body: { id_token: stale } });
    const authorize = load({ 'refresh-token': 'first' });
    for (let i = 0; i < 5; i++) assert.equal(await ask(authorize), stale);
    assert.equal(forms.length, 1);
    await env.clock.advance(1_000);
    assert.equal(await ask(authorize), stale);
    assert.equal(forms.length, 2);
    answer = () => ({ body: { id_token: 'opaque' } });
    await env.clock.advance(1_000);
    await assert.rejects(ask(authorize), /not a JSON Web Token/);
    await env.clock.advance(1_000);
    const fresh = token('fresh', 3_600_000);
    answer = () => ({ body: { id_token: fresh } });
    assert.equal(await ask(authorize), fresh);
  });
});
