// One candidate's view of a Lease as a pure state machine: state + input → state + effect (spec/infrastructure.md §2). It never
// compares the record's times with its own clock: a foreign lease counts from when its last change was seen here.

import type { Lease, LeaseSpec } from '@homeostat/api/types/coordination-v1';
import type { LeaderTerm } from '@homeostat/client';

export interface ElectionConfig {
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  /** The server elects (KEP-4355): this candidate never takes the Lease by itself, it only keeps what it was given. */
  readonly coordinated: boolean;
}

export interface ElectionState {
  /** The Lease as last seen or written. */
  readonly lease: Lease | undefined;
  /** Local monotonic time at which the record was last seen to change. */
  readonly observedMs: number;
  /** Whether this candidate holds the lease, as far as it knows. */
  readonly leading: boolean;
  /** Local monotonic time at which the last successful write was begun: what the lease surely counts from. */
  readonly renewedMs: number;
  /** The same moment by the wall clock, which goes on while a machine is suspended. */
  readonly renewedWallMs: number;
  /** The attempt under way began then, by either clock. */
  readonly attemptMs: number;
  readonly attemptWallMs: number;
  /** The attempt under way has not read the Lease, but relies on what was last written. */
  readonly fast: boolean;
}

export type ElectionInput =
  /** Time to acquire or renew. */
  | { readonly type: 'attempt' }
  /** The Lease was read; undefined: there is none. */
  | { readonly type: 'read'; readonly lease: Lease | undefined }
  | { readonly type: 'written'; readonly lease: Lease }
  | { readonly type: 'failed' };

export type ElectionEffect =
  | { readonly do: 'read' }
  | { readonly do: 'create'; readonly lease: Lease }
  /** Carries the resourceVersion that was read. */
  | { readonly do: 'update'; readonly lease: Lease }
  /** The attempt is over. */
  | { readonly do: 'rest' };

export interface ElectionStep {
  readonly state: ElectionState;
  readonly effect: ElectionEffect;
}

/** Times of an input: monotonic, and the wall clock's as a MicroTime. */
export interface ElectionNow {
  readonly monotonicMs: number;
  readonly wallMs: number;
  readonly microTime: string;
}

export const firstElectionState: ElectionState = {
  lease: undefined,
  observedMs: 0,
  leading: false,
  renewedMs: 0,
  renewedWallMs: 0,
  attemptMs: 0,
  attemptWallMs: 0,
  fast: false,
};

/** One step of an attempt. */
export function stepElection(
  config: ElectionConfig,
  state: ElectionState,
  input: ElectionInput,
  now: ElectionNow,
): ElectionStep {
  switch (input.type) {
    case 'attempt': {
      const attempt = { ...state, attemptMs: now.monotonicMs, attemptWallMs: now.wallMs };
      const { lease } = state;
      if (
        lease !== undefined &&
        isHolder(config, lease) &&
        isValid(config, state, now) &&
        !isEndOfTerm(config, lease)
      ) {
        return {
          state: { ...attempt, fast: true },
          effect: { do: 'update', lease: renewed(config, state, lease, now) },
        };
      }
      return { state: { ...attempt, fast: false }, effect: { do: 'read' } };
    }
    case 'read':
      return onRead(config, state, input.lease, now);
    case 'written':
      return {
        state: {
          ...state,
          lease: input.lease,
          observedMs: now.monotonicMs,
          leading: true,
          renewedMs: state.attemptMs,
          renewedWallMs: state.attemptWallMs,
        },
        effect: { do: 'rest' },
      };
    case 'failed':
      // What was relied on is no longer so; read, and try again in the same attempt.
      if (state.fast) return { state: { ...state, fast: false }, effect: { do: 'read' } };
      return { state, effect: { do: 'rest' } };
  }
}

function onRead(
  config: ElectionConfig,
  state: ElectionState,
  lease: Lease | undefined,
  now: ElectionNow,
): ElectionStep {
  if (lease === undefined) {
    // Somebody deleted a Lease under its holder, who may go on for as long as it said.
    const held = state.lease !== undefined && !isFree(state.lease) && !state.leading && isValid(config, state, now);
    if (held || config.coordinated) return { state: { ...state, leading: false }, effect: { do: 'rest' } };
    return { state, effect: { do: 'create', lease: newLease(config, now) } };
  }
  const changed = JSON.stringify(lease.spec) !== JSON.stringify(state.lease?.spec);
  const seen = {
    ...state,
    lease,
    observedMs: changed || state.lease === undefined ? now.monotonicMs : state.observedMs,
  };
  const own = isHolder(config, lease);
  if (state.leading && own && !isSameTerm(state.lease, lease)) {
    // Another run under this very identity has begun: two can't lead.
    return { state: { ...seen, leading: false }, effect: { do: 'rest' } };
  }
  const mine = config.coordinated ? own && isValid(config, seen, now) && !isEndOfTerm(config, lease) : own;
  if (config.coordinated ? !mine : !isFree(lease) && !own && isValid(config, seen, now)) {
    return { state: { ...seen, leading: false }, effect: { do: 'rest' } };
  }
  return { state: seen, effect: { do: 'update', lease: renewed(config, state, lease, now) } };
}

