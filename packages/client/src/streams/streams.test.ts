import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv, isApiError } from '@homeostat/base';
import { createClient } from '../client/create-client.ts';
import type { Handle } from '../transport/transport.ts';
import { isTransportError } from '../transport/transport-error.ts';
import { acceptKey } from '../websocket/accept-key.ts';
import { FrameReader, opcodes } from '../websocket/frames.ts';
import { attach, exec, execCaptured } from './exec.ts';
import type { StreamDependencies } from './open-channel.ts';
import { portForward } from './port-forward.ts';
import { createFakePod, type FakePodOptions } from './testing/fake-pod.ts';

const pod = { namespace: 'default', name: 'web-0' };

function against(handle: Handle): StreamDependencies {
  const env = createVirtualEnv({ seed: 1 });
  return {
    env,
    client: createClient({
      transport: { send: handle, exchanges: 'object', close: () => Promise.resolve() },
      env,
      userAgent: 'test',
    }),
  };
}

const withPod = (options: FakePodOptions): StreamDependencies => against(createFakePod(options));

async function* once(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

test('a command gets its input and its end, and gives output and an exit code', async () => {
  let asked = '';
  const dependencies = withPod({
    async run({ query, input, stdout, stderr }) {
      asked = query.toString();
      await stdout((await text(input)).toUpperCase());
      await stderr('careful');
      return 3;
    },
  });
  const result = await execCaptured(dependencies, {
    ...pod,
    command: ['tr', 'a-z', 'A-Z'],
    stdin: once('some ', 'text'),
  });
  assert.deepEqual([result.exitCode, result.stdout, result.stderr], [3, 'SOME TEXT', 'careful']);
  assert.equal(asked, 'command=tr&command=a-z&command=A-Z&stdin=true&stdout=true&stderr=true');
});

test('a terminal has one output, and sizes', async () => {
  const seen: unknown[] = [];
  const dependencies = withPod({
    async run({ query, input, sizes }) {
      assert.equal(query.has('stderr'), false);
      await text(input);
      seen.push(...sizes);
      return 0;
    },
  });
  const sizes = async function* (): AsyncGenerator<{ width: number; height: number }> {
    yield await Promise.resolve({ width: 80, height: 24 });
  };
  const late = async function* (): AsyncGenerator<Uint8Array> {
    // The sizes have gone out by the time of the first input.
    for (let i = 0; i < 20; i++) await Promise.resolve();
    yield Buffer.from('x');
  };
  const options = { tty: true, resize: sizes(), stdin: late(), stdout: () => {}, stderr: () => {} };
  assert.equal((await exec(dependencies, { ...pod, command: ['sh'], ...options })).exitCode, 0);
  assert.deepEqual(seen, [{ Width: 80, Height: 24 }]);
});

test('a server that refuses is an ApiError', async () => {
  const status = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' };
  const dependencies = against(() =>
    Promise.resolve({ status: 403, headers: {}, body: { kind: 'object' as const, object: status } }),
  );
  await assert.rejects(exec(dependencies, { ...pod, command: ['a'] }), (error) => isApiError(error, 'Forbidden'));
});

test('a command that could not be started is an ApiError', async () => {
  const dependencies = withPod({ run: () => Promise.resolve(undefined) });
  await assert.rejects(exec(dependencies, { ...pod, command: ['a'], stdout: () => {} }), (error) =>
    isTransportError(error, 'reset'),
  );
});

test('a source of input that breaks ends the command, and is the error', async () => {
  const dependencies = withPod({
    async run({ input }) {
      await text(input);
      return 0;
    },
  });
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    await Promise.resolve();
    throw new Error('the disk is gone');
  };
  await assert.rejects(exec(dependencies, { ...pod, command: ['a'], stdin: broken() }), /the disk is gone/);
});

test('output beyond the bound is an error, not memory', async () => {
  const dependencies = withPod({
    async run({ stdout }) {
      await stdout('x'.repeat(100));
      return 0;
    },
  });
  await assert.rejects(
    execCaptured(dependencies, { ...pod, command: ['yes'], outputBytesMax: 10 }),
    /more than 10 bytes/,
  );
});

test('an abort ends the command', async () => {
  const dependencies = withPod({
    async run({ input }) {
      await text(input);
      return 0;
    },
  });
  const stop = new AbortController();
  const never = async function* (): AsyncGenerator<Uint8Array> {
    stop.abort(new Error('enough'));
    await new Promise(() => {});
    yield Buffer.from('');
  };
  await assert.rejects(exec(dependencies, { ...pod, command: ['a'], stdin: never(), signal: stop.signal }), /enough/);
});

test('a server without the protocol says so', async () => {
  const dependencies = withPod({ protocols: [] });
  await assert.rejects(exec(dependencies, { ...pod, command: ['a'] }), /speaks no protocol, wanted v5/);
});

