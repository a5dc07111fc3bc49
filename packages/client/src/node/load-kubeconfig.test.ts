// Kubeconfig and token files in a folder of their own.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { selectContext } from '../kubeconfig/select-context.ts';
import { inClusterConnection } from './in-cluster.ts';
import { connectionOf } from './kubeconfig-connection.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';

const { signal } = new AbortController();

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
after(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('loadKubeconfig()', () => {
  it('merges the files of the variable, skips missing ones, and resolves paths beside each file', async () => {
    write('ca.pem', '-----BEGIN the ca');
    write('token', ' first\n');
    const a = write(
      'a',
      `
apiVersion: v1
kind: Config
current-context: x
clusters: [{name: c, cluster: {server: 'https://h:1', certificate-authority: ca.pem}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: prod}}]
`,
    );
    const b = write('b', 'users: [{name: u, user: {tokenFile: token, as: jane, as-groups: [dev]}}]');
    const env = createVirtualEnv();
    const config = loadKubeconfig({ variable: [a, join(folder, 'missing'), b, a].join(delimiter) });
    const connection = connectionOf(selectContext(config), env);
    assert.equal(connection.namespace, 'prod');
    assert.equal(connection.server, 'https://h:1');
    assert.deepEqual(typeof connection.tls === 'function' ? connection.tls() : connection.tls, {
      ca: '-----BEGIN the ca',
    });
    const expected = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' };
    assert.deepEqual(connection.authorize.headers(signal), { ...expected, authorization: 'Bearer first' });
    // J9: a token that was replaced is used once the old one may have expired.
    write('token', 'second');
    assert.deepEqual(connection.authorize.headers(signal), { ...expected, authorization: 'Bearer first' });
    await env.clock.advance(61_000);
    assert.deepEqual(connection.authorize.headers(signal), { ...expected, authorization: 'Bearer second' });
    rmSync(join(folder, 'token'));
    await env.clock.advance(61_000);
    assert.deepEqual(connection.authorize.headers(signal), { ...expected, authorization: 'Bearer second' });
  });

  it('fails for an explicit path that does not exist, and for what is not YAML', () => {
    assert.throws(() => loadKubeconfig({ path: join(folder, 'missing') }), /missing: ENOENT/);
    assert.throws(() => loadKubeconfig({ path: write('broken', 'a: [') }), /broken: /);
    assert.equal(loadKubeconfig({ home: folder }).currentContext, '');
  });
});

describe('inClusterConnection()', () => {
  it('connects by the mounted account, and says when there is none', () => {
    const env = createVirtualEnv();
    assert.throws(() => inClusterConnection({ env, host: undefined, port: '443' }), /KUBERNETES_SERVICE_HOST/);
    assert.throws(
      () => inClusterConnection({ env, host: 'h', port: '1', folder: join(folder, 'none') }),
      /no ServiceAccount token/,
    );
    write('token', 't');
    write('namespace', 'kube-system\n');
    const environment = { HTTPS_PROXY: 'http://p:1' };
    const connection = inClusterConnection({ env, host: 'fd00::1', port: '443', folder, environment });
    assert.equal(connection.proxy?.href, 'http://p:1/');
    assert.equal(connection.server, 'https://[fd00::1]:443');
    assert.equal(connection.namespace, 'kube-system');
    assert.deepEqual(connection.authorize.headers(signal), { authorization: 'Bearer t' });
  });
});
