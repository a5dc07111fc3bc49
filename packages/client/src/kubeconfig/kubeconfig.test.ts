// Merging and selecting, without files.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeKubeconfigs } from './kubeconfig.ts';
import { selectContext } from './select-context.ts';

const file = (name: string, content: object) => ({ file: name, content });
const cluster = (name: string, server: string, more: object = {}) => ({ name, cluster: { server, ...more } });

describe('mergeKubeconfigs()', () => {
  it('takes the first of each name whole, and the first current context', () => {
    const merged = mergeKubeconfigs([
      file('/a', {
        kind: 'Config',
        'current-context': '',
        clusters: [cluster('c', 'https://a')],
        users: [{ name: 'u', user: { token: 'a' } }],
      }),
      file('/b', {
        'current-context': 'b',
        users: [
          { name: 'u', user: { username: 'b' } },
          { name: 'v', user: { token: 'v' } },
        ],
      }),
      { file: '/empty', content: null },
    ]);
    assert.equal(merged.currentContext, 'b');
    assert.deepEqual(merged.users.get('u'), { value: { token: 'a' }, file: '/a' });
    assert.deepEqual(merged.users.get('v')?.file, '/b');
  });

  it('says which file is not a kubeconfig, and why', () => {
    assert.throws(() => mergeKubeconfigs([file('/x', { kind: 'Pod' })]), /\/x: kind must be Config: "Pod"/);
    assert.throws(() => mergeKubeconfigs([file('/x', { clusters: [{}] })]), /\/x: an entry of clusters has no name/);
  });
});

describe('selectContext()', () => {
  const select = (user: object, clusterMore: object = {}) =>
    selectContext(
      mergeKubeconfigs([
        file('/a', {
          'current-context': 'x',
          clusters: [cluster('c', 'https://a', clusterMore)],
          users: [{ name: 'u', user }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        }),
      ]),
    );

  it('finds the server, and the namespace default', () => {
    const selected = select({ token: 't' });
    assert.equal(selected.server, 'https://a');
    assert.equal(selected.namespace, 'default');
  });

  it('refuses contradictions and what it can not do', () => {
    assert.throws(
      () => select({}, { 'insecure-skip-tls-verify': true, 'certificate-authority-data': 'x' }),
      /exclude each other/,
    );
    assert.throws(() => select({ 'client-certificate-data': 'x' }), /needs a client key/);
    assert.throws(() => select({ 'auth-provider': { name: 'gcp' } }), /no auth provider found for name "gcp"/);
    assert.throws(() => selectContext(mergeKubeconfigs([]), 'nope'), /context "nope" does not exist/);
    assert.throws(() => selectContext(mergeKubeconfigs([])), /current-context is not set/);
  });
});