test('a port is forwarded both ways', async () => {
  const dependencies = withPod({
    async serve(incoming, write) {
      for await (const chunk of incoming) {
        await write(Buffer.from(chunk).toString('utf8').toUpperCase());
        break;
      }
    },
  });
  const connection = await portForward(dependencies, { ...pod, port: 5432 });
  await connection.write(Buffer.from('hello'));
  assert.equal(await text(connection.incoming), 'HELLO');
});

test('a port nobody listens on is an error', async () => {
  const connection = await portForward(withPod({}), { ...pod, port: 5432 });
  await assert.rejects(text(connection.incoming), /port 5432: connection refused/);
  await assert.rejects(portForward(withPod({}), { ...pod, port: 0 }), RangeError);
});

test('a command whose end nobody told has not succeeded; an attached stream may just end', async () => {
  const silent = withPod({ run: () => Promise.resolve('silent') });
  await assert.rejects(exec(silent, { ...pod, command: ['a'] }), /without saying how the command ended/);
  assert.equal((await attach(silent, pod)).exitCode, 0);
});

test('a status is read in any number of pieces; one that is none is an error', async () => {
  const say = (...pieces: readonly string[]): StreamDependencies =>
    withPod({
      async run({ error }) {
        for (const piece of pieces) await error(piece);
        return 'silent';
      },
    });
  const failure = JSON.stringify({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '7' }] },
  });
  const pieces = failure.match(/.{1,10}/g) ?? [];
  assert.equal((await exec(say(...pieces), { ...pod, command: ['a'] })).exitCode, 7);
  for (const garbage of ['null', '7', '{"status":', '<html>'])
    await assert.rejects(exec(say(garbage), { ...pod, command: ['a'] }), (error) =>
      isTransportError(error, 'protocol'),
    );
});

test('a sink that never takes its bytes does not outlive an abort', async () => {
  const stop = new AbortController();
  const dependencies = withPod({
    async run({ stdout }) {
      await stdout('x');
      return 0;
    },
  });
  const stdout = (): Promise<void> => {
    queueMicrotask(() => stop.abort(new Error('enough')));
    return new Promise(() => {});
  };
  await assert.rejects(exec(dependencies, { ...pod, command: ['a'], stdout, signal: stop.signal }), /enough/);
});

test('names that would lead elsewhere are refused', async () => {
  for (const name of ['..', 'a/b', 'a%2fb', ''])
    await assert.rejects(exec(withPod({}), { namespace: 'default', name, command: ['a'] }), TypeError, name);
});

test('an idle stream is kept alive by pings, and nothing ticks once it has ended', async () => {
  const opcodesSeen: number[] = [];
  const env = createVirtualEnv();
  const { promise: release, resolve: end } = Promise.withResolvers<void>();
  const handle: Handle = (request) =>
    Promise.resolve({
      status: 101,
      headers: {
        'sec-websocket-accept': acceptKey(request.headers['sec-websocket-key'] ?? ''),
        'sec-websocket-protocol': 'v4.channel.k8s.io',
      },
      body: {
        kind: 'upgrade',
        run: async (connection) => {
          const frames = new FrameReader(100, 'client');
          const reading = (async () => {
            for await (const bytes of connection.incoming)
              for (const { opcode } of frames.push(bytes)) opcodesSeen.push(opcode);
          })();
          await release;
          await connection.close();
          await reading;
        },
      },
    });
  const transport = { send: handle, close: () => Promise.resolve() };
  const client = createClient({ transport, env, userAgent: 'test' });
  const attached = attach({ client, env }, pod);
  await env.clock.advance(35_000);
  assert.deepEqual(opcodesSeen, [opcodes.ping, opcodes.ping, opcodes.ping]);
  end();
  await assert.rejects(attached, (error) => isTransportError(error, 'reset'));
  await env.clock.advance(60_000);
  assert.equal(opcodesSeen.filter((opcode) => opcode === opcodes.ping).length, 3);
});

test('a server that neither reads nor hangs up is hung up on', async () => {
  const env = createVirtualEnv();
  let asked: AbortSignal | undefined;
  const handle: Handle = (request) => {
    asked = request.signal;
    return Promise.resolve({
      status: 101,
      headers: {
        'sec-websocket-accept': acceptKey(request.headers['sec-websocket-key'] ?? ''),
        'sec-websocket-protocol': 'v4.channel.k8s.io',
      },
      body: { kind: 'upgrade', run: () => new Promise(() => {}) },
    });
  };
  const client = createClient({ transport: { send: handle, close: () => Promise.resolve() }, env, userAgent: 'test' });
  const connection = await portForward({ client, env }, { ...pod, port: 80 });
  await connection.write(Buffer.alloc(100_000));
  await connection.close();
  await env.clock.advance(4_999);
  assert.equal(asked?.aborted, false);
  await env.clock.advance(1);
  assert.equal(asked?.aborted, true);
});
