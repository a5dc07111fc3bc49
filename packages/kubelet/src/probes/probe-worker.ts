// The life of one probe of one container (spec/node.md §7.1), as pure steps: `dueProbe` says what is to be done now, `applyOutcome`
// takes in how it went. Who calls them, and when, is the pod worker's business. Unlike upstream's, ticks are counted from the
// container's start, so that a container is probed at once instead of after up to one period.

import type { ContainerView, ProbeOutcome } from '../runtime/container-runtime.ts';
import type { ProbeResult, ProbeSpec, ProbeType } from './probe-spec.ts';

export interface ProbeState {
  readonly type: ProbeType;
  readonly container: string;
  /** The instance the result is about; another one starts afresh. */
  readonly containerId: string;
  readonly result: ProbeResult;
  /** Equal outcomes in a row. */
  readonly run: number;
  readonly last: ProbeResult | undefined;
  /** A verdict was passed: nothing more until the next instance. */
  readonly hold: boolean;
  /** Of the next tick, wall clock; Infinity when there is nothing to wait for. */
  readonly nextMs: number;
}

export interface ProbeFacts {
  readonly spec: ProbeSpec;
  /** The newest instance; undefined while there is none. */
  readonly view: ContainerView | undefined;
  /** The startup probe, if any, has succeeded. */
  readonly started: boolean;
  /** The Pod is being deleted. */
  readonly deleting: boolean;
}

const initialResults: Readonly<Record<ProbeType, ProbeResult>> = {
  liveness: 'success',
  readiness: 'failure',
  startup: 'unknown',
};

/** The probe of a container that has never run. */
export function newProbeState(type: ProbeType, container: string): ProbeState {
  return {
    type,
    container,
    containerId: '',
    result: initialResults[type],
    run: 0,
    last: undefined,
    hold: false,
    nextMs: Infinity,
  };
}

/** Follows the container: new instances, ends, deletion. Says whether a probe is due at `nowMs`. */
export function dueProbe(
  state: ProbeState,
  facts: ProbeFacts,
  nowMs: number,
): { readonly state: ProbeState; readonly due: boolean } {
  const { view, spec } = facts;
  if (view === undefined || view.state === 'created') return { state: idle(state), due: false };
  let next = state;
  if (view.id !== state.containerId) {
    next = {
      ...newProbeState(state.type, state.container),
      containerId: view.id,
      nextMs: firstTickMs(view, spec),
    };
  }
  if (view.state !== 'running') return { state: settle(next, 'failure'), due: false };
  if (facts.deleting && state.type !== 'readiness') return { state: settle(next, 'success'), due: false };
  if (next.hold) return { state: idle(next), due: false };
  if (state.type === 'startup' ? facts.started : !facts.started) return { state: idle(next), due: false };
  if (next.nextMs === Infinity) next = { ...next, nextMs: Math.max(nowMs, firstTickMs(view, spec)) };
  if (nowMs < next.nextMs) return { state: next, due: false };
  // The next tick is counted from this one, so that a slow probe does not shift all later ones.
  return { state: { ...next, nextMs: nowMs + spec.periodMs }, due: true };
}

/** Takes in the outcome of a probe of the instance `containerId`; an outcome about an earlier instance changes nothing. */
export function applyOutcome(
  state: ProbeState,
  containerId: string,
  outcome: ProbeOutcome['result'],
  spec: ProbeSpec,
): ProbeState {
  if (containerId !== state.containerId || state.hold || outcome === 'unknown') return state;
  const seen: ProbeResult = outcome === 'failure' ? 'failure' : 'success';
  const run = seen === state.last ? state.run + 1 : 1;
  const counted: ProbeState = { ...state, last: seen, run };
  if (run < (seen === 'failure' ? spec.failureThreshold : spec.successThreshold)) return counted;
  const verdict = (state.type === 'liveness' && seen === 'failure') || state.type === 'startup';
  return { ...counted, result: seen, ...(verdict ? { hold: true, run: 0, nextMs: Infinity } : {}) };
}

function firstTickMs(view: ContainerView, spec: ProbeSpec): number {
  return (view.startedMs ?? 0) + spec.initialDelayMs;
}

function idle(state: ProbeState): ProbeState {
  return state.nextMs === Infinity ? state : { ...state, nextMs: Infinity };
}

function settle(state: ProbeState, result: ProbeResult): ProbeState {
  return state.result === result && state.nextMs === Infinity ? state : { ...state, result, nextMs: Infinity };
}
