// Probe timing and verdicts (spec/node.md §7.1, §7.5).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerView } from '../runtime/container-runtime.ts';
import type { ProbeSpec, ProbeType } from './probe-spec.ts';
import { applyOutcome, dueProbe, newProbeState, type ProbeFacts, type ProbeState } from './probe-worker.ts';

const view: ContainerView = {
  id: 'one',
  name: 'c',
  attempt: 0,
  state: 'running',
  createdMs: 0,
  startedMs: 0,
  image: '',
  imageId: '',
  specImage: '',
};
const spec: ProbeSpec = {
  initialDelayMs: 0,
  periodMs: 10_000,
  timeoutMs: 1_000,
  successThreshold: 1,
  failureThreshold: 3,
};

interface Tick {
  readonly atMs: number;
  readonly result: string;
}

/** Drives a probe through time; `outcomeAt` says what a probe at that time finds. */
function drive(
  type: ProbeType,
  options: {
    readonly spec?: Partial<ProbeSpec>;
    readonly outcomeAt: (ms: number) => 'success' | 'failure' | 'unknown';
    readonly untilMs: number;
    readonly started?: (ms: number) => boolean;
    readonly deleting?: boolean;
  },
): { readonly ticks: readonly Tick[]; readonly state: ProbeState } {
  const probe = { ...spec, ...options.spec };
  const ticks: Tick[] = [];
  let state = newProbeState(type, 'c');
  let started = type !== 'startup';
  for (let nowMs = 0; nowMs <= options.untilMs; nowMs += 1_000) {
    const facts: ProbeFacts = {
      spec: probe,
      view,
      started: options.started?.(nowMs) ?? started,
      deleting: options.deleting === true,
    };
    const step = dueProbe(state, facts, nowMs);
    state = step.state;
    if (!step.due) continue;
    state = applyOutcome(state, view.id, options.outcomeAt(nowMs), probe);
    if (type === 'startup' && state.result === 'success') started = true;
    ticks.push({ atMs: nowMs, result: state.result });
  }
  return { ticks, state };
}

describe('initial results', () => {
  for (const [type, result] of [
    ['liveness', 'success'],
    ['readiness', 'failure'],
    ['startup', 'unknown'],
  ] as const) {
    it(`${type}: ${result}`, () => assert.equal(newProbeState(type, 'c').result, result));
  }
});

it('readiness with a delay of 30 s is not asked before, and passes at once', () => {
  const { ticks } = drive('readiness', {
    spec: { initialDelayMs: 30_000 },
    outcomeAt: () => 'success',
    untilMs: 40_000,
  });
  assert.deepEqual(ticks, [
    { atMs: 30_000, result: 'success' },
    { atMs: 40_000, result: 'success' },
  ]);
});

it('liveness gives up after three failures in a row, and asks no more', () => {
  const { ticks, state } = drive('liveness', {
    outcomeAt: (ms) => (ms >= 30_000 ? 'failure' : 'success'),
    untilMs: 90_000,
  });
  assert.equal(ticks.at(-1)?.atMs, 50_000);
  assert.equal(state.result, 'failure');
  assert.equal(state.hold, true);
});

it('one success breaks the run of failures', () => {
  const { state } = drive('liveness', {
    outcomeAt: (ms) => (ms % 30_000 === 0 ? 'success' : 'failure'),
    untilMs: 200_000,
  });
  assert.equal(state.result, 'success');
});

it('what could not be asked changes nothing', () => {
  const { state } = drive('liveness', { outcomeAt: () => 'unknown', untilMs: 200_000 });
  assert.equal(state.result, 'success');
  assert.equal(state.run, 0);
});

it('readiness needs successThreshold successes to come back', () => {
  const { ticks } = drive('readiness', {
    spec: { successThreshold: 2, periodMs: 1_000 },
    outcomeAt: () => 'success',
    untilMs: 2_000,
  });
  assert.deepEqual(
    ticks.map(({ result }) => result),
    ['failure', 'success', 'success'],
  );
});

it('startup is asked until it has a verdict; liveness only then', () => {
  const startup = drive('startup', { outcomeAt: (ms) => (ms >= 20_000 ? 'success' : 'failure'), untilMs: 60_000 });
  assert.deepEqual(startup.ticks.at(-1), { atMs: 20_000, result: 'success' });
  const liveness = drive('liveness', { outcomeAt: () => 'success', untilMs: 30_000, started: (ms) => ms >= 20_000 });
  assert.equal(liveness.ticks[0]?.atMs, 20_000);
  const failed = drive('startup', { outcomeAt: () => 'failure', untilMs: 90_000 });
  assert.deepEqual(failed.ticks.at(-1), { atMs: 20_000, result: 'failure' });
});

it('a Pod that is being deleted is asked for readiness alone', () => {
  assert.equal(drive('liveness', { outcomeAt: () => 'failure', untilMs: 60_000, deleting: true }).ticks.length, 0);
  assert.equal(drive('readiness', { outcomeAt: () => 'failure', untilMs: 20_000, deleting: true }).ticks.length, 3);
});

it('another instance starts afresh, and late news of the last one are dropped', () => {
  const { state } = drive('readiness', { outcomeAt: () => 'success', untilMs: 10_000 });
  assert.equal(state.result, 'success');
  const next = { ...view, id: 'two', startedMs: 15_000 };
  const step = dueProbe(state, { spec, view: next, started: true, deleting: false }, 15_000);
  assert.equal(step.due, true);
  assert.equal(step.state.result, 'failure');
  assert.equal(applyOutcome(step.state, 'one', 'success', spec), step.state);
});

it('a container that has ended is not ready', () => {
  const { state } = drive('readiness', { outcomeAt: () => 'success', untilMs: 10_000 });
  const step = dueProbe(state, { spec, view: { ...view, state: 'exited' }, started: true, deleting: false }, 20_000);
  assert.deepEqual([step.due, step.state.result, step.state.nextMs], [false, 'failure', Infinity]);
});
