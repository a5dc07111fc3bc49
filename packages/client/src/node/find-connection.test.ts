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
    assert.throws(() => find({ home: join(folder, 'none') }), /current-context is not set/);
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
            'client-certificate-data': btoa('cert'),
            'client-key-data': btoa('key'),
          },
          { 'tls-server-name': 'other', 'disable-compression': true, 'certificate-authority-data': btoa('ca') },
        ),
      ),
    });
    assert.deepEqual(typeof connection.tls === 'function' ? connection.tls() : connection.tls, {
      ca: 'ca',
      cert: 'cert',
      key: 'key',
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
});