function isFree(lease: Lease): boolean {
  return (lease.spec?.holderIdentity ?? '') === '';
}

/** The server wants somebody else to lead: it is told by not renewing. */
function isEndOfTerm(config: ElectionConfig, lease: Lease): boolean {
  return config.coordinated && (lease.spec?.preferredHolder ?? '') !== '';
}

/** Whether two records are of one tenure of one Lease. */
export function isSameTerm(a: Lease | undefined, b: Lease): boolean {
  return a?.metadata?.uid === b.metadata?.uid && (a?.spec?.leaseTransitions ?? 0) === (b.spec?.leaseTransitions ?? 0);
}

/**
 * Whether the lease seen is still in force by the local clock, for as long as the record itself says; when it does not, since somebody edited
 * it, for as long as this candidate would say: its holder may still act.
 */
function isValid(config: ElectionConfig, state: ElectionState, now: ElectionNow): boolean {
  const seconds = state.lease?.spec?.leaseDurationSeconds;
  return state.observedMs + (seconds === undefined ? config.leaseDurationMs : seconds * 1000) > now.monotonicMs;
}

/** Whether the Lease names this candidate. */
export function isHolder(config: Pick<ElectionConfig, 'identity'>, lease: Lease): boolean {
  return lease.spec?.holderIdentity === config.identity;
}

/** Until when the holder may act: before anybody else may take over. Monotonic. */
export function actingEndsMs(config: ElectionConfig, state: ElectionState): number {
  return state.renewedMs + config.renewDeadlineMs;
}

/**
 * The term while this candidate surely leads; undefined otherwise. `unsure`: it may lead, but more time has passed than the
 * monotonic clock counted (a suspended machine): ask again after the next renewal.
 */
export function termOf(
  config: ElectionConfig,
  state: ElectionState,
  now: ElectionNow,
): LeaderTerm | 'unsure' | undefined {
  const { lease } = state;
  if (lease === undefined || !state.leading || now.monotonicMs >= actingEndsMs(config, state)) return undefined;
  if (now.wallMs >= state.renewedWallMs + config.renewDeadlineMs) return 'unsure';
  const { namespace, name, identity: holder } = config;
  return { namespace, name, uid: lease.metadata?.uid ?? '', holder, transitions: lease.spec?.leaseTransitions ?? 0 };
}

function newLease(config: ElectionConfig, now: ElectionNow): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: config.name,
      namespace: config.namespace,
      ...(Object.keys(config.labels).length === 0 ? {} : { labels: config.labels }),
    },
    spec: recordOf(config, now, now.microTime, 0),
  };
}

function renewed(config: ElectionConfig, state: ElectionState, lease: Lease, now: ElectionNow): Lease {
  // Under its own name but not led in this run, the Lease is a former run's: a new term begins, so that the writes of that one are over.
  const goesOn = isHolder(config, lease) && (state.leading || config.coordinated);
  const transitions = lease.spec?.leaseTransitions ?? 0;
  const acquireTime = goesOn ? (lease.spec?.acquireTime ?? now.microTime) : now.microTime;
  const labels = { ...lease.metadata?.labels, ...config.labels };
  return {
    ...lease,
    metadata: { ...lease.metadata, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
    spec: { ...lease.spec, ...recordOf(config, now, acquireTime, goesOn ? transitions : transitions + 1) },
  };
}

/** The Lease as its holder gives it up: free at once, with its history kept. */
export function released(lease: Lease, now: ElectionNow): Lease {
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now.microTime,
      renewTime: now.microTime,
      leaseTransitions: lease.spec?.leaseTransitions ?? 0,
    },
  };
}

function recordOf(config: ElectionConfig, now: ElectionNow, acquireTime: string, leaseTransitions: number): LeaseSpec {
  return {
    holderIdentity: config.identity,
    // Rounded up: rounded down, others could begin while the holder still acts.
    leaseDurationSeconds: Math.ceil(config.leaseDurationMs / 1000),
    acquireTime,
    renewTime: now.microTime,
    leaseTransitions,
  };
}
