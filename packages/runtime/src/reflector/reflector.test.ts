// The reflector's I/O: what it asks for, half-open connections, events of a wrong shape, stopping anywhere. Numbers are the
// scenarios of spec/client.md §9.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { type KubeObject, newExpired, type WatchEvent } from '@homeostat/machinery';
import { type ListPage, TransportError } from '@homeostat/client';
import { type ListWatcher, Reflector } from './reflector.ts';

type Request = { readonly at: number; readonly resourceVersion: string; readonly signal: AbortSignal } & (
  | { readonly do: 'list'; readonly limit: number }
  | { readonly do: 'watch'; readonly timeoutSeconds: number; readonly sendInitialEvents: boolean }
);

/** A list-watcher whose answers the test gives, and a log of what reaches the sink. */
function setUp(answers: Partial<ListWatcher>, options: { readonly streaming?: boolean; readonly kind?: string } = {}) {
  const env = createVirtualEnv({ seed: 3 });
  const requests: Request[] = [];
  const errors: unknown[] = [];
  const seen: string[] = [];
  const name = (object: KubeObject): string => object.metadata?.name ?? '';
  const reflector = new Reflector({
    name: 'things',
    env,
    streaming: options.streaming ?? false,
    ...(options.kind === undefined ? {} : { kind: options.kind }),
    onError: (error) => void errors.push(error),
    listWatcher: {
      listPages(request) {
        requests.push({ ...request, do: 'list', at: env.clock.monotonicMs() });
        return answers.listPages?.(request) ?? pages(page([], '5'));
      },
      watch(request) {
        requests.push({ ...request, do: 'watch', at: env.clock.monotonicMs() });
        return answers.watch?.(request) ?? Promise.resolve(silent(request.signal));
      },
    },
    sink: {
      replace: (objects, version) => void seen.push(`replace ${objects.map(name).join()} @${version}`),
      upsert: (object) => void seen.push(`upsert ${name(object)}`),
      delete: (object) => void seen.push(`delete ${name(object)}`),
      progress: (version) => void seen.push(`progress ${version}`),
      room: () => undefined,
    },
  });
  const run = async (test: () => Promise<void>): Promise<void> => {
    const stop = new AbortController();
    const running = reflector.run({ signal: stop.signal });
    try {
      await test();
    } finally {
      stop.abort();
      await env.clock.run(running, 60_000);
    }
  };
  return { env, requests, errors, seen, reflector, run };
}

const object = (name: string, resourceVersion: string, kind = 'Thing'): KubeObject => ({
  kind,
  metadata: { name, resourceVersion },
});
const page = (items: readonly KubeObject[], resourceVersion: string, rest: Partial<ListPage> = {}): ListPage => ({
  items,
  resourceVersion,
  restarted: false,
  more: false,
  ...rest,
});

async function* pages(...all: readonly ListPage[]): AsyncGenerator<ListPage> {
  yield* all;
}

async function* silent(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function* events(signal: AbortSignal, ...all: readonly unknown[]): AsyncGenerator<WatchEvent> {
  yield* all as readonly WatchEvent[];
  yield* silent(signal);
}

/** A source that does not hear of its end. */
async function* deaf(): AsyncGenerator<never> {
  await never();
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});

