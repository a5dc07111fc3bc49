import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, createVirtualEnv } from '@homeostat/base';
import { SlicedWork } from './sliced-work.ts';

/** A clock on which every reading takes a millisecond. */
function slowClock(clock: Clock): Clock {
  let readings = 0;
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => ++readings,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    yield: () => clock.yield(),
  };
}

describe('SlicedWork', () => {
  it('does at once what fits into a slice, and the rest in order, giving way in between', async () => {
    const { clock } = createVirtualEnv();
    const work = new SlicedWork(slowClock(clock));
    const stop = new AbortController();
    const running = work.run({ signal: stop.signal });
    const done: string[] = [];
    const loop = (name: string, length: number) =>
      work.add({ length, step: (index) => void done.push(`${name}${index}`) });
    loop('a', 200);
    loop('b', 1);
    assert.equal(done.length, 64);
    await clock.settle();
    assert.equal(done.length, 201);
    assert.equal(done.at(-1), 'b0');
    stop.abort();
    await clock.run(running);
  });

  it('does everything at once while it is not run, and at the end', async () => {
    const { clock } = createVirtualEnv();
    const work = new SlicedWork(slowClock(clock));
    let steps = 0;
    const add = (): void => work.add({ length: 200, step: () => void steps++ });
    add();
    assert.equal(steps, 200);
    const stop = new AbortController();
    const running = work.run({ signal: stop.signal });
    add();
    stop.abort();
    await clock.run(running);
    assert.equal(steps, 400);
  });
});
