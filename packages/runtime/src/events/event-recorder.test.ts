// Events as the fake server receives them: shape, counting, aggregation, spam, failures. Scenario 72 of the client specification.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, createVirtualEnv, type LogLine, type VirtualEnvOptions } from '@homeostat/base';
import type { Event } from '@homeostat/api/types/core-v1';
import type { Event as SeriesEvent } from '@homeostat/api/types/events-v1';
import type { KubeObject } from '@homeostat/machinery';
import { TransportError } from '@homeostat/client';
import { FakeServer, type FakeRequest } from '../testing/fake-server.ts';
import { createEventRecorder, type EventInput } from './event-recorder.ts';
import { createSeriesRecorder } from './series-recorder.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'x', uid: 'u1', resourceVersion: '5' },
};

function setUp(options: VirtualEnvOptions = {}) {
  const env = createVirtualEnv(options);
  const server = new FakeServer(env);
  const recorder = createEventRecorder({ client: server.client(), env, component: 'replicaset-controller' });
  const stop = new AbortController();
  const running = recorder.run({ signal: stop.signal });
  const record = (message: string, more: Partial<EventInput> = {}): void =>
    recorder.record({ regarding: pod, type: 'Normal', reason: 'Created', message, ...more });
  const events = (): readonly Event[] => server.list('events') as unknown as readonly Event[];
  const end = async (): Promise<void> => {
    stop.abort();
    await env.clock.run(running);
  };
  return { env, server, record, events, end, stop };
}

const verbs = (requests: readonly FakeRequest[]): string[] => requests.map(({ method }) => method);

