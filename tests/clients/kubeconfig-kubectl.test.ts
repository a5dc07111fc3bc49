// Our reading of kubeconfigs beside kubectl's: the same files, the same server, the same headers. kubectl is the judge.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type net from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { type CertificatePair, createAuthority, issueCertificate } from '@homeostat/apiserver/node';
import { silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { createKubeconfigTransport, loadKubeconfig, setCurrentContext } from '@homeostat/client/node';
import { kubectlAndHelm } from '../../tools/kubectl.mjs';

const env = { ...createRealEnv(), log: silentLogger };
const { kubectl } = kubectlAndHelm();
const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
const file = (name: string): string => join(folder, name);
const write = (name: string, content: string | object): string => {
  writeFileSync(file(name), typeof content === 'string' ? content : JSON.stringify(content));
  return file(name);
};

/** How the API server and the proxy were asked, in order. */
const seen: string[] = [];
const noted = (request: http.IncomingMessage): string => {
  const wanted = /^(authorization|proxy-authorization|impersonate-.*)$/;
  const headers: string[] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] ?? '').toLowerCase();
    if (wanted.test(name)) headers.push(`${name}: ${request.rawHeaders[index + 1]}`);
  }
  return [`${request.method} ${request.url}`, ...headers.toSorted()].join('\n');
};
let oidc: (request: http.IncomingMessage, response: http.ServerResponse) => void = () => {};
const answer = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  if (request.url?.startsWith('/realm') === true) {
    oidc(request, response);
    return;
  }
  seen.push(noted(request));
  response.end('{}');
};
/** Plain http, and the proxy: it opens no tunnel, being asked is all that counts. */
const plain = http.createServer(answer).on('connect', (request: http.IncomingMessage, socket: Duplex) => {
  seen.push(noted(request));
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
});
let secure: https.Server;
let authority: CertificatePair;
let client: CertificatePair;
const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port;
before(async () => {
  const validity = { nowMs: env.clock.nowMs(), days: 1 };
  authority = await createAuthority({ commonName: 'test-ca' }, validity);
  const request = { commonName: 'server', usage: 'server', hosts: ['127.0.0.1', 'api'] } as const;
  client = await issueCertificate(authority, { commonName: 'jane', usage: 'client' }, validity);
  secure = https.createServer(await issueCertificate(authority, request, validity), answer);
  for (const server of [plain, secure]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true });
});

type Environment = Readonly<Record<string, string>>;

/** What the server saw of a request made in each way; `failed` when none came. */
async function ask(
  environment: Environment,
  only?: 'kubectl' | 'ours',
): Promise<{ readonly kubectl: string; readonly ours: string }> {
  const all = { PATH: process.env['PATH'] ?? '', HOME: folder, ...environment };
  const told = async (work: () => Promise<unknown>): Promise<string> => {
    seen.length = 0;
    await work().catch(() => undefined);
    return seen[0] ?? 'failed';
  };
  const skipped = Promise.resolve('not asked');
  return {
    kubectl: await (only === 'ours'
      ? skipped
      : told(
          () =>
            new Promise<void>((resolve, reject) => {
              const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
              execFile(kubectl, ['get', '--raw', '/x'], { env: all, timeout: 20_000 }, done);
            }),
        )),
    ours: await (only === 'kubectl'
      ? skipped
      : told(async () => {
          const { transport } = createKubeconfigTransport({ env, environment: all, home: folder });
          const { signal } = new AbortController();
          try {
            await transport.send({ method: 'GET', path: '/x', query: '', headers: {}, signal });
          } finally {
            await transport.close();
          }
        })),
  };
}

const trusted = (): object => ({
  server: `https://127.0.0.1:${portOf(secure)}`,
  'certificate-authority-data': btoa(authority.cert),
});
const pair = (): object => ({
  'client-certificate-data': btoa(client.cert),
  'client-key-data': btoa(client.key),
});
const config = (user: object, cluster: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'x',
  clusters: [{ name: 'c', cluster: { ...trusted(), ...cluster } }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
});

async function agree(environment: Environment, wanted: RegExp): Promise<void> {
  const { kubectl: theirs, ours } = await ask(environment);
  assert.equal(ours, theirs);
  assert.match(ours, wanted);
}

