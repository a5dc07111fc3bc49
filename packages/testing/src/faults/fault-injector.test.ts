import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom, VirtualClock } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Handle } from '@homeostat/client';
import { isTransportError } from '@homeostat/client';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';
import { FaultInjector } from './fault-injector.ts';

function setup(seed = 1) {
  const clock = new VirtualClock();
  const asked: ApiRequest[] = [];
  const server: Handle = (request) => {
    asked.push(request);
    const body: ApiResponse['body'] = request.query.includes('watch')
      ? { kind: 'watch', events: events() }
      : { kind: 'object', object: {} };
    return Promise.resolve({ status: 200, headers: {}, body });
  };
  const faults = new FaultInjector({
    clock,
    random: createSeededRandom(seed),
    revision: () => 100,
    oldestRevision: () => 10,
  });
  return { clock, asked, faults, handle: faults.intercept(server) };
}

async function* events(): AsyncGenerator<WatchEvent, void, void> {
  for (const name of ['a', 'b', 'c', 'd']) {
    await Promise.resolve();
    yield { type: name === 'c' ? 'BOOKMARK' : 'ADDED', object: { metadata: { name } } as KubeObject };
  }
}

function request(query = '', method = 'GET'): ApiRequest {
  const path = '/api/v1/namespaces/default/pods';
  return {
    method,
    path,
    query,
    headers: { 'user-agent': 'tester' },
    peer: { user: { username: 'me' } },
    signal: new AbortController().signal,
  };
}

async function watched(handle: Handle): Promise<readonly string[]> {
  const { body } = await handle(request('watch=1'));
  assert.equal(body.kind, 'watch');
  const names: string[] = [];
  try {
    if (body.kind === 'watch') for await (const event of body.events) names.push(event.object.metadata?.name ?? '');
  } catch (error) {
    names.push(isTransportError(error, 'reset') ? 'reset' : String(error));
  }
  return names;
}

describe('FaultInjector', () => {
  it('refuses in the place of the server, as often as it is told', async () => {
    const { handle, faults, asked } = setup();
    faults.add({ times: 2, fault: { kind: 'answer', status: 429, retryAfterSeconds: 3 } });
    for (let i = 0; i < 2; i++) {
      const response = await handle(request());
      assert.equal(response.status, 429);
      assert.equal(response.headers['retry-after'], '3');
    }
    assert.equal(asked.length, 0);
    assert.equal((await handle(request())).status, 200);
    assert.equal(faults.injected.length, 2);
  });

  it('breaks connections before the server saw the request, or after it acted', async () => {
    for (const when of ['before', 'after'] as const) {
      const { handle, faults, asked } = setup();
      faults.add({ fault: { kind: 'reset', when } });
      await assert.rejects(handle(request('', 'POST')), (error: unknown) => isTransportError(error, 'reset'));
      assert.equal(asked.length, when === 'after' ? 1 : 0);
    }
  });

  it('knows whom and what a request is about', async () => {
    const { handle, faults } = setup();
    faults.add({
      match: ({ user, userAgent, verb, resource, namespace }) =>
        user === 'me' && userAgent === 'tester' && verb === 'create' && resource === 'pods' && namespace === 'default',
      fault: { kind: 'answer', status: 500 },
    });
    assert.equal((await handle(request('', 'POST'))).status, 500);
    assert.equal((await handle(request())).status, 200);
    assert.equal((await handle({ ...request('', 'POST'), headers: {} })).status, 200);
  });

  it('delays requests and answers in the clock’s time', async () => {
    const { handle, faults, clock, asked } = setup();
    faults.add({ fault: { kind: 'slow', delayMs: 500, when: 'before' } });
    const answer = handle(request());
    await clock.advance(499);
    assert.equal(asked.length, 0);
    await clock.run(answer);
    assert.equal(clock.monotonicMs(), 500);
  });

  it('cuts watches, loses single events but no bookmark, and lets events lag in order', async () => {
    const whole = setup();
    assert.deepEqual(await watched(whole.handle), ['a', 'b', 'c', 'd']);
    const reset = setup();
    reset.faults.add({ fault: { kind: 'cut-watch', afterEvents: 2, how: 'reset' } });
    assert.deepEqual(await watched(reset.handle), ['a', 'b', 'reset']);
    const ended = setup();
    ended.faults.add({ fault: { kind: 'cut-watch', afterEvents: 1, how: 'end' } });
    assert.deepEqual(await watched(ended.handle), ['a']);
    const swallowed = setup();
    swallowed.faults.add({ fault: { kind: 'swallow-event', afterEvents: 2 } });
    assert.deepEqual(await watched(swallowed.handle), ['a', 'b', 'c']);
    const lagging = setup();
    lagging.faults.add({ fault: { kind: 'lag-watch', delayMs: 700 } });
    assert.deepEqual(await lagging.clock.run(watched(lagging.handle)), ['a', 'b', 'c', 'd']);
    assert.equal(lagging.clock.monotonicMs(), 700);
  });

  it('makes only those reads stale that take any state', async () => {
    const { handle, faults, asked } = setup();
    faults.add({ fault: { kind: 'stale-read', revisions: 30 } });
    for (const query of ['resourceVersion=0', 'resourceVersion=90&resourceVersionMatch=NotOlderThan', ''])
      await handle(request(query));
    assert.deepEqual(
      asked.map(({ query }) => query),
      ['resourceVersion=70&resourceVersionMatch=Exact', 'resourceVersion=90&resourceVersionMatch=NotOlderThan', ''],
    );
  });

  it('hits the same requests for the same seed', async () => {
    const hits = async (seed: number): Promise<string> => {
      const { handle, faults } = setup(seed);
      faults.add({ probability: 0.3, fault: { kind: 'answer', status: 500 } });
      const statuses: number[] = [];
      for (let i = 0; i < 60; i++) statuses.push((await handle(request())).status);
      return statuses.join();
    };
    assert.equal(await hits(5), await hits(5));
    assert.notEqual(await hits(5), await hits(6));
  });

  it('does nothing any more once its rules are taken back', async () => {
    const { handle, faults } = setup();
    const stop = faults.add({ fault: { kind: 'answer', status: 500 } });
    stop();
    assert.equal((await handle(request())).status, 200);
    faults.add({ fault: { kind: 'answer', status: 500 } });
    faults.clear();
    assert.equal((await handle(request())).status, 200);
  });
});