describe('createEventRecorder()', () => {
  it('writes an event as kube-controller-manager does', async () => {
    const { env, record, events, end, server } = setUp();
    record('Created pod: web-0');
    await env.clock.settle();
    const [event] = events();
    const { uid: _uid, resourceVersion: _version, ...metadata } = event?.metadata ?? {};
    const nanoseconds = BigInt(env.clock.nowMs()) * 1_000_000n;
    assert.deepEqual(metadata, { name: `web-0.${nanoseconds.toString(16)}`, namespace: 'x' });
    assert.deepEqual(
      { ...event, metadata },
      {
        kind: 'Event',
        apiVersion: 'v1',
        metadata,
        involvedObject: {
          kind: 'Pod',
          namespace: 'x',
          name: 'web-0',
          uid: 'u1',
          apiVersion: 'v1',
          resourceVersion: '5',
        },
        reason: 'Created',
        message: 'Created pod: web-0',
        source: { component: 'replicaset-controller' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        type: 'Normal',
        eventTime: null,
        reportingComponent: 'replicaset-controller',
        reportingInstance: '',
      },
    );
    assert.deepEqual(verbs(server.requests), ['POST']);
    await end();
  });

  it('counts equal events on one object', async () => {
    const { env, record, events, end, server } = setUp();
    for (let i = 0; i < 5; i++) {
      record('same');
      await env.clock.advance(2_000);
    }
    assert.equal(events().length, 1);
    assert.equal(events()[0]?.count, 5);
    assert.equal(events()[0]?.firstTimestamp, '2026-01-01T00:00:00Z');
    assert.equal(events()[0]?.lastTimestamp, '2026-01-01T00:00:08Z');
    assert.deepEqual(verbs(server.requests), ['POST', 'PATCH', 'PATCH', 'PATCH', 'PATCH']);
    await end();
  });

  it('72 combines many messages of one kind: nine plain ones, then one for all', async () => {
    const { env, record, events, end } = setUp();
    for (let i = 0; i < 12; i++) record(`message ${i}`);
    await env.clock.settle();
    assert.equal(events().length, 10);
    const combined = events().find(({ message }) => message?.startsWith('(combined from similar events): '));
    assert.equal(combined?.count, 3);
    assert.equal(combined?.message, '(combined from similar events): message 11');
    await end();
  });

  it('does not combine what is far apart', async () => {
    const { env, record, events, end } = setUp();
    for (let i = 0; i < 12; i++) {
      record(`message ${i}`);
      await env.clock.advance(601_000);
    }
    assert.equal(events().length, 12);
    await end();
  });

  it('72 stops spam: 25 at once, then one in five minutes, apart for each type', async () => {
    const { env, record, server, end, events } = setUp();
    for (let i = 0; i < 30; i++) record('same');
    await env.clock.settle();
    assert.equal(server.requests.length, 25);
    record('other', { type: 'Warning' });
    await env.clock.settle();
    assert.equal(server.requests.length, 26);
    await env.clock.advance(300_000);
    record('same');
    record('same');
    await env.clock.settle();
    assert.equal(server.requests.length, 27);
    assert.equal(
      events().find(({ type }) => type === 'Normal')?.count,
      31,
      'the true count, with those that were not written',
    );
    await end();
  });

  it('is not silenced by a wall clock that is set back', async () => {
    const { env, record, events, end } = setUp();
    record('a');
    await env.clock.settle();
    const { clock } = env;
    const real = clock.nowMs.bind(clock);
    clock.nowMs = () => real() - 7 * 86_400_000;
    record('b');
    record('c');
    await env.clock.settle();
    assert.deepEqual(
      events().map(({ message }) => message),
      ['a', 'b', 'c'],
    );
    await end();
  });

  it('creates an event again that was deleted, and goes on counting', async () => {
    const { env, record, server, end, events } = setUp();
    record('same');
    await env.clock.settle();
    server.remove('events', 'x', events()[0]?.metadata.name ?? '');
    record('same');
    await env.clock.settle();
    assert.deepEqual(verbs(server.requests), ['POST', 'PATCH', 'POST']);
    assert.equal(events()[0]?.count, 2);
    await end();
  });

  it('puts events of cluster-scoped objects into default, and names odd ones by UUID', async () => {
    const { env, record, end, events } = setUp();
    record('x', { regarding: { kind: 'ClusterRole', name: 'system:foo' } });
    await env.clock.settle();
    assert.equal(events()[0]?.metadata.namespace, 'default');
    assert.match(events()[0]?.metadata.name ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    await end();
  });

  it('drops what the server refuses and unknown types; tries again when it can not be reached', async () => {
    const { env, record, server, end, events } = setUp();
    server.fault = () => {
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    };
    record('refused');
    record('odd', { type: 'Foo' as 'Normal' });
    await env.clock.advance(100_000);
    assert.equal(server.requests.length, 1);
    server.fault = () => {
      throw new TransportError('refused', 'connection refused');
    };
    record('lost');
    await env.clock.advance(35_000);
    const tries = server.requests.length - 1;
    assert.ok(tries >= 3 && tries <= 5, `${tries} tries`);
    server.fault = () => {};
    await env.clock.advance(10_000);
    assert.equal(events().length, 1);
    await end();
  });

  it('gives an event up after twelve tries, ten seconds apart, and goes on with the next', async () => {
    const { env, record, server, end, events } = setUp();
    server.fault = () => {
      if (server.requests.length <= 12) throw new TransportError('refused', 'connection refused');
    };
    record('lost');
    record('next');
    await env.clock.advance(10_000 + 9 * 10_000);
    assert.ok(server.requests.length >= 10 && server.requests.length < 12, `${server.requests.length} tries`);
    await env.clock.advance(20_000);
    assert.deepEqual(
      events().map(({ message }) => message),
      ['next'],
    );
    assert.equal(server.requests.length, 13);
    await end();
  });

  it('drops what comes while a thousand events wait, says so once, and recovers', async () => {
    const lines: LogLine[] = [];
    const { env, server, stop, record, end } = setUp({ sink: (line) => lines.push(line) });
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    server.fault = () => gate;
    const each = (from: number, count: number): void => {
      for (let i = from; i < from + count; i++)
        record('m', { regarding: { ...pod, metadata: { ...pod.metadata, uid: `u${i}` } } });
    };
    each(0, 1);
    await env.clock.settle(); // one under way, besides the queue
    each(1, 1_200);
    open();
    await env.clock.settle();
    assert.equal(server.requests.length, 1_001);
    const dropped = (): number => lines.filter(({ message }) => message.startsWith('events are dropped')).length;
    assert.equal(dropped(), 1);
    each(5_000, 10);
    await env.clock.settle();
    assert.equal(server.requests.length, 1_011);
    assert.equal(dropped(), 1);
    stop.abort();
    await end();
  });

  it('keeps annotations, and events of a namespace that goes away are dropped quietly', async () => {
    const lines: LogLine[] = [];
    const { env, record, events, end, server } = setUp({ sink: (line) => lines.push(line) });
    record('one', { annotations: { team: 'a' } });
    await env.clock.settle();
    assert.deepEqual(events()[0]?.metadata.annotations, { team: 'a' });
    server.fault = () => {
      const causes = [{ reason: 'NamespaceTerminating', message: 'x' }];
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'namespace is terminating', details: { causes } });
    };
    record('two');
    await env.clock.settle();
    assert.deepEqual(lines, []);
    await end();
  });

  it('writes what is queued at the stop, but waits for nobody', async () => {
    const { env, record, server, stop, end, events } = setUp();
    record('first');
    record('second');
    stop.abort();
    await end();
    assert.equal(events().length, 2);
    assert.equal(server.requests.length, 2);
    assert.equal(env.clock.monotonicMs(), 0);
  });
});