describe('kubeconfigs as kubectl reads them', () => {
  it('several files: the first of each name, and the first current context', async () => {
    const a = write('a', config({ token: 'a' }));
    const b = write('b', {
      'current-context': 'y',
      users: [
        { name: 'u', user: { token: 'b', username: 'no' } },
        { name: 'v', user: { token: 'v' } },
      ],
      contexts: [{ name: 'y', context: { cluster: 'c', user: 'v' } }],
    });
    await agree({ KUBECONFIG: ['', a, file('missing'), b, a].join(delimiter) }, /Bearer a/);
    await agree({ KUBECONFIG: [b, a].join(delimiter) }, /Bearer v/);
    write('empty', '');
    await agree({ KUBECONFIG: [file('empty'), a].join(delimiter) }, /Bearer a/);
  });

  const exec = (more: object = {}): object => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'cat',
      args: [file('credential')],
      interactiveMode: 'Never',
      ...more,
    },
  });
  const users: readonly (readonly [what: string, user: () => object, wanted: RegExp])[] = [
    ['a token', () => ({ token: 't' }), /Bearer t/],
    ['a token file before a token', () => ({ token: 't', tokenFile: 'token' }), /Bearer from the file/],
    ['a missing token file and a token', () => ({ token: 't', tokenFile: 'missing' }), /Bearer t|failed/],
    ['a password', () => ({ username: 'jane', password: 'p:ä' }), /Basic/],
    ['a token and a password', () => ({ token: 't', username: 'jane', password: 'p' }), /failed/],
    ['a certificate and a file of one', () => ({ ...pair(), 'client-certificate': 'ca.pem' }), /failed/],
    ['a key and a file of one', () => ({ ...pair(), 'client-key': 'ca.pem' }), /failed/],
    ['a certificate and a token', () => ({ ...pair(), token: 't' }), /Bearer t/],
    ['a certificate file that is not there', () => ({ 'client-certificate': 'none', 'client-key': 'none' }), /failed/],
    ['a plugin and a provider', () => ({ ...exec(), 'auth-provider': { name: 'oidc', config: {} } }), /failed/],
    ['a plugin and a password', () => ({ ...exec(), username: 'jane', password: 'p' }), /Basic/],
    ['a plugin that is no command', () => exec({ command: '' }), /failed/],
    ['a plugin with an environment', () => exec({ env: [{ name: '', value: 'x' }] }), /failed/],
    ['a certificate without a key', () => ({ 'client-certificate-data': btoa('x') }), /failed/],
    [
      'impersonation',
      () => ({
        token: 't',
        as: 'wanda',
        'as-uid': '7',
        'as-groups': ['a', 'b'],
        'as-user-extra': { 'Example.com/Why (not)%': ['x', 'y'], plain: ['z'] },
      }),
      /impersonate-group: a\nimpersonate-group: b/,
    ],
    ['groups without a user', () => ({ token: 't', 'as-groups': ['a'] }), /failed/],
    ['a plugin', () => exec(), /Bearer plugin/],
    ['a plugin and a token', () => ({ ...exec(), token: 't' }), /Bearer t/],
    ['a plugin without apiVersion', () => exec({ apiVersion: '' }), /failed/],
    ['a plugin without interactiveMode', () => exec({ interactiveMode: '' }), /failed/],
    ['a plugin that needs a terminal', () => exec({ interactiveMode: 'Always' }), /failed/],
    ['a plugin that is not there', () => exec({ command: 'no-such-plugin' }), /failed/],
    ['a plugin of another version', () => exec({ apiVersion: 'client.authentication.k8s.io/v1beta1' }), /failed/],
    ['a plugin that fails', () => exec({ command: 'false', args: [] }), /failed/],
    ['a provider that is not there', () => ({ 'auth-provider': { name: 'gcp' } }), /failed/],
    [
      'an OIDC token',
      () => ({
        'auth-provider': {
          name: 'oidc',
          config: { 'idp-issuer-url': 'https://issuer.test', 'client-id': 'k', 'id-token': idToken(3_600_000) },
        },
      }),
      /Bearer e30/,
    ],
    [
      'an OIDC token that has expired',
      () => ({
        'auth-provider': {
          name: 'oidc',
          config: { 'idp-issuer-url': 'https://issuer.test', 'client-id': 'k', 'id-token': idToken(-1_000) },
        },
      }),
      /failed/,
    ],
  ];
  for (const [what, user, wanted] of users) {
    it(`a user with ${what}`, async () => {
      write('token', 'from the file\n');
      write('credential', {
        kind: 'ExecCredential',
        apiVersion: 'client.authentication.k8s.io/v1',
        status: { token: 'plugin' },
      });
      await agree({ KUBECONFIG: write('config', config(user())) }, wanted);
    });
  }

  it('an OIDC token that is refreshed: the same requests, and the same tokens written back', async () => {
    const fresh = idToken(3_600_000);
    const asked: string[] = [];
    let refuseBasic = false;
    oidc = (request, response) => {
      let form = '';
      request.on('data', (chunk: Buffer) => (form += chunk.toString()));
      request.on('end', () => {
        asked.push(
          `${request.method} ${request.url} ${request.headers.authorization ?? '-'} ${form.split('&').toSorted().join('&')}`,
        );
        const origin = `https://127.0.0.1:${portOf(secure)}`;
        if (request.method === 'GET')
          response.end(JSON.stringify({ issuer: `${origin}/realm`, token_endpoint: `${origin}/realm/token` }));
        else if (refuseBasic && request.headers.authorization !== undefined) response.writeHead(401).end('{}');
        else {
          response.setHeader('content-type', 'application/json');
          response.end(
            JSON.stringify({ id_token: fresh, refresh_token: 'second', access_token: 'a', token_type: 'Bearer' }),
          );
        }
      });
    };
    for (refuseBasic of [false, true]) {
      const provider = {
        'idp-issuer-url': `https://127.0.0.1:${portOf(secure)}/realm`,
        'idp-certificate-authority-data': btoa(authority.cert),
        'client-id': 'kube&',
        'client-secret': 's h',
        'id-token': idToken(-1_000),
        'refresh-token': 'first',
      };
      const KUBECONFIG = file('config');
      const results: { asked: readonly string[]; written: unknown }[] = [];
      for (const how of ['kubectl', 'ours'] as const) {
        write('config', config({ 'auth-provider': { name: 'oidc', config: provider } }));
        asked.length = 0;
        const told = await ask({ KUBECONFIG }, how);
        assert.match(told[how], new RegExp(`Bearer ${fresh}`));
        const written = loadKubeconfig({ path: KUBECONFIG }).users.get('u')?.value['auth-provider'];
        results.push({ asked: [...asked], written });
      }
      assert.deepEqual(results[1], results[0]);
    }
  });

  it('what a plugin is told', async () => {
    const plugin = (version: string): object => ({
      exec: {
        apiVersion: `client.authentication.k8s.io/${version}`,
        command: 'sh',
        args: ['-c', `printf %s "$KUBERNETES_EXEC_INFO" > ${file('told')}; cat ${file('credential')}`],
        interactiveMode: 'IfAvailable',
        provideClusterInfo: true,
      },
    });
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }];
    for (const version of ['v1', 'v1beta1']) {
      write('credential', {
        kind: 'ExecCredential',
        apiVersion: `client.authentication.k8s.io/${version}`,
        status: { token: 'plugin' },
      });
      for (const cluster of [{}, { extensions, 'tls-server-name': 'api', 'disable-compression': true }]) {
        const KUBECONFIG = write('config', config(plugin(version), cluster));
        const told: unknown[] = [];
        const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG };
        await new Promise((resolve) =>
          execFile(kubectl, ['get', '--raw', '/x'], { env: environment }, () => resolve(undefined)),
        );
        told.push(JSON.parse(readFileSync(file('told'), 'utf8')));
        const { transport } = createKubeconfigTransport({ env, environment });
        await transport.send({
          method: 'GET',
          path: '/x',
          query: '',
          headers: {},
          signal: new AbortController().signal,
        });
        await transport.close();
        told.push(JSON.parse(readFileSync(file('told'), 'utf8')));
        assert.deepEqual(told[1], told[0]);
      }
    }
  });

  it('clusters that contradict themselves', async () => {
    write('ca.pem', authority.cert);
    await agree(
      {
        KUBECONFIG: write(
          'config',
          config({ token: 't' }, { 'certificate-authority-data': undefined, 'certificate-authority': 'ca.pem' }),
        ),
      },
      /^GET \/x\nauthorization: Bearer t$/,
    );
    for (const cluster of [
      { 'certificate-authority': 'ca.pem' },
      { 'certificate-authority-data': undefined, 'certificate-authority': 'missing.pem' },
      { 'certificate-authority-data': undefined },
      { 'tls-server-name': 'other' },
      { 'insecure-skip-tls-verify': true, 'certificate-authority-data': btoa('x') },
      { 'proxy-url': 'ftp://p' },
      { server: '' },
    ])
      await agree({ KUBECONFIG: write('config', config({ token: 't' }, cluster)) }, /failed/);
  });

  it('plain http: no credentials go there, impersonation does', async () => {
    const cluster = { server: `http://127.0.0.1:${portOf(plain)}`, 'certificate-authority-data': undefined };
    for (const user of [{ token: 't' }, { username: 'jane', password: 'p' }, exec({ command: 'no-such-plugin' })])
      await agree(
        { KUBECONFIG: write('config', config({ ...user, as: 'wanda' }, cluster)) },
        /^GET \/x\nimpersonate-user: wanda$/,
      );
  });

  it('a context that is selected: written to the same file', async () => {
    const a = { contexts: [{ name: 'y', context: { cluster: 'c', user: 'u' } }] };
    const files = [
      [a, config({})],
      [a, a],
      [config({}), a],
    ];
    for (const contents of files) {
      const results: unknown[] = [];
      for (const how of ['kubectl', 'ours'] as const) {
        const paths = contents.map((content, index) => write(`${how}-${index}`, content));
        const KUBECONFIG = [file('missing'), ...paths].join(delimiter);
        const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG };
        if (how === 'ours') await setCurrentContext(env, { variable: KUBECONFIG, context: 'y' });
        else
          await new Promise<void>((resolve, reject) => {
            const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
            execFile(kubectl, ['config', 'use-context', 'y'], { env: environment }, done);
          });
        results.push(paths.map((path) => loadKubeconfig({ path }).currentContext));
      }
      assert.deepEqual(results[1], results[0]);
    }
  });

  it('proxies: of the environment, of the cluster, and none', async () => {
    const at = `127.0.0.1:${portOf(plain)}`;
    const proxy = `http://jane:p%40ss@${at}`;
    const named = (host: string, cluster: object = {}): Environment => ({
      KUBECONFIG: write('config', config({ token: 't' }, { server: `https://${host}:6443`, ...cluster })),
      HTTPS_PROXY: proxy,
    });
    const environment = named('api.invalid');
    await agree(environment, /^CONNECT api\.invalid:6443\nproxy-authorization: Basic/);
    await agree({ ...environment, HTTPS_PROXY: '', https_proxy: at }, /^CONNECT api\.invalid:6443$/);
    await agree({ ...environment, HTTPS_PROXY: '', HTTP_PROXY: proxy }, /failed/);
    for (const noProxy of ['*', 'invalid', '.invalid', '*.invalid', 'api.invalid:6443', 'API.INVALID'])
      await agree({ ...environment, NO_PROXY: noProxy }, /failed/);
    for (const noProxy of ['other', 'pi.invalid', '.api.invalid', 'api.invalid:443', '10.0.0.0/8', ','])
      await agree({ ...environment, NO_PROXY: noProxy }, /^CONNECT/);
    const own = named('api.invalid', { 'proxy-url': proxy });
    await agree({ ...own, HTTPS_PROXY: 'http://127.0.0.1:1' }, /^CONNECT/);
    await agree({ ...own, NO_PROXY: '*' }, /^CONNECT/);
    const insecure = named('api.invalid', {
      server: 'http://api.invalid:6443',
      'certificate-authority-data': undefined,
    });
    await agree({ ...insecure, HTTP_PROXY: proxy }, /^GET http:\/\/api\.invalid:6443\/x\nproxy-authorization: Basic/);
  });
});

function idToken(inMs: number): string {
  const claims = { exp: Math.floor((env.clock.nowMs() + inMs) / 1000) };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
}
