// Exec, copying and port-forward over real sockets, against a server that upgrades as an API server does.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  try {
    await Promise.all([feed(), pump(child.stdout, stdout), pump(child.stderr, stderr)]);
    const [code] = (await ended) as [number];
    return code;
  } finally {
    // A command whose caller is gone would wait for a reader for ever.
    child.kill('SIGKILL');
  }
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
  const forged = podWithArchive(path.join(evil, 'evil.tar'));
  const out = path.join(scratch, 'out/target');
  mkdirSync(path.dirname(out));
  await copyFromPod(forged, { ...pod, from: '/data', to: out });
  assert.equal(existsSync(out), true);
  assert.equal(existsSync(path.join(scratch, 'out/escaped')) || existsSync(path.join(scratch, 'escaped')), false);
});

/** Whose tar always answers with this archive. */
function podWithArchive(archive: string): StreamDependencies {
  const send = createFakePod({
    async run({ stdout }) {
      await stdout(readFileSync(archive));
      return 0;
    },
  });
  const client = createClient({ env, userAgent: 'test', transport: { close: () => Promise.resolve(), send } });
  return { env: createRealEnv({ write: () => {} }), client };
}

test('links are kept inside of what was copied, and left out where they lead elsewhere', async () => {
  const inPod = path.join(scratch, 'links');
  mkdirSync(path.join(inPod, 'data/sub'), { recursive: true });
  writeFileSync(path.join(inPod, 'data/a'), 'a');
  writeFileSync(path.join(inPod, 'secret'), 'of the container');
  linkSync(path.join(inPod, 'data/a'), path.join(inPod, 'data/hard'));
  symlinkSync('../a', path.join(inPod, 'data/sub/inside'));
  symlinkSync('../../secret', path.join(inPod, 'data/sub/outside'));
  symlinkSync('/etc/passwd', path.join(inPod, 'data/absolute'));
  const quiet = { ...dependencies, env: createRealEnv({ write: () => {} }) };
  const to = path.join(scratch, 'links-here');
  await copyFromPod(quiet, { ...pod, from: path.join(inPod, 'data'), to });
  assert.equal(readFileSync(path.join(to, 'hard'), 'utf8'), 'a');
  assert.equal(readFileSync(path.join(to, 'sub/inside'), 'utf8'), 'a');
  assert.deepEqual(readdirSync(path.join(to, 'sub')), ['inside']);
  assert.deepEqual(readdirSync(to).toSorted(), ['a', 'hard', 'sub']);
  await copyToPod(quiet, { ...pod, from: to, to: path.join(inPod, 'again') });
  assert.equal(readFileSync(path.join(inPod, 'again/hard'), 'utf8'), 'a');
  await assert.rejects(
    copyFromPod(quiet, { ...pod, from: path.join(inPod, 'data/absolute'), to: path.join(scratch, 'nothing') }),
    /nothing to copy/,
  );
});

test('an archive cannot write through a link of its own', async () => {
  const evil = path.join(scratch, 'through');
  mkdirSync(path.join(evil, 'one/data'), { recursive: true });
  mkdirSync(path.join(evil, 'two/data/door'), { recursive: true });
  mkdirSync(path.join(evil, 'out/elsewhere'), { recursive: true });
  symlinkSync('../elsewhere', path.join(evil, 'one/data/door'));
  writeFileSync(path.join(evil, 'two/data/door/gotcha'), 'gotcha');
  execFileSync('tar', ['cf', 'evil.tar', '-C', 'one', 'data', '-C', '../two', 'data/door/gotcha'], { cwd: evil });
  const to = path.join(evil, 'out/target');
  await copyFromPod(podWithArchive(path.join(evil, 'evil.tar')), { ...pod, from: '/data', to });
  assert.deepEqual(readdirSync(path.join(evil, 'out/elsewhere')), []);
});

test('odd names are copied like others', async () => {
  const names = ['-x', '@archive', 'two\nlines', ' spaced ', 'ü💥', '--checkpoint-action=exec=false'];
  const [here, there] = [path.join(scratch, 'odd-here'), path.join(scratch, 'odd-there')];
  mkdirSync(here);
  mkdirSync(there);
  for (const name of names) {
    writeFileSync(path.join(here, name), name);
    await copyToPod(dependencies, { ...pod, from: path.join(here, name), to: path.join(there, name) });
    await copyFromPod(dependencies, { ...pod, from: path.join(there, name), to: path.join(here, `${name} back`) });
    assert.equal(readFileSync(path.join(here, `${name} back`), 'utf8'), name);
  }
  await copyFromPod(dependencies, { ...pod, from: `${there}/.`, to: path.join(scratch, 'all') });
  assert.deepEqual(readdirSync(path.join(scratch, 'all')).toSorted(), names.toSorted());
  await assert.rejects(copyToPod(dependencies, { ...pod, from: here, to: '/' }), TypeError);
});

test('what cannot be written is an error', async () => {
  const inPod = path.join(scratch, 'unwritable');
  mkdirSync(path.join(inPod, 'data'), { recursive: true });
  writeFileSync(path.join(inPod, 'data/file'), Buffer.alloc(1_000_000));
  const copy = (to: string): Promise<void> =>
    copyFromPod(dependencies, { ...pod, from: path.join(inPod, 'data'), to: path.join(inPod, to) });
  await assert.rejects(copy('no/such/parent'));
  mkdirSync(path.join(inPod, 'taken/file/full'), { recursive: true });
  await assert.rejects(copy('taken'), /copying to .*taken/);
  writeFileSync(
    path.join(inPod, 'cut.tar'),
    execFileSync('tar', ['cf', '-', '-C', inPod, 'data']).subarray(0, 100_000),
  );
  await assert.rejects(
    copyFromPod(podWithArchive(path.join(inPod, 'cut.tar')), { ...pod, from: '/data', to: path.join(inPod, 'cut') }),
    /copying to .*cut/,
  );
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
