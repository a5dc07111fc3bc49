// Answers that no API server should give, but proxies, load balancers and broken servers do. The transport is scripted.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv, isApiError } from '@homeostat/base';
import fc from 'fast-check';
import { pods } from '../resources.ts';
import type { ApiResponse, ResponseBody } from '../transport/transport.ts';
import { isTransportError, TransportError } from '../transport/transport-error.ts';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';

const encoder = new TextEncoder();
const target = { namespace: 'x', name: 'a' };

function setUp(...answers: readonly ApiResponse[]): {
  readonly client: Client;
  readonly env: ReturnType<typeof createVirtualEnv>;
} {
  const env = createVirtualEnv();
  let asked = 0;
  const send = (): Promise<ApiResponse> => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    return answer === undefined ? Promise.reject(new TransportError('refused', 'no server')) : Promise.resolve(answer);
  };
  return { env, client: createClient({ env, userAgent: 'test', transport: { send, close: () => Promise.resolve() } }) };
}

const bytes = (body: string, status = 200, headers: ApiResponse['headers'] = {}): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: { kind: 'bytes', chunks: [encoder.encode(body)] },
});

/** A stream in pieces; `closed` tells whether its reader let go of it. */
function stream(pieces: Iterable<Uint8Array | string>, status = 200, headers: ApiResponse['headers'] = {}) {
  const state = { closed: false, given: 0 };
  const iterator = pieces[Symbol.iterator]();
  const chunks: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const next = iterator.next();
        if (next.done === true) return Promise.resolve({ done: true, value: undefined });
        const value = typeof next.value === 'string' ? encoder.encode(next.value) : next.value;
        state.given += value.length;
        return Promise.resolve({ done: false, value });
      },
      return: () => {
        state.closed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  const body: ResponseBody = { kind: 'stream', chunks };
  return { state, answer: { status, headers, body } };
}

function* endless(piece: string): Generator<string> {
  for (;;) yield piece;
}

