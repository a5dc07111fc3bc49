// Plugins as shell scripts that write down each run.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { createVirtualEnv, noMetrics } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { toExecConfig } from '../../kubeconfig/exec-config.ts';
import type { RequestHeaders } from '../http-connection-options.ts';
import { createHttpTransport } from '../http-transport.ts';
import { startTestServer } from '../testing/server-fixture.ts';
import { janeCertificate, janeKey, otherCertificate, otherKey, testCertificate } from '../testing/tls-fixture.ts';
import { ExecAuthenticator } from './exec-authenticator.ts';

const folder = mkdtempSync(join(tmpdir(), 'exec-plugin-'));
after(() => rmSync(folder, { recursive: true }));
const runsFile = join(folder, 'runs');
const credentialFile = join(folder, 'credential.json');
const { signal } = new AbortController();
const v1 = 'client.authentication.k8s.io/v1';

const runs = (): number => (existsSync(runsFile) ? readFileSync(runsFile, 'utf8').length : 0);
const prints = (status: object | undefined, more: object = {}): void =>
  writeFileSync(credentialFile, JSON.stringify({ kind: 'ExecCredential', apiVersion: v1, status, ...more }));
/** Notes the run, prints the credential file, then `after`. */
const script = (after = ''): readonly string[] => [
  '-c',
  `printf x >> "${runsFile}"; cat "${credentialFile}"; ${after}`,
];

function authenticator(
  exec: object,
  more: Partial<ConstructorParameters<typeof ExecAuthenticator>[0]> = {},
): { readonly plugin: ExecAuthenticator; readonly env: ReturnType<typeof createVirtualEnv> } {
  const env = createVirtualEnv();
  const config = toExecConfig('jane', {
    command: 'sh',
    args: script(),
    apiVersion: v1,
    interactiveMode: 'Never',
    ...exec,
  });
  const plugin = new ExecAuthenticator({
    env,
    config,
    file: join(folder, 'config'),
    cluster: { file: join(folder, 'config'), value: { server: 'https://h:1', 'tls-server-name': 'api' } },
    ca: () => 'the ca',
    environment: { PATH: process.env['PATH'], INHERITED: 'yes' },
    ...more,
  });
  return { plugin, env };
}
const bearer = (token: string): RequestHeaders => ({ authorization: `Bearer ${token}` });
const at = (env: ReturnType<typeof createVirtualEnv>, inMs: number): string =>
  new Date(env.clock.nowMs() + inMs).toISOString();

beforeEach(() => rmSync(runsFile, { force: true }));

