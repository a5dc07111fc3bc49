import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { VirtualClock } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { nodeDigests, toSigningKey } from '../../node/node-crypto.ts';
import { BearerTokens } from '../bearer-tokens.ts';
import type { TokenKeys } from '../crypto-port.ts';
import { type JwtClaims, signJwt } from '../jwt.ts';
import { legacyClaims } from './account-claims.ts';
import { AccountTokenAuthenticator } from './account-token-authenticator.ts';

const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const keys: TokenKeys = { signingKey: async () => key, verificationKeys: () => [key] };
const audience = 'https://kubernetes.default.svc';

function setUp(objects: Record<string, KubeObject>): { tokens: BearerTokens; clock: VirtualClock; claims: JwtClaims } {
  const clock = new VirtualClock();
  const authenticator = new AccountTokenAuthenticator({
    keys,
    digests: nodeDigests,
    clock,
    find: async (resource, { namespace, name }) => objects[`${resource}/${namespace}/${name}`],
    issuers: [audience],
    audiences: [audience],
  });
  const now = Math.floor(clock.nowMs() / 1000);
  const claims: JwtClaims = {
    iss: audience,
    sub: 'system:serviceaccount:x:robot',
    aud: [audience],
    iat: now,
    nbf: now,
    exp: now + 600,
    jti: 'j',
    'kubernetes.io': { namespace: 'x', serviceaccount: { name: 'robot', uid: 'u' } },
  };
  return { tokens: new BearerTokens([authenticator], [audience]), clock, claims };
}

const robot = { 'serviceaccounts/x/robot': { metadata: { name: 'robot', namespace: 'x', uid: 'u' } } };

test('identify() knows the account of a good token', async () => {
  const { tokens, claims } = setUp(robot);
  assert.deepEqual(await tokens.identify(signJwt(claims, key), [audience, 'other']), {
    user: {
      username: 'system:serviceaccount:x:robot',
      uid: 'u',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:x'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
    },
    audiences: [audience],
  });
});

test('identify() refuses a token for another audience', async () => {
  const { tokens, claims } = setUp(robot);
  await assert.rejects(tokens.identify(signJwt({ ...claims, aud: ['vault'] }, key), [audience]), {
    message: `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${audience}"]]`,
  });
});

test('identify() refuses a changed token, and one of another issuer', async () => {
  const { tokens, claims } = setUp(robot);
  const [header, , signature] = signJwt(claims, key).split('.');
  const [, body] = signJwt({ ...claims, sub: 'system:serviceaccount:x:other' }, key).split('.');
  await assert.rejects(
    tokens.identify(`${header}.${body}.${signature}`, [audience]),
    /signature of the token is invalid/,
  );
  const foreign = signJwt({ ...claims, iss: 'https://other' }, key);
  await assert.rejects(tokens.identify(foreign, [audience]), { message: 'invalid bearer token' });
});

test('identify() refuses a token after its end, with a minute of leeway', async () => {
  const { tokens, claims, clock } = setUp(robot);
  const token = signJwt(claims, key);
  await clock.advance(659_000);
  await tokens.identify(token, [audience]);
  await clock.advance(2_000);
  await assert.rejects(tokens.identify(token, [audience]), /service account token has expired/);
});

test('identify() refuses a token whose account or bound object is gone', async () => {
  const objects: Record<string, KubeObject> = { ...robot, 'pods/x/p': { metadata: { name: 'p', uid: 'pu' } } };
  const { tokens, claims } = setUp(objects);
  const bound = { ...(claims['kubernetes.io'] as object), pod: { name: 'p', uid: 'pu' } };
  const token = signJwt({ ...claims, 'kubernetes.io': bound }, key);
  const identity = await tokens.identify(token, [audience]);
  assert.deepEqual(identity.user.extra['authentication.kubernetes.io/pod-uid'], ['pu']);
  objects['pods/x/p'] = { metadata: { name: 'p', uid: 'other' } };
  await assert.rejects(
    tokens.identify(token, [audience]),
    /pod UID \(other\) does not match service account pod ref claim \(pu\)/,
  );
  delete objects['pods/x/p'];
  await assert.rejects(tokens.identify(token, [audience]), /service account token has been invalidated/);
  delete objects['serviceaccounts/x/robot'];
  await assert.rejects(tokens.identify(token, [audience]), {
    message: '[invalid bearer token, serviceaccounts "robot" not found]',
  });
});

test('identify() knows the account of a legacy token as long as its Secret holds it', async () => {
  const token = signJwt(legacyClaims({ namespace: 'x', secretName: 's', accountName: 'robot', accountUid: 'u' }), key);
  const secret = { metadata: { name: 's' }, data: { token: Buffer.from(token).toString('base64') } };
  const objects: Record<string, KubeObject> = { ...robot, 'secrets/x/s': secret };
  const { tokens } = setUp(objects);
  assert.equal((await tokens.identify(token, [audience])).user.uid, 'u');
  objects['secrets/x/s'] = { metadata: { name: 's' } };
  await assert.rejects(tokens.identify(token, [audience]), /Token does not match server's copy/);
});