const watchEnd = async (client: Client): Promise<unknown> => {
  try {
    for await (const _ of await client.watch(pods));
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('createClient() and answers that are not from an API server', () => {
  it('takes nothing for a list that is none: it would say that all objects are gone', async () => {
    for (const body of ['{}', '[]', 'null', '""', '{"kind":"Pod","metadata":{}}', '{"items":{}}', '{"items":[null]}'])
      await assert.rejects(setUp(bytes(body)).client.list(pods), (error) => isTransportError(error, 'protocol'), body);
    assert.deepEqual((await setUp(bytes('{"kind":"PodList","items":null}')).client.list(pods)).items, []);
  });

  it('quotes what came instead of an object', async () => {
    const page = bytes('<html>Please log in</html>', 200, { 'content-type': 'text/html' });
    for (const [answer, text] of [
      [page, /from GET pods, got <html>Please log in/],
      [bytes('{"error":"not you"}'), /got \{"error":"not you"\}/],
      [bytes('[1]'), /got \[1\]/],
      [bytes('[9007199254740995]'), /got \[9007199254740995\]/],
      [bytes('{"kind":"Pod"'), /is not JSON/],
    ] as const)
      await assert.rejects(
        setUp(answer).client.get(pods, target),
        (error) => isTransportError(error, 'protocol') && text.test(error.message),
      );
  });

  it('reports watch frames that are no events', async () => {
    const pod = '{"metadata":{"name":"a"}}';
    for (const frame of [
      'null',
      '7',
      '[]',
      '{}',
      '{"type":"ADDED"}',
      `{"type":"WEIRD","object":${pod}}`,
      '{"type":"ERROR"}',
      '{"kind":"PodList","items":[]}',
    ]) {
      const error = await watchEnd(setUp(stream([`${frame}\n`]).answer).client);
      assert.ok(isApiError(error, 'InternalError'), `${frame}: ${String(error)}`);
      assert.match(error.message, /unable to decode an event from the watch stream/);
    }
  });

  it('ends a watch of any lines in events or in an ApiError, however they are cut', async () => {
    const json = fc.json({ maxDepth: 3 });
    const event = fc
      .record({ type: fc.constantFrom('ADDED', 'ERROR', 'x', ''), object: fc.jsonValue() })
      .map((value) => JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(json, event, fc.string())),
        fc.integer({ min: 1, max: 40 }),
        async (lines, step) => {
          const all = encoder.encode(lines.join('\n'));
          const pieces = Array.from({ length: Math.ceil(all.length / step) }, (_, at) =>
            all.subarray(at * step, (at + 1) * step),
          );
          const error = await watchEnd(setUp(stream(pieces).answer).client);
          assert.ok(error === undefined || isApiError(error), String(error));
        },
      ),
    );
  });

  it('reads frames that are cut inside of a character, and drops none of their bytes', async () => {
    const line = encoder.encode(`${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ü💥' } } })}\n`);
    const cut = Array.from(line, (_, at) => line.subarray(at, at + 1));
    const names: unknown[] = [];
    for await (const { object } of await setUp(stream(cut).answer).client.watch(pods))
      names.push(object.metadata?.name);
    assert.deepEqual(names, ['ü💥']);
  });

  it('holds a bounded part of a line that never ends', async () => {
    const { answer, state } = stream(endless('x'.repeat(4 * 1024 * 1024)));
    assert.match(String(await watchEnd(setUp(answer).client)), /more than 67108864 characters/);
    assert.deepEqual([state.closed, state.given < 80 * 1024 * 1024], [true, true]);
  });

  it('reads a bounded part of a refusal, and closes the rest', async () => {
    const { answer, state } = stream(endless('no! '.repeat(1_000)), 403);
    const error = await watchEnd(setUp(answer).client);
    assert.ok(isApiError(error, 'Forbidden'));
    assert.deepEqual([state.closed, error.message.length < 3_000, state.given < 2_000_000], [true, true, true]);
  });

  it('closes the answers it does not read before it tries again', async () => {
    const busy = stream(endless('busy'), 429, { 'retry-after': '1' });
    const { client, env } = setUp(busy.answer, stream([]).answer);
    assert.equal(await env.clock.run(watchEnd(client)), undefined);
    assert.deepEqual([busy.state.closed, busy.state.given], [true, 0]);
  });

  it('ends a list whose empty pages lead to themselves', async () => {
    const page = bytes('{"kind":"PodList","metadata":{"continue":"again"},"items":[]}');
    await assert.rejects(setUp(page).client.listAll(pods), /goes on and on/);
  });

  it('quotes long integers of a refusal', async () => {
    const answer = bytes('{"id":9007199254740995}', 502);
    await assert.rejects(setUp(answer).client.get(pods, target), /9007199254740995/);
  });

  it('has odd Status fields for errors all the same', async () => {
    for (const body of [
      '{"kind":"Status"}',
      '{"kind":"Status","details":null,"code":null}',
      '{"kind":"Status","message":7}',
    ])
      await assert.rejects(setUp(bytes(body, 409)).client.get(pods, target), (error) => isApiError(error), body);
  });

  it('names no object that servers or proxies would take for another path', async () => {
    const { client } = setUp(bytes('{"kind":"Pod"}'));
    for (const bad of ['.', '..', 'a/b', '../x', 'a%2fb']) {
      await assert.rejects(client.delete(pods, { namespace: 'x', name: bad }), TypeError);
      await assert.rejects(client.list(pods, { namespace: bad }), TypeError);
    }
    await assert.rejects(client.get(pods, { ...target, subresource: 'proxy/../..' }), TypeError);
  });

  it('creates nothing in no namespace', async () => {
    const { client } = setUp(bytes('{"kind":"Pod"}'));
    await assert.rejects(
      client.create(pods, { object: { metadata: { name: 'a' } } }),
      /creating pods needs a namespace/,
    );
    await client.create(pods, { object: { metadata: { name: 'a', namespace: 'x' } } });
    await client.create(pods, { namespace: 'x', object: { metadata: { name: 'a' } } });
  });

  it('writes nothing where call and object name two namespaces', async () => {
    const { client } = setUp(bytes('{"kind":"Pod"}'));
    const object = { metadata: { name: 'a', namespace: 'x' } };
    const differ = /the object pods\/a is in namespace x, the call says y/;
    await assert.rejects(async () => client.create(pods, { namespace: 'y', object }), differ);
    await assert.rejects(async () => client.update(pods, { namespace: 'y', object }), differ);
    await assert.rejects(async () => client.updateStatus(pods, { namespace: 'y', object }), differ);
    await assert.rejects(async () => client.apply(pods, { namespace: 'y', object, fieldManager: 'me' }), differ);
  });
});