describe('ExecAuthenticator', () => {
  it('J9 runs once for all who wait, keeps the token until it expires, then runs once more', async () => {
    const { plugin, env } = authenticator({});
    prints({ token: 'a', expirationTimestamp: at(env, 60_000) });
    const asked = Array.from({ length: 10 }, async () => plugin.headers(signal));
    assert.deepEqual(await Promise.all(asked), Array(10).fill(bearer('a')));
    assert.equal(runs(), 1);
    await env.clock.advance(59_999);
    assert.deepEqual(plugin.headers(signal), bearer('a'));
    prints({ token: 'b', expirationTimestamp: at(env, 3_600_000) });
    await env.clock.advance(1);
    assert.deepEqual(await Promise.all([plugin.headers(signal), plugin.headers(signal)]), [bearer('b'), bearer('b')]);
    assert.equal(runs(), 2);
  });

  it('runs again after a 401, for the next request, and no more than once in five seconds', async () => {
    const { plugin, env } = authenticator({});
    prints({ token: 'a' });
    const first = await plugin.headers(signal);
    await env.clock.advance(3_600_000);
    assert.deepEqual(plugin.headers(signal), first);
    prints({ token: 'b' });
    plugin.refused(first);
    plugin.refused(first);
    assert.deepEqual(await plugin.headers(signal), bearer('b'));
    plugin.refused(first); // late news of the old token
    plugin.refused(bearer('b')); // too soon
    assert.deepEqual(await plugin.headers(signal), bearer('b'));
    assert.equal(runs(), 2);
    await env.clock.advance(5_000);
    plugin.refused(bearer('b'));
    await plugin.headers(signal);
    assert.equal(runs(), 3);
  });

  it('tells the plugin its environment and, when asked for, its cluster', async () => {
    const told = join(folder, 'told');
    prints({ token: 'a' });
    const args = [
      '-c',
      `printf '%s\\n%s %s' "$KUBERNETES_EXEC_INFO" "$INHERITED" "$OWN" > "${told}"; cat "${credentialFile}"`,
    ];
    const own = { env: [{ name: 'OWN', value: 'own' }], args };
    const { plugin } = authenticator({ ...own, provideClusterInfo: true });
    await plugin.headers(signal);
    const [info = '', rest] = readFileSync(told, 'utf8').split('\n');
    assert.equal(rest, 'yes own');
    assert.deepEqual(JSON.parse(info), {
      kind: 'ExecCredential',
      apiVersion: v1,
      spec: {
        cluster: {
          server: 'https://h:1',
          'tls-server-name': 'api',
          'certificate-authority-data': Buffer.from('the ca').toString('base64'),
          config: null,
        },
        interactive: false,
      },
    });
    await authenticator({ ...own, interactiveMode: 'IfAvailable' }, { terminal: () => false }).plugin.headers(signal);
    assert.deepEqual(JSON.parse(readFileSync(told, 'utf8').split('\n')[0] ?? '').spec, { interactive: false });
  });

  it('says clearly what is wrong, without a secret', async () => {
    const failure = async (exec: object, more = {}): Promise<string> => {
      const { plugin } = authenticator(exec, more);
      try {
        await plugin.headers(signal);
      } catch (error) {
        return (error as Error).message;
      }
      return 'no failure';
    };
    prints({ token: 'secret' });
    assert.match(
      await failure({ command: 'no-such-plugin', installHint: 'Install it from example.com.' }),
      /executable no-such-plugin not found[^]*Install it from example\.com\./,
    );
    assert.equal(
      await failure({ args: ['-c', 'echo the reason >&2; exit 3'] }),
      'exec: executable sh failed with exit code 3: the reason',
    );
    assert.match(await failure({ apiVersion: `${v1}beta1` }), /API version .*v1beta1, plugin returned version .*\/v1$/);
    assert.match(await failure({ args: ['-c', 'echo secret'] }), /^exec plugin: the output is not a JSON object$/);
    assert.match(await failure({ args: ['-c', 'head -c 2000000 /dev/zero'] }), /printed more than 1048576 bytes/);
    assert.match(
      await failure({ interactiveMode: 'Always' }, { terminal: () => false }),
      /standard input is not a terminal/,
    );
    prints(undefined);
    assert.match(await failure({}), /didn't return a status field/);
    prints({});
    assert.match(await failure({}), /didn't return a token or cert\/key pair/);
    prints({ clientCertificateData: 'x' });
    assert.match(await failure({}), /only certificate or key, not both/);
    prints({ token: 'secret', expirationTimestamp: 'soon' });
    assert.match(await failure({}), /expirationTimestamp is not a time/);
  });

  it('runs a failing plugin, or one that prints what has expired, at most once a second', async () => {
    const { plugin, env } = authenticator({ args: script('exit 1') });
    prints({ token: 'a' });
    await assert.rejects(async () => plugin.headers(signal), /exit code 1/);
    await assert.rejects(async () => plugin.headers(signal), /exit code 1/);
    assert.equal(runs(), 1);
    await env.clock.advance(1_000);
    await assert.rejects(async () => plugin.headers(signal), /exit code 1/);
    assert.equal(runs(), 2);
    const expired = authenticator({});
    prints({ token: 'a', expirationTimestamp: at(expired.env, -1) });
    for (let i = 0; i < 3; i++) assert.deepEqual(await expired.plugin.headers(signal), bearer('a'));
    assert.equal(runs(), 3);
  });

  it('kills a plugin that takes too long, and one that runs when the client is closed', async () => {
    const slow = { args: ['-c', `printf x >> "${runsFile}"; exec sleep 100`] };
    for (const stop of ['time', 'close'] as const) {
      const { plugin, env } = authenticator(slow);
      const failing = assert.rejects(
        async () => plugin.headers(signal),
        stop === 'time' ? /took more than 60 s and was killed/ : /the client was closed/,
      );
      if (stop === 'time') await env.clock.advance(60_000);
      else plugin.close();
      await failing;
    }
  });

  it("counts its calls under client-go's name", async () => {
    const counted: unknown[] = [];
    const metrics = { ...noMetrics, counter: () => ({ inc: (labels: unknown) => void counted.push(labels) }) };
    const call = async (exec: object): Promise<void> => {
      const { plugin } = authenticator(exec, { env: { ...createVirtualEnv(), metrics } });
      await (async () => plugin.headers(signal))().catch(() => undefined);
    };
    prints({ token: 'a' });
    await call({});
    await call({ args: ['-c', 'exit 3'] });
    await call({ command: 'no-such-plugin' });
    await call({ args: ['-c', 'head -c 2000000 /dev/zero'] });
    assert.deepEqual(counted, [
      { code: '0', call_status: 'no_error' },
      { code: '3', call_status: 'plugin_execution_error' },
      { code: '1', call_status: 'plugin_not_found_error' },
      { code: '1', call_status: 'client_internal_error' },
    ]);
  });

  it('lets one who gives up go, and the others wait on', async () => {
    const { plugin } = authenticator({});
    prints({ token: 'a' });
    const stop = new AbortController();
    const impatient = assert.rejects(async () => plugin.headers(stop.signal), /enough/);
    const patient = plugin.headers(signal);
    stop.abort(new Error('enough'));
    await impatient;
    assert.deepEqual(await patient, bearer('a'));
    assert.equal(runs(), 1);
  });

  it('finds a relative command beside the kubeconfig', async () => {
    prints({ token: 'a' });
    const path = join(folder, 'plugin.sh');
    writeFileSync(path, `#!/bin/sh\ncat "${credentialFile}"\n`);
    chmodSync(path, 0o755);
    assert.deepEqual(await authenticator({ command: './plugin.sh', args: [] }).plugin.headers(signal), bearer('a'));
  });

  it('proves itself with a certificate; a new one closes the connections of the old', async () => {
    const names: string[] = [];
    let status = 200;
    const server = await startTestServer(
      (request, response) => {
        const socket = request.stream.session?.socket as import('node:tls').TLSSocket;
        names.push(String(socket.getPeerCertificate().subject?.CN));
        response.writeHead(status).end('{}');
      },
      { tls: { requestCert: true, ca: [janeCertificate, otherCertificate] } },
    );
    const { plugin } = authenticator({}, { env: createVirtualEnv() });
    const transport = createHttpTransport({
      server: server.url,
      env: createRealEnv({ write: () => {} }),
      tls: { ca: testCertificate },
      authorize: plugin,
    });
    const send = () => transport.send({ method: 'GET', path: '/x', query: '', headers: {}, signal });
    try {
      prints({ clientCertificateData: janeCertificate, clientKeyData: janeKey });
      await send();
      await send();
      prints({ clientCertificateData: otherCertificate, clientKeyData: otherKey });
      status = 401;
      assert.equal((await send()).status, 401);
      status = 200;
      await send();
      assert.deepEqual(names, ['jane', 'jane', 'jane', 'other']);
      assert.equal(runs(), 2);
      assert.equal(server.connections, 2);
    } finally {
      await transport.close();
      await server.close();
    }
  });
});

describe('toExecConfig()', () => {
  it('asks for what kubectl asks for', () => {
    const check = (exec: object) =>
      toExecConfig('jane', { command: 'c', apiVersion: v1, interactiveMode: 'Never', ...exec });
    assert.throws(() => check({ command: '' }), /user "jane": command must be specified/);
    assert.throws(() => check({ apiVersion: undefined }), /apiVersion must be specified/);
    assert.throws(() => check({ apiVersion: `${v1}alpha1` }), /invalid apiVersion/);
    assert.throws(() => check({ interactiveMode: undefined }), /interactiveMode must be specified/);
    assert.throws(() => check({ interactiveMode: 'never' }), /invalid interactiveMode/);
    assert.throws(() => check({ env: [{ value: 'x' }] }), /env variable name must be specified/);
    const beta = check({ apiVersion: `${v1}beta1`, interactiveMode: undefined });
    assert.equal(beta.interactiveMode, 'IfAvailable');
  });
});
