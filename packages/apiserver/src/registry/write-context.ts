// What the registry's pipelines know of the request that writes.

import type { StrategyContext } from '@homeostat/api';
import type { KubeObject } from '@homeostat/machinery';
import type { User } from '../server/user.ts';
import type { WarningRecorder } from '../server/warnings.ts';
import type { TermGuard } from './term-guard.ts';

export interface WriteContext {
  readonly user: User;
  readonly signal: AbortSignal;
  readonly warnings: WarningRecorder;
  readonly dryRun: boolean;
  /** apiVersion of the endpoint. */
  readonly requestVersion: string;
  /** Set when the writer wants the write only as the leader of a term. */
  readonly term?: TermGuard | undefined;
}

/** Validating admission, called with the final object. */
export type ValidateCreate = (object: KubeObject) => Promise<void> | void;
export type ValidateUpdate = (object: KubeObject, old: KubeObject) => Promise<void> | void;
export type ValidateDelete = (object: KubeObject) => Promise<void> | void;

/** What hooks see. Expressions are loaded for objects that have some: a server without them never pays. */
export async function strategyContext(
  context: WriteContext,
  nowMs: number,
  needsCel: boolean,
): Promise<StrategyContext> {
  const { user, requestVersion, warnings } = context;
  return {
    nowMs,
    user,
    requestVersion,
    cel: needsCel ? await import('@homeostat/machinery/cel') : undefined,
    addWarning: (text) => warnings.add(text),
  };
}
