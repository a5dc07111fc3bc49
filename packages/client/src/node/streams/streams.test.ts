// Exec, copying and port-forward over real sockets, against a server that upgrades as an API server does.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { after, before, test } from 'node:test';
import { createRealEnv } from '@homeostat/base/node';
import { createClient } from '../../client/create-client.ts';
import { execCaptured } from '../../streams/exec.ts';
import type { StreamDependencies } from '../../streams/open-channel.ts';
import { createFakePod, type FakeExec } from '../../streams/testing/fake-pod.ts';
import type { ApiRequest, DuplexConnection, Transport } from '../../transport/transport.ts';
import { createHttpTransport } from '../http-transport.ts';
import { CopyError, copyFromPod, copyToPod } from './copy-files.ts';
import { listenPortForward } from './listen-port-forward.ts';

const pod = { namespace: 'default', name: 'web-0' };
const env = createRealEnv({ level: 'error' });
const scratch = mkdtempSync(path.join(tmpdir(), 'homeostat-streams-'));
let server: http.Server;
let transport: Transport;
let dependencies: StreamDependencies;

before(async () => {
  const handle = createFakePod({
    run: runForReal,
    async serve(incoming, write) {
      for await (const chunk of incoming) await write(`you said ${Buffer.from(chunk).toString('utf8')}`);
    },
  });
  server = http.createServer();
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => void upgrade(handle, incoming, socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  transport = createHttpTransport({ env, server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  dependencies = { env, client: createClient({ transport, env, userAgent: 'test' }) };
});

after(async () => {
  await transport?.close();
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function upgrade(
  handle: ReturnType<typeof createFakePod>,
  incoming: IncomingMessage,
  socket: Duplex,
): Promise<void> {
  const [urlPath = '', query = ''] = (incoming.url ?? '').split('?');
  const headers = incoming.headers as Record<string, string>;
  const request: ApiRequest = { method: 'GET', path: urlPath, query, headers, signal: new AbortController().signal };
  const response = await handle(request);
  const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${String(value)}`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.on('error', () => {});
  const connection: DuplexConnection = {
    // Whoever stops reading may still write.
    incoming: socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    write: async (bytes) => {
      if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    },
    close: () => Promise.resolve(void socket.end()),
  };
  if (response.body.kind === 'upgrade') await response.body.run(connection).catch(() => {});
}

/** Runs the command on this machine, in the scratch folder. */
async function runForReal({ query, input, stdout, stderr }: FakeExec): Promise<number> {
  const [command = '', ...args] = query.getAll('command');
  const child = spawn(command, args, { cwd: scratch });
  child.stdin.on('error', () => {});
  const ended = once(child, 'close');
  const feed = async (): Promise<void> => {
    if (!query.has('stdin')) return void child.stdin.end();
    for await (const chunk of input) if (!child.stdin.write(chunk)) await once(child.stdin, 'drain');
    child.stdin.end();
  };
  const pump = async (stream: AsyncIterable<Buffer>, send: (text: Uint8Array) => Promise<void>): Promise<void> => {
    for await (const chunk of stream) await send(chunk);
  };
  await Promise.all([feed(), pump(child.stdout, stdout), pump(child.stderr, stderr)]);
  const [code] = (await ended) as [number];
  return code;
}

test('a command runs over a real connection, large output included', async () => {
  const result = await execCaptured(dependencies, { ...pod, command: ['head', '-c', '3000000', '/dev/zero'] });
  assert.deepEqual([result.exitCode, result.stdout.length, result.stderr], [0, 3_000_000, '']);
  const failed = await execCaptured(dependencies, { ...pod, command: ['sh', '-c', 'echo no >&2; exit 4'] });
  assert.deepEqual([failed.exitCode, failed.stderr], [4, 'no\n']);
});

test('files and folders are copied in and out', async () => {
  const local = path.join(scratch, 'local');
  mkdirSync(path.join(local, 'site/deep'), { recursive: true });
  const large = Buffer.alloc(2_000_000, 'homeostat ');
  writeFileSync(path.join(local, 'site/deep/large'), large);
  writeFileSync(path.join(local, 'site/small'), 'small');
  const inPod = path.join(scratch, 'pod');
  mkdirSync(inPod);
  await copyToPod(dependencies, { ...pod, from: path.join(local, 'site'), to: `${inPod}/www/` });
  assert.deepEqual(readFileSync(path.join(inPod, 'www/deep/large')), large);
  await copyFromPod(dependencies, { ...pod, from: `${inPod}/www`, to: path.join(local, 'back') });
  assert.deepEqual(readFileSync(path.join(local, 'back/deep/large')), large);
  await copyFromPod(dependencies, { ...pod, from: `${inPod}/www/small`, to: path.join(local, 'one') });
  assert.equal(readFileSync(path.join(local, 'one'), 'utf8'), 'small');
});

test('what tar says of a missing file is the error', async () => {
  await assert.rejects(
    copyFromPod(dependencies, { ...pod, from: '/nowhere/file', to: path.join(scratch, 'x') }),
    (error) => error instanceof CopyError && error.exitCode !== 0 && /nowhere/.test(error.stderr),
  );
});

test('a container cannot write outside of the target', async () => {
  const evil = path.join(scratch, 'evil');
  mkdirSync(path.join(evil, 'bin'), { recursive: true });
  mkdirSync(path.join(evil, 'data'));
  writeFileSync(path.join(evil, 'escaped'), 'gotcha');
  execFileSync('tar', ['cPf', 'evil.tar', '../evil/escaped', 'data'], { cwd: evil });
  // The tar of this container answers with an archive of its own making.
  const archive = path.join(evil, 'evil.tar');
  const forged: StreamDependencies = {
    env,
    client: createClient({
      env,
      userAgent: 'test',
      transport: {
        close: () => Promise.resolve(),
        send: createFakePod({
          async run({ stdout }) {
            await stdout(readFileSync(archive));
            return 0;
          },
        }),
      },
    }),
  };
  const out = path.join(scratch, 'out/target');
  mkdirSync(path.dirname(out));
  await copyFromPod(forged, { ...pod, from: '/data', to: out });
  assert.equal(existsSync(out), true);
  assert.equal(existsSync(path.join(scratch, 'out/escaped')) || existsSync(path.join(scratch, 'escaped')), false);
});

test('a local port leads into the pod, for several connections at once', async () => {
  const listener = await listenPortForward(dependencies, { ...pod, port: 80 });
  const ask = async (text: string): Promise<string> => {
    const socket = net.connect(listener.port, '127.0.0.1');
    socket.write(text);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString('utf8');
  };
  assert.deepEqual(await Promise.all([ask('a'), ask('b')]), ['you said a', 'you said b']);
  await listener.close();
  const refused = net.connect(listener.port, '127.0.0.1');
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNREFUSED');
});