describe('createSeriesRecorder()', () => {
  it('starts a series with the second event, counts in memory, and finishes it after a silence', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const recorder = createSeriesRecorder({
      client: server.client(),
      env,
      controller: 'default-scheduler',
      instance: 'default-scheduler-h',
    });
    const stop = new AbortController();
    const running = recorder.run({ signal: stop.signal });
    const record = (note: string): void =>
      recorder.record({ regarding: pod, type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note });
    const event = (): SeriesEvent | undefined => server.list('events')[0] as KubeObject as SeriesEvent | undefined;
    record('0/3 nodes are available');
    await env.clock.settle();
    assert.equal(event()?.series, undefined);
    assert.equal(event()?.eventTime, '2026-01-01T00:00:00.000000Z');
    assert.equal(event()?.regarding?.name, 'web-0');
    record('0/4 nodes are available');
    await env.clock.settle();
    assert.equal(event()?.series?.count, 2);
    for (let i = 0; i < 10; i++) record('0/4 nodes are available');
    await env.clock.settle();
    assert.equal(event()?.series?.count, 2, 'later ones are counted in memory');
    assert.deepEqual(verbs(server.requests), ['POST', 'PATCH']);
    await env.clock.advance(13 * 60_000);
    assert.equal(event()?.series?.count, 12);
    record('again');
    await env.clock.settle();
    assert.equal(server.list('events').length, 2, 'the old series is over');
    stop.abort();
    await env.clock.run(running);
  });

  it('makes a series anew whose event was deleted, and goes on counting', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const recorder = createSeriesRecorder({ client: server.client(), env, controller: 'c', instance: 'c-1' });
    const stop = new AbortController();
    const running = recorder.run({ signal: stop.signal });
    const record = (): void =>
      recorder.record({ regarding: pod, type: 'Normal', reason: 'Again', action: 'Tell', note: 'n' });
    record();
    await env.clock.settle();
    server.remove('events', 'x', server.list('events')[0]?.metadata?.name ?? '');
    record();
    await env.clock.settle();
    assert.deepEqual(
      (server.list('events') as SeriesEvent[]).map(({ series }) => series?.count),
      [2],
    );
    stop.abort();
    await env.clock.run(running);
  });

  it('cuts notes that the server would refuse, between characters', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const recorder = createSeriesRecorder({ client: server.client(), env, controller: 'c', instance: 'c-1' });
    const stop = new AbortController();
    const running = recorder.run({ signal: stop.signal });
    recorder.record({ regarding: pod, type: 'Normal', reason: 'Long', action: 'Tell', note: `x${'ä'.repeat(2_000)}` });
    await env.clock.settle();
    const { note = '' } = server.list('events')[0] as KubeObject as SeriesEvent;
    assert.equal(note, `x${'ä'.repeat(509)} ...`);
    assert.ok(Buffer.byteLength(note) <= 1024);
    stop.abort();
    await env.clock.run(running);
  });

  it('tells of a long series every half hour, and keeps writes of one event in order', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const recorder = createSeriesRecorder({ client: server.client(), env, controller: 's', instance: 's-h' });
    const stop = new AbortController();
    const running = recorder.run({ signal: stop.signal });
    const record = (): void =>
      recorder.record({ regarding: pod, type: 'Warning', reason: 'Failed', action: 'Try', note: 'again' });
    const count = (): number | undefined => (server.list('events')[0] as SeriesEvent | undefined)?.series?.count;
    for (let minute = 0; minute < 30; minute++) {
      record();
      await env.clock.advance(60_000);
    }
    assert.equal(count(), 30);
    assert.deepEqual(verbs(server.requests), ['POST', 'PATCH', 'PATCH']);
    // The server is slow: the patch must not overtake the creation, while other events need not wait.
    server.requests.length = 0;
    await env.clock.advance(20 * 60_000);
    server.fault = () => env.clock.sleep(5_000);
    server.requests.length = 0;
    record();
    record();
    for (let i = 0; i < 20; i++)
      recorder.record({
        regarding: { ...pod, metadata: { ...pod.metadata, name: `other-${i}` } },
        type: 'Normal',
        reason: 'Fine',
        action: 'Try',
        note: '',
      });
    await env.clock.advance(1_000);
    const atOnce = server.requests.length;
    assert.ok(atOnce > 3 && atOnce <= 8, `${atOnce} at once`);
    await env.clock.advance(120_000);
    const own = server.requests.filter(({ name, object }) => (name ?? object?.metadata?.name)?.startsWith('web-0.'));
    assert.deepEqual(verbs(own), ['POST', 'PATCH']);
    stop.abort();
    await env.clock.run(running);
  });
});
