// The reflector's protocol as a pure state machine: state + input → state + effects (spec/client.md §3). It holds no objects, opens
// nothing and knows no clock; `reflector.ts` drives it. Differences to client-go: the first list is a consistent read and an answer
// older than what was seen is refused (never back in time); a watch that can't be opened because nobody answers, or the answer is
// 401, 429 or 503, is tried again at its place, without a list.

import { compareResourceVersions, isTransportError } from '@homeostat/client';
import { classifyFailure, retryAfterMs } from './failure-class.ts';
import type { ReflectorEffect, ReflectorInput, ReflectorState, ReflectorStep } from './reflector-protocol.ts';

/** A stream was closed sooner than a healthy server would, without an event. */
export class VeryShortWatchError extends Error {
  override readonly name = 'VeryShortWatchError';
}

/** A consistent list was older than what had been seen: a stale or restored server. */
export class StaleListError extends Error {
  override readonly name = 'StaleListError';
}

const backoffFirstMs = 800;
// Jitter doubles it at most: 0.8 to 30 s.
const backoffMaxMs = 15_000;
const backoffResetMs = 120_000;
/** Doubled by jitter: a resource that appears is found within 5 s. */
const missingBackoffMaxMs = 2_500;
const streamFailuresMax = 3;
const shortWatchMs = 1_000;
/** A server that keeps answering older states for this long was restored from a backup: its state is the truth. */
const staleAcceptMs = 120_000;

/** The state before `start`. */
export function createReflectorState(options: {
  readonly streaming: boolean;
  /** How long a watch that fails with 500 is opened again before a list; default 0. */
  readonly internalErrorRetryMs?: number;
}): ReflectorState {
  return {
    phase: 'starting',
    resourceVersion: '',
    floor: '',
    unavailable: false,
    streaming: options.streaming,
    streamFailures: 0,
    internalErrorRetryMs: options.internalErrorRetryMs ?? 0,
    internalErrorSinceMs: undefined,
    failures: 0,
    failedAtMs: 0,
    afterWait: 'start',
    openedAtMs: 0,
    events: 0,
    missing: false,
    staleSinceMs: undefined,
  };
}

/** One step of the protocol. `nowMs` is monotonic. */
export function stepReflector(state: ReflectorState, input: ReflectorInput, nowMs: number): ReflectorStep {
  switch (input.type) {
    case 'start':
      return start(state);
    case 'waited':
      return state.afterWait === 'open' ? open(state) : start(state);
    case 'listed':
      return accept(state, input.resourceVersion, nowMs, false);
    case 'list-failed':
      return onListFailed(state, input.error, nowMs);
    case 'watch-opened':
      return {
        state: { ...state, phase: state.phase === 'opening' ? 'watching' : state.phase, openedAtMs: nowMs, events: 0 },
        effects: [{ do: 'next' }],
      };
    case 'watch-refused':
      return onRefused(state, input.error, nowMs);
    case 'changed':
      return onChanged(state, input.resourceVersion, input.deleted === true);
    case 'bookmark':
      return onBookmark(state, input.resourceVersion, input.initialEventsEnd, nowMs);
    case 'watch-ended':
      return onEnded(state, input.error, nowMs);
    case 'stalled':
      return list({ ...state, streaming: false }, [
        { do: 'close-watch' },
        { do: 'report', error: new Error('a streamed list was silent for too long; a plain one is tried') },
      ]);
  }
}

/** The state in which nothing older than `version` is taken in. */
export function raiseFloor(state: ReflectorState, version: string): ReflectorState {
  return isNewer(version, newestSeen(state)) ? { ...state, floor: version } : state;
}

function start(state: ReflectorState): ReflectorStep {
  if (!state.streaming || state.missing || state.streamFailures >= streamFailuresMax) return list(state, []);
  const effect = { do: 'stream-list', resourceVersion: wantedVersion(state) } as const;
  return { state: { ...state, phase: 'streaming-list' }, effects: [effect] };
}

function list(state: ReflectorState, before: readonly ReflectorEffect[]): ReflectorStep {
  return {
    state: { ...state, phase: 'listing' },
    effects: [...before, { do: 'list', resourceVersion: wantedVersion(state) }],
  };
}

function open(state: ReflectorState, before: readonly ReflectorEffect[] = []): ReflectorStep {
  return {
    state: { ...state, phase: 'opening' },
    effects: [...before, { do: 'open-watch', resourceVersion: state.resourceVersion }],
  };
}

function wantedVersion(state: ReflectorState): string {
  return state.unavailable ? '' : newestSeen(state);
}

function newestSeen({ resourceVersion, floor }: ReflectorState): string {
  return floor !== '' && isNewer(floor, resourceVersion) ? floor : resourceVersion;
}

/** A full content has come, at `version`. */
function accept(state: ReflectorState, version: string, nowMs: number, streamed: boolean): ReflectorStep {
  const seen = newestSeen(state);
  if (isOlder(version, seen)) {
    const since = state.staleSinceMs ?? nowMs;
    if (nowMs - since < staleAcceptMs) {
      const error = new StaleListError(`the API server listed version ${version}, older than ${seen} seen before`);
      const stale = { ...state, staleSinceMs: since, unavailable: true };
      return wait(stale, 'start', nowMs, error, streamed);
    }
  }
  const synced = {
    ...state,
    resourceVersion: version,
    floor: '',
    unavailable: false,
    missing: false,
    streamFailures: 0,
    internalErrorSinceMs: undefined,
    staleSinceMs: undefined,
  };
  if (streamed) {
    return {
      state: { ...synced, phase: 'watching' },
      effects: [{ do: 'replace', resourceVersion: version }, { do: 'next' }],
    };
  }
  return open(synced, [{ do: 'replace', resourceVersion: version }]);
}

