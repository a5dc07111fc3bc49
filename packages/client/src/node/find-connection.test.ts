// What kubectl would connect to.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { findConnection, type FindConnectionOptions } from './find-connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
after(() => rmSync(folder, { recursive: true }));
const env = createVirtualEnv();
const { signal } = new AbortController();
const write = (name: string, content: object): string => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};
const config = (user: object, cluster: object = {}): object => ({
  'current-context': 'x',
  clusters: [{ name: 'c', cluster: { server: 'https://api.test:6443', ...cluster } }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
});
const pem = (text: string, encode = (plain: string) => plain): string => encode(`-----BEGIN ${text}`);
const find = (options: Omit<FindConnectionOptions, 'env'>) => findConnection({ env, ...options });

describe('findConnection()', () => {
  it('spec scenario 71: of two files that define a user and a current context, all is from the first', async () => {
    const a = write('a', config({ token: 'a' }));
    const b = write('b', {
      'current-context': 'y',
      users: [
        { name: 'u', user: { username: 'b' } },
        { name: 'v', user: { token: 'v' } },
      ],
      contexts: [{ name: 'y', context: { cluster: 'c', user: 'v' } }],
    });
    const environment = { KUBECONFIG: [a, b].join(delimiter) };
    assert.deepEqual(await find({ environment }).authorize.headers(signal), { authorization: 'Bearer a' });
    assert.deepEqual(await find({ environment, context: 'y' }).authorize.headers(signal), {
      authorization: 'Bearer v',
    });
  });

  it('connects to the cluster it runs in only when there is no kubeconfig at all', () => {
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    assert.throws(() => find({ environment, home: join(folder, 'none') }), { name: 'NotInClusterError' });
    assert.throws(() => find({ environment, path: join(folder, 'none') }), /no such file/);
    const file = write('config', config({}));
    assert.equal(find({ environment: { ...environment, KUBECONFIG: file } }).server, 'https://api.test:6443');
    assert.throws(() => find({ home: join(folder, 'none') }), /nothing to connect to: no kubeconfig in .*none/);
    assert.throws(() => find({ home: join(folder, 'none'), path: '', context: '' }), /nothing to connect to/);
  });

  it('prefers proxy-url to the environment, and does not apply NO_PROXY to it', () => {
    const environment = { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'api.test' };
    const plain = write('plain', config({}));
    assert.equal(find({ path: plain, environment }).proxy, undefined);
    assert.equal(find({ path: plain, environment: { HTTPS_PROXY: 'http://p:1' } }).proxy?.href, 'http://p:1/');
    assert.equal(find({ path: plain }).proxy, undefined);
    const own = write('own', config({}, { 'proxy-url': 'socks5://s:2' }));
    assert.equal(find({ path: own, environment }).proxy?.href, 'socks5://s:2');
    const bad = write('bad', config({}, { 'proxy-url': 'ftp://s' }));
    assert.throws(
      () => find({ path: bad }),
      /proxy-url: unsupported proxy scheme "ftp", must be http, https, or socks5/,
    );
  });

  it('acts as whom the user says, with several groups', async () => {
    const user = {
      token: 't',
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['a', 'b'],
      'as-user-extra': { 'Example.com/Reason': ['x', 'y'] },
    };
    assert.deepEqual(await find({ path: write('as', config(user)) }).authorize.headers(signal), {
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': 'a, b',
      'impersonate-extra-example.com%2Freason': 'x, y',
    });
    const nobody = write('nobody', config({ 'as-groups': ['a'] }));
    assert.throws(() => find({ path: nobody }), /needs a user name/);
  });

  it('takes inline data, and a token file before a token', async () => {
    writeFileSync(join(folder, 'token'), 'from the file\n');
    const connection = find({
      path: write(
        'data',
        config(
          {
            token: 'fallback',
            tokenFile: 'token',
            'client-certificate-data': pem('cert', btoa),
            'client-key-data': pem('key', btoa),
          },
          { 'tls-server-name': 'other', 'disable-compression': true, 'certificate-authority-data': pem('ca', btoa) },
        ),
      ),
    });
    assert.deepEqual(typeof connection.tls === 'function' ? connection.tls() : connection.tls, {
      ca: pem('ca'),
      cert: pem('cert'),
      key: pem('key'),
      serverName: 'other',
    });
    assert.equal(connection.compression, false);
    assert.equal(find({ path: write('remote', config({})) }).compression, true);
    assert.equal(find({ path: write('local', config({}, { server: 'https://[::1]:6443' })) }).compression, false);
    assert.deepEqual(await connection.authorize.headers(signal), { authorization: 'Bearer from the file' });
    rmSync(join(folder, 'token'));
    const fallback = find({ path: join(folder, 'data') });
    assert.deepEqual(await fallback.authorize.headers(signal), { authorization: 'Bearer fallback' });
  });

  it('says which entry and field cannot be used, before anything is sent', () => {
    const wrong: readonly (readonly [object, object, RegExp])[] = [
      [{ token: 12345 }, {}, /user "u": token must be a string, found a number: put it in quotes/],
      [{ as: 'x', 'as-groups': 'dev' }, {}, /user "u": as-groups must be a list of strings, found a string/],
      [{ as: 'x', 'as-user-extra': { a: 'b' } }, {}, /user "u": as-user-extra must be a mapping of lists, found/],
      [{ exec: [] }, {}, /user "u": exec must be a mapping, found a list/],
      [{}, { server: 5 }, /cluster "c": server must be a string/],
      [{}, { 'insecure-skip-tls-verify': 'true' }, /cluster "c": insecure-skip-tls-verify must be a boolean/],
      [{}, { server: 'ftp://x' }, /cluster "c": server must be an http or https URL/],
      [{}, { server: 'ht!tp://' }, /cluster "c": server must be an http or https URL/],
      [{}, { 'certificate-authority-data': '!!!' }, /inline data: there is no certificate/],
      [{}, { 'certificate-authority': folder }, /can't be read: EISDIR/],
      [{}, { 'proxy-url': 'http://u:%zz@p' }, /proxy-url: the user or password .* is not percent-encoded/],
    ];
    for (const [user, cluster, message] of wrong)
      assert.throws(
        () => find({ path: write('wrong', config(user, cluster)) }),
        (error: Error) => error.name === 'KubeconfigError' && message.test(error.message),
        String(message),
      );
    const tokens = find({ path: write('token-folder', config({ tokenFile: folder })) });
    assert.throws(() => tokens.authorize.headers(signal), /the token file .* can't be read: EISDIR/);
  });

  it('adds the scheme that kubectl adds', () => {
    const server = (cluster: object): string => find({ path: write('scheme', config({}, cluster)) }).server;
    assert.equal(server({ server: 'localhost:8080' }), 'http://localhost:8080');
    assert.equal(server({ server: '[::1]:6443', 'insecure-skip-tls-verify': true }), 'https://[::1]:6443');
  });
});
