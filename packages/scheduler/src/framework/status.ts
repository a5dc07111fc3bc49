// What a plugin says of a pod (spec/scheduler.md §0.3). Success is the absence of a status, so that the common case costs nothing.
// Immutable; a status may be shared by many nodes and cycles.

import { InvariantError } from '@homeostat/base';

/** Codes in the order of their severity; also label values of metrics. */
export type StatusCode =
  | 'Success'
  /** Something broke; the cycle ends and the pod is tried again after a back-off. */
  | 'Error'
  /** The pod can't run here now; removing other pods may help. */
  | 'Unschedulable'
  /** The pod can't run here, and no preemption would change that. */
  | 'UnschedulableAndUnresolvable'
  /** Permit only: the binding waits. */
  | 'Wait'
  /** The plugin has nothing to do for this pod. */
  | 'Skip'
  /** The plugin waits for something outside; any event it asked for brings the pod back without back-off. */
  | 'Pending';

export interface StatusOptions {
  readonly code: StatusCode;
  readonly reasons?: readonly string[];
  /** Who said it. */
  readonly plugin?: string;
  /** What broke; its text is the first reason. */
  readonly error?: unknown;
}

export class Status {
  readonly code: StatusCode;
  readonly reasons: readonly string[];
  readonly plugin: string;
  readonly error: unknown;

  constructor({ code, reasons = [], plugin = '', error }: StatusOptions) {
    this.code = code;
    this.reasons = error === undefined ? reasons : [errorText(error), ...reasons];
    this.plugin = plugin;
    this.error = error;
  }

  /** Preemption may help. */
  static unschedulable(plugin: string, ...reasons: readonly string[]): Status {
    return new Status({ code: 'Unschedulable', plugin, reasons });
  }

  /** Preemption can't help. */
  static unresolvable(plugin: string, ...reasons: readonly string[]): Status {
    return new Status({ code: 'UnschedulableAndUnresolvable', plugin, reasons });
  }

  static error(plugin: string, error: unknown): Status {
    return new Status({ code: 'Error', plugin, error });
  }

  static readonly skip = new Status({ code: 'Skip' });

  /** All reasons, as messages show them. */
  get message(): string {
    return this.reasons.join(', ');
  }

  /** The pod was turned down, as opposed to something having broken. */
  get isRejected(): boolean {
    return this.code === 'Unschedulable' || this.code === 'UnschedulableAndUnresolvable' || this.code === 'Pending';
  }
}

/** What plugins answer: undefined is success. */
export type Verdict = Status | undefined;

export function codeOf(verdict: Verdict): StatusCode {
  return verdict === undefined ? 'Success' : verdict.code;
}

/** What a plugin threw, as the status it should have returned. @throws a broken invariant: that must end the process */
export function thrownStatus(error: unknown): Status {
  if (error instanceof InvariantError) throw error;
  return Status.error('', error);
}

/** The status as an error to pass on. */
export function statusError(status: Status): Error {
  return status.error instanceof Error ? status.error : new Error(status.message);
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