function onListFailed(state: ReflectorState, error: unknown, nowMs: number): ReflectorStep {
  const failure = classifyFailure(error);
  if (failure === 'version-gone' && wantedVersion(state) !== '') return list({ ...state, unavailable: true }, []);
  return wait({ ...state, missing: failure === 'not-served' }, 'start', nowMs, error);
}

function onRefused(state: ReflectorState, error: unknown, nowMs: number): ReflectorStep {
  const failure = classifyFailure(error);
  if (state.phase === 'streaming-list') {
    if (failure === 'unreachable') return wait(state, 'start', nowMs, error);
    if (failure === 'version-gone') {
      return wantedVersion(state) === '' ? wait(state, 'start', nowMs, error) : start({ ...state, unavailable: true });
    }
    // A server without streaming says so once and for all; any other refusal the list will meet too.
    return list(failure === 'not-understood' ? { ...state, streaming: false } : state, []);
  }
  // A watch that could not start for want of a server has lost nothing: no new list.
  return wait(state, failure === 'unreachable' ? 'open' : 'start', nowMs, error);
}

function onChanged(state: ReflectorState, version: string, deleted: boolean): ReflectorStep {
  const events = state.events + 1;
  if (state.phase === 'streaming-list')
    return { state: { ...state, events }, effects: [{ do: 'collect' }, { do: 'next' }] };
  // Some servers tell of a deletion at the version of the object's last state.
  if (deleted ? isOlder(version, state.resourceVersion) : !isNewer(version, state.resourceVersion)) {
    return { state: { ...state, events }, effects: [{ do: 'drop' }, { do: 'next' }] };
  }
  return {
    state: { ...state, events, resourceVersion: version, internalErrorSinceMs: undefined },
    effects: [{ do: 'apply' }, { do: 'next' }],
  };
}

function onBookmark(state: ReflectorState, version: string, initialEventsEnd: boolean, nowMs: number): ReflectorStep {
  const seen = { ...state, events: state.events + 1 };
  if (state.phase === 'streaming-list') {
    return initialEventsEnd ? accept(seen, version, nowMs, true) : { state: seen, effects: [{ do: 'next' }] };
  }
  if (!isNewer(version, state.resourceVersion)) return { state: seen, effects: [{ do: 'next' }] };
  return {
    state: { ...seen, resourceVersion: version },
    effects: [{ do: 'progress', resourceVersion: version }, { do: 'next' }],
  };
}

function onEnded(state: ReflectorState, error: unknown, nowMs: number): ReflectorStep {
  const failure = error === undefined ? 'unreachable' : classifyFailure(error);
  if (state.phase === 'streaming-list') {
    const failed = {
      ...state,
      streamFailures: state.streamFailures + 1,
      unavailable: state.unavailable || failure === 'version-gone',
    };
    return wait(failed, 'start', nowMs, error, true);
  }
  const short = nowMs - state.openedAtMs < shortWatchMs;
  if (error === undefined || isTransportError(error)) {
    if (short && state.events === 0) {
      const text = 'very short watch: Unexpected watch close - watch lasted less than a second and no items received';
      return wait(state, 'start', nowMs, new VeryShortWatchError(text, { cause: error }), true);
    }
    // A stream ends in the ordinary way, or breaks: nothing is lost, it goes on where it was.
    return short ? wait(state, 'open', nowMs, error, true) : open(state, closed(error));
  }
  if (failure === 'unreachable') return wait(state, 'open', nowMs, error, true);
  if (failure === 'internal') {
    const since = state.internalErrorSinceMs ?? nowMs;
    const again = nowMs - since < state.internalErrorRetryMs;
    return wait(
      { ...state, internalErrorSinceMs: again ? since : undefined },
      again ? 'open' : 'start',
      nowMs,
      error,
      true,
    );
  }
  return wait(state, 'start', nowMs, error, true);
}

function closed(error: unknown): readonly ReflectorEffect[] {
  const close = { do: 'close-watch' } as const;
  return error === undefined ? [close] : [close, { do: 'report', error }];
}

function wait(
  state: ReflectorState,
  afterWait: 'start' | 'open',
  nowMs: number,
  error: unknown,
  watchOpen = false,
): ReflectorStep {
  const failures = nowMs - state.failedAtMs > backoffResetMs ? 0 : state.failures;
  const delayMs = Math.min(backoffFirstMs * 2 ** failures, state.missing ? missingBackoffMaxMs : backoffMaxMs);
  const before: readonly ReflectorEffect[] = watchOpen
    ? closed(error)
    : error === undefined
      ? []
      : [{ do: 'report', error }];
  return {
    state: { ...state, phase: 'waiting', afterWait, failures: failures + 1, failedAtMs: nowMs },
    effects: [...before, { do: 'wait', delayMs, leastMs: retryAfterMs(error) }],
  };
}

/** Versions that can't be compared count as in order: only known steps back are refused. */
function isOlder(version: string, than: string): boolean {
  return than !== '' && (compareResourceVersions(version, than) ?? 0) < 0;
}

function isNewer(version: string, than: string): boolean {
  return than === '' || (compareResourceVersions(version, than) ?? 1) > 0;
}
