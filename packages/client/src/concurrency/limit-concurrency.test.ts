// The limiter over a transport whose answers are given by hand, in virtual time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';
import { type ConcurrencyOptions, limitConcurrency } from './limit-concurrency.ts';

const never = new AbortController().signal;
const request = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path,
  query: '',
  headers: {},
  signal: never,
  ...more,
});
const pod = (name: string): string => `/api/v1/namespaces/x/pods/${name}`;

function setUp(options: ConcurrencyOptions) {
  const env = createVirtualEnv();
  const sent: { readonly path: string; answer(status?: number): void; fail(error: Error): void }[] = [];
  const transport: Transport = {
    send: ({ path }) =>
      new Promise<ApiResponse>((resolve, reject) => {
        sent.push({
          path,
          answer: (status = 200) => resolve({ status, headers: {}, body: { kind: 'empty' } }),
          fail: reject,
        });
      }),
    close: () => Promise.resolve(),
  };
  const limited = limitConcurrency({ transport, clock: env.clock, ...options });
  return {
    env,
    sent,
    send: (path: string, more?: Partial<ApiRequest>) => limited.send(request(path, more)),
    settle: () => env.clock.settle(),
    paths: () => sent.map(({ path }) => path),
  };
}

describe('limitConcurrency()', () => {
  it('asks a request that waited whether it still wants to go', async () => {
    const { send, sent, settle } = setUp({ initial: 1, max: 1 });
    const first = send(pod('first'));
    const refused = new Error('not any more');
    const beforeSend = (): void => {
      throw refused;
    };
    const second = assert.rejects(send(pod('second'), { beforeSend }), refused);
    const third = send(pod('third'));
    await settle();
    sent[0]?.answer();
    await Promise.all([first, second]);
    await settle();
    sent[1]?.answer();
    await third;
    assert.deepEqual(
      sent.map(({ path }) => path),
      [pod('first'), pod('third')],
    );
  });

  it('lets flows take turns, each in its own order', async () => {
    const { send, sent, settle, paths } = setUp({ initial: 1, max: 1 });
    const all = [send(pod('first'))];
    for (const name of ['1', '2', '3']) all.push(send(pod(name)));
    for (const name of ['e1', 'e2']) all.push(send(`/api/v1/namespaces/x/events/${name}`, { method: 'PUT' }));
    all.push(send(pod('other'), { headers: { 'user-agent': 'another' } }));
    for (let i = 0; i < 7; i++) {
      await settle();
      assert.equal(sent.length, i + 1);
      sent[i]?.answer();
    }
    await Promise.all(all);
    assert.deepEqual(
      paths().map((path) => path.split('/').at(-1)),
      ['first', '1', 'e1', 'other', '2', 'e2', '3'],
    );
  });

  it('never lets a lease wait, nor a watch, nor an upgrade', async () => {
    const { send, sent } = setUp({ initial: 1, max: 1 });
    const all = [send(pod('a')), send(pod('b'))];
    all.push(send('/apis/coordination.k8s.io/v1/namespaces/x/leases/l', { method: 'PUT', lane: 'lease' }));
    all.push(send('/api/v1/pods', { query: 'watch=true' }));
    all.push(send(`${pod('a')}/exec`, { headers: { upgrade: 'websocket' } }));
    all.push(send(`${pod('a')}/proxy/slow`));
    assert.deepEqual(
      sent.map(({ path }) => path.split('/').at(-1)),
      ['a', 'l', 'pods', 'exec', 'slow'],
    );
    for (const { answer } of sent) answer();
    await Promise.all(all.filter((_, index) => index !== 1));
    assert.equal(sent.length, 6);
  });

  it('refuses one more than may wait, and forgets who gives up', async () => {
    const { send, sent, settle, paths } = setUp({ initial: 1, max: 1, queueMax: 2 });
    const stop = new AbortController();
    const first = send(pod('first'));
    const impatient = assert.rejects(send(pod('impatient'), { signal: stop.signal }), /enough/);
    const patient = send(pod('patient'));
    await assert.rejects(send(pod('late')), (error: TransportError) => error.code === 'refused');
    stop.abort(new Error('enough'));
    await impatient;
    const last = send(pod('last'));
    for (let i = 0; i < 3; i++) {
      await settle();
      sent[i]?.answer();
    }
    await Promise.all([first, patient, last]);
    assert.deepEqual(
      paths().map((path) => path.split('/').at(-1)),
      ['first', 'patient', 'last'],
    );
  });

  it('halves what it sends on a wave of 429, once, and finds back', async () => {
    const { send, sent, env, settle } = setUp({ initial: 16 });
    const all = Array.from({ length: 100 }, (_, i) => send(pod(String(i))));
    await settle();
    assert.equal(sent.length, 16);
    await env.clock.advance(10);
    for (const { answer } of sent.slice(0, 16)) answer(429);
    await settle();
    assert.equal(sent.length, 16 + 8);
    await env.clock.advance(10);
    // A fine answer each, as long as there are any: the limit grows by one a round trip.
    for (let done = 16; done < 100;) {
      const until = sent.length;
      for (; done < until; done++) sent[done]?.answer();
      await settle();
    }
    await Promise.all(all);
    const more = Array.from({ length: 30 }, (_, i) => send(pod(`more${i}`)));
    await settle();
    assert.ok(sent.length - 100 > 12 && sent.length - 100 <= 24, String(sent.length - 100));
    for (let i = 100; i < 130; i++) {
      sent[i]?.answer();
      await settle();
    }
    await Promise.all(more);
  });

  it('takes time-outs for overload, but neither a disruption budget nor a broken connection', async () => {
    const widthAfter = async (path: string, end: (sent: ReturnType<typeof setUp>['sent'][number]) => void) => {
      const { send, sent, settle } = setUp({ initial: 8 });
      const first = send(path, { method: 'POST' }).catch(() => undefined);
      const [only] = sent;
      assert.ok(only !== undefined);
      end(only);
      await first;
      const all = Array.from({ length: 20 }, (_, i) => send(pod(String(i))));
      await settle();
      const width = sent.length - 1;
      for (let i = 1; i <= 20; i++) {
        sent[i]?.answer();
        await settle();
      }
      await Promise.all(all);
      return width;
    };
    assert.equal(await widthAfter(`${pod('a')}/eviction`, ({ answer }) => answer(429)), 8);
    assert.equal(await widthAfter(pod('a'), ({ answer }) => answer(503)), 4);
    assert.equal(await widthAfter(pod('a'), ({ fail }) => fail(new TransportError('timeout', 'late'))), 4);
    assert.equal(await widthAfter(pod('a'), ({ fail }) => fail(new TransportError('reset', 'broken'))), 8);
  });

  it('sends less to a server that has become slow, not below 16, and lists say nothing', async () => {
    const { send, sent, env, settle } = setUp({ initial: 32 });
    const round = async (path: (i: number) => string, latencyMs: number): Promise<number> => {
      const from = sent.length;
      const all = Array.from({ length: 40 }, (_, i) => send(path(i)));
      await settle();
      const width = sent.length - from;
      for (let done = from; done < from + 40;) {
        await env.clock.advance(latencyMs);
        const until = sent.length;
        for (; done < until; done++) sent[done]?.answer();
        await settle();
      }
      await Promise.all(all);
      return width;
    };
    await round((i) => pod(String(i)), 5);
    const before = await round(() => '/api/v1/pods', 10_000);
    assert.ok(before >= 32);
    for (let i = 0; i < 30; i++) await round((j) => pod(String(j)), 1_000);
    assert.equal(await round((i) => pod(String(i)), 1_000), 16);
  });
});

describe('AdaptiveLimit', () => {
  it('stays within its bounds, and refuses senseless ones', () => {
    const limit = new AdaptiveLimit({ initial: 4, min: 2, max: 5 });
    let nowMs = 0;
    const observe = (outcome: 'fine' | 'overloaded'): void =>
      limit.observe(outcome, { startedAtMs: nowMs, nowMs: ++nowMs, inFlight: 5 });
    for (let i = 0; i < 50; i++) observe('fine');
    assert.equal(limit.value, 5);
    for (let i = 0; i < 50; i++) observe('overloaded');
    assert.equal(limit.value, 2);
    assert.throws(() => new AdaptiveLimit({ initial: 1, min: 2 }), RangeError);
    assert.throws(() => new AdaptiveLimit({ initial: 0 }), RangeError);
  });
});
