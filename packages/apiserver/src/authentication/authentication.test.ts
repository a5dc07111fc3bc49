import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest, Peer } from '@homeostat/client';
import { Anonymous } from './anonymous.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { ClientCertificates } from './client-certificate.ts';
import { PeerUsers } from './peer-user.ts';
import { parseTokenFile, StaticTokens } from './static-tokens.ts';
import { UnionAuthenticator } from './union-authenticator.ts';

const file = 'jane-token,jane,jane-uid,"dev,qa"\n# a comment\nkcm-token,system:kube-controller-manager,kcm-uid\n';
const tokens = new BearerTokens([new StaticTokens(parseTokenFile(file), ['a'])], ['a']);
const union = new UnionAuthenticator([new PeerUsers(), new ClientCertificates(), tokens], new Anonymous());
const signal = new AbortController().signal;

function request(authorization?: string, peer?: Peer): ApiRequest {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return { method: 'GET', path: '/', query: '', headers, signal, ...(peer === undefined ? {} : { peer }) };
}

test('authenticate() knows static tokens, whatever the case of the scheme', async () => {
  const jane = { username: 'jane', uid: 'jane-uid', groups: ['dev', 'qa'], extra: {} };
  assert.deepEqual(await union.authenticate(request('Bearer jane-token'), signal), jane);
  assert.deepEqual(await union.authenticate(request('bearer jane-token'), signal), jane);
});

test('authenticate() takes other schemes and empty tokens for no credentials', async () => {
  for (const header of [undefined, 'Basic YWRtaW46YWRtaW4=', 'Bearer', 'Bearer ']) {
    assert.equal((await union.authenticate(request(header), signal))?.username, 'system:anonymous');
  }
});

test('authenticate() refuses a wrong token instead of falling back', async () => {
  await assert.rejects(union.authenticate(request('Bearer wrong'), signal), { message: 'invalid bearer token' });
});

test('authenticate() takes name and organizations of a client certificate', async () => {
  const clientCertificate = { commonName: 'system:node:n', organizations: ['system:nodes'], fingerprint: 'AB:CD' };
  assert.deepEqual(await union.authenticate(request(undefined, { clientCertificate }), signal), {
    username: 'system:node:n',
    uid: '',
    groups: ['system:nodes'],
    extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=abcd'] },
  });
});

test('authenticate() prefers the identity stated in process', async () => {
  const user = await union.authenticate(request('Bearer jane-token', { user: { username: 'me' } }), signal);
  assert.equal(user?.username, 'me');
});

test('identify() has no static token for a foreign audience', async () => {
  await assert.rejects(tokens.identify('jane-token', ['other']), { message: 'invalid bearer token' });
  assert.deepEqual((await tokens.identify('jane-token', ['other', 'a'])).audiences, ['a']);
});

test('parseTokenFile() tells the line it cannot read', () => {
  assert.throws(() => parseTokenFile('a,b,c\nx,y\n'), /line 2 of the token file: expected at least 3 fields, found 2/);
});
