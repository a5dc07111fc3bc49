// Go's rules, case by case.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyFromEnvironment } from './proxy-environment.ts';

const proxyFor = (url: string, environment: Record<string, string>): string | undefined =>
  proxyFromEnvironment(new URL(url), environment)?.href;

describe('proxyFromEnvironment()', () => {
  it('takes the variable of the scheme, upper case first, and http where no scheme is given', () => {
    const both = { HTTPS_PROXY: 'https://s:1', https_proxy: 'https://lower', http_proxy: 'h:2' };
    assert.equal(proxyFor('https://api.test', both), 'https://s:1/');
    assert.equal(proxyFor('http://api.test', both), 'http://h:2/');
    assert.equal(proxyFor('https://api.test', { HTTP_PROXY: 'http://h' }), undefined);
    assert.equal(proxyFor('https://api.test', { HTTPS_PROXY: 'socks5://u:p@s' }), 'socks5://u:p@s');
    assert.equal(proxyFor('https://api.test', {}), undefined);
    assert.throws(
      () => proxyFor('https://api.test', { HTTPS_PROXY: 'http://' }),
      /HTTPS_PROXY: the proxy is not a URL/,
    );
  });

  it('never proxies the loopback', () => {
    for (const host of ['localhost:6443', '127.0.0.1:6443', '127.1.2.3', '[::1]:6443'])
      assert.equal(proxyFor(`https://${host}`, { HTTPS_PROXY: 'http://p' }), undefined, host);
  });

  const cases: readonly (readonly [noProxy: string, host: string, direct: boolean])[] = [
    ['*', 'api.test', true],
    ['example.com', 'example.com', true],
    ['example.com', 'api.example.com', true],
    ['example.com', 'badexample.com', false],
    ['.example.com', 'api.example.com', true],
    ['.example.com', 'example.com', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['Example.COM', 'API.example.com', true],
    [' a.test , b.test,', 'b.test', true],
    ['api.test:6443', 'api.test:6443', true],
    ['api.test:6443', 'api.test', false],
    ['api.test:443', 'api.test', true],
    ['10.0.0.0/8', '10.96.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', 'ten.test', false],
    ['10.0.0.0/99', '10.0.0.1', false],
    ['10.0.0.1', '10.0.0.1:6443', true],
    ['10.0.0.1:80', '10.0.0.1:6443', false],
    ['fd00::/8', '[fd12::1]:6443', true],
    ['fd00::1', '[fd00::1]', true],
    ['[fd00::1]:443', '[fd00::1]', true],
    ['', 'api.test', false],
  ];
  for (const [noProxy, host, direct] of cases) {
    it(`NO_PROXY=${JSON.stringify(noProxy)} ${direct ? 'covers' : 'does not cover'} ${host}`, () => {
      const found = proxyFor(`https://${host}`, { HTTPS_PROXY: 'http://p', no_proxy: noProxy });
      assert.equal(found, direct ? undefined : 'http://p/');
    });
  }
});
