// Names and types of leader election; the work is in `leader-elector.ts`.

import type { Env } from '@homeostat/base';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { Client, LeaderTerm } from '@homeostat/client';
import type { CandidateVersions } from './lease-candidate.ts';
import type { Leadership } from './leadership.ts';

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly env: Env;
  /** The Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Labels to keep on the Lease. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Unique among the processes, e.g. `<host>_<uuid>`: a name that outlives its process can't tell it from its former self. */
  readonly identity: string;
  /** How long others wait after the last renewal they saw; default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long the holder acts without a renewal; shorter than the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Pause between attempts; default 2 s. */
  readonly retryPeriodMs?: number;
  /** Gives the lease up after a stop, so that another candidate need not wait; default false. */
  readonly releaseOnStop?: boolean;
  /** Hears `<identity> became leader` and `<identity> stopped leading`. */
  readonly recordEvent?: (lease: Lease, message: string) => void;
  /** Hears of every new holder, itself included. */
  readonly onNewLeader?: (identity: string) => void;
  /** Hears of each term this process wins, before it acts. */
  readonly onStartedLeading?: (term: LeaderTerm) => void;
  /** Called when `run` ends, whether this process ever led or not, and, when it campaigns again, after each term. */
  readonly onStoppedLeading?: () => void;
  /** Lets the API server choose among the candidates by version, where it offers that (KEP-4355); elsewhere they elect as usual. */
  readonly coordinated?: CandidateVersions;
}

export interface LeadOptions {
  readonly signal: AbortSignal;
  /**
   * The work. Its signal aborts when it is to end; it must have stopped acting when it returns. `lost` aborts when the lease was lost, also
   * after a stop had begun: no time is left then.
   */
  readonly lead: (signal: AbortSignal, lost: AbortSignal) => Promise<void>;
  /**
   * What happens after a loss: `throw` (default), since a process that lost is best started afresh; or `campaign`: try to be elected again
   * once `lead` has ended.
   */
  readonly onLoss?: 'throw' | 'campaign';
}

export interface LeaderElector extends Leadership {
  /**
   * Waits for the lease, then runs `lead` until it ends, `signal` aborts, or the lease is lost; then its signal aborts, with a
   * LeadershipLostError in the last case.
   * @throws LeadershipLostError when the lease was lost, as soon as `lead` has ended or the lease could pass on; what `lead` threw.
   */
  run(options: LeadOptions): Promise<void>;
  readonly isLeader: boolean;
  /** Who holds the lease, as last seen; undefined before the first look. */
  readonly holder: string | undefined;
  /** An error text when this candidate leads but has not renewed for `leaseDuration` and `toleranceMs` more. */
  check(toleranceMs?: number): string | undefined;
  /** What an operator wants to see of it. */
  diagnose(): ElectionDiagnosis;
}

export interface ElectionDiagnosis {
  readonly lease: string;
  readonly identity: string;
  readonly leading: boolean;
  readonly holder: string | undefined;
  readonly transitions: number | undefined;
  /** How long this process may still act without a renewal, milliseconds; undefined while it does not lead. */
  readonly actingLeftMs: number | undefined;
  readonly coordinated: boolean;
}