describe('Reflector', () => {
  it('1 asks for bookmarks and a lifetime of 5 to 10 minutes at random', async () => {
    const { env, requests, seen, run } = setUp({
      listPages: () => pages(page([object('a', '1'), object('b', '2')], '5')),
    });
    await run(async () => {
      await env.clock.advance(3_600_000);
      assert.deepEqual(seen, ['replace a,b @5']);
      const lifetimes = requests.flatMap((request) => (request.do === 'watch' ? [request.timeoutSeconds] : []));
      assert.ok(lifetimes.length >= 6 && new Set(lifetimes).size > 3, `${lifetimes.length} watches`);
      for (const seconds of lifetimes) assert.ok(seconds >= 300 && seconds < 600, String(seconds));
    });
  });

  it('8 9 R3 reads the most recent state in pages, all of them; a given version in one answer', async () => {
    const { env, requests, seen, run } = setUp({
      listPages: ({ resourceVersion }) =>
        resourceVersion === ''
          ? pages(
              page([object('a', '1')], '5', { more: true }),
              page([object('b', '2')], '5', { more: true }),
              page([object('c', '3')], '5'),
            )
          : pages(page([object('a', '1')], '9')),
      watch: ({ resourceVersion, signal }) =>
        Promise.resolve(
          resourceVersion === '5'
            ? events(signal, { type: 'ERROR', object: newExpired('too old').toStatus() })
            : silent(signal),
        ),
    });
    await run(async () => {
      await env.clock.advance(10_000);
      assert.deepEqual(seen, ['replace a,b,c @5', 'replace a @9']);
      assert.deepEqual(
        requests.flatMap((request) => (request.do === 'list' ? [[request.resourceVersion, request.limit]] : [])),
        [
          ['', 500],
          ['5', 0],
        ],
      );
    });
  });

  it('10 forgets pages of a snapshot that has expired', async () => {
    const { env, seen, run } = setUp({
      listPages: () =>
        pages(
          page([object('old', '1')], '5', { more: true }),
          page([object('a', '1'), object('b', '2')], '7', { restarted: true }),
        ),
    });
    await run(async () => {
      await env.clock.settle();
      assert.deepEqual(seen, ['replace a,b @7']);
    });
  });

  it('15 24 skips events of another kind or of no sense, and goes on', async () => {
    const { env, seen, reflector, errors, run } = setUp(
      {
        watch: ({ signal }) =>
          Promise.resolve(
            events(
              signal,
              { type: 'ADDED', object: object('a', '6') },
              { type: 'ADDED', object: object('other', '7', 'Other') },
              { type: 'ADDED' },
              { type: 'MODIFIED', object: null },
              { type: 'SOMETHING', object: object('b', '8') },
              { type: 'ADDED', object: { kind: 'Thing' } },
              { type: 'ADDED', object: object('c', '9') },
            ),
          ),
      },
      { kind: 'Thing' },
    );
    await run(async () => {
      await env.clock.advance(1_500);
      assert.deepEqual(seen, ['replace  @5', 'upsert a', 'upsert c']);
      assert.equal(reflector.state.resourceVersion, '9');
      assert.deepEqual(errors, []);
    });
  });

  it('finds a server that does not answer a watch request within 60 s', async () => {
    let calls = 0;
    const { env, requests, errors, run } = setUp({
      watch: ({ signal }) => (calls++ === 0 ? never() : Promise.resolve(silent(signal))),
    });
    await run(async () => {
      await env.clock.advance(59_000);
      assert.equal(requests.length, 2);
      await env.clock.advance(3_000);
      assert.equal(requests.length, 3);
      assert.equal(requests[1]?.signal.aborted, true);
      assert.ok(errors[0] instanceof TransportError);
      assert.equal(requests[2]?.resourceVersion, '5');
    });
  });

  it('finds a half-open watch 150 s after the last sign of life where there were bookmarks, else 30 s after its lifetime', async () => {
    for (const bookmarks of [true, false]) {
      const { env, requests, run } = setUp({
        watch: ({ signal }) =>
          Promise.resolve(
            bookmarks
              ? events(
                  signal,
                  { type: 'BOOKMARK', object: object('', '6') },
                  { type: 'ADDED', object: object('a', '7') },
                )
              : silent(signal),
          ),
      });
      await run(async () => {
        await env.clock.advance(10);
        const [, watch] = requests;
        assert.ok(watch?.do === 'watch');
        const bound = bookmarks ? 150_000 : (watch.timeoutSeconds + 30) * 1000;
        await env.clock.advance(bound - 1_000);
        assert.equal(requests.length, 2);
        await env.clock.advance(2_000);
        assert.equal(requests.length, 3);
        assert.equal(requests[2]?.resourceVersion, bookmarks ? '7' : '5');
      });
    }
  });

  it('16 K6 stops wherever it is: in a list, while a watch is opened, in a watch, in a wait', async () => {
    const places: readonly [string, Partial<ListWatcher>][] = [
      ['list', { listPages: ({ signal }) => silent(signal) }],
      ['opening', { watch: () => never() }],
      ['watch', {}],
      ['deaf watch', { watch: () => Promise.resolve(deaf()) }],
      [
        'wait',
        {
          listPages: () => {
            throw new Error('no');
          },
        },
      ],
    ];
    for (const [place, answers] of places) {
      for (const afterMs of [0, 1, 700, 5_000]) {
        const { env, requests, run, errors } = setUp(answers);
        await run(async () => {
          if (afterMs > 0) await env.clock.advance(afterMs);
        });
        const before = requests.length;
        await env.clock.advance(3_600_000);
        assert.equal(requests.length, before, `${place} after ${afterMs} ms`);
        if (place !== 'wait') assert.deepEqual(errors, [], place);
      }
    }
  });
});
