// What a run threw, as an error that can be told and judged: anything may be thrown, several actions of a plan may fail at once.

import { isApiError } from '@homeostat/base';
import type { ActResult } from './act.ts';
import { TerminalError } from './controller-definition.ts';

/** The error itself, or one that says what was thrown in its place. */
export function toRunError(thrown: unknown): Error {
  if (thrown instanceof Error || isApiError(thrown)) return thrown;
  let text: string;
  try {
    text = typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? typeof thrown);
  } catch {
    text = typeof thrown;
  }
  return new Error(`a reconcile threw something that is no error: ${text}`, { cause: thrown });
}

/** Thrown by a defect of code rather than by the world: what Go would call a panic. */
export function isDefect(thrown: unknown): boolean {
  return (
    !(thrown instanceof Error || isApiError(thrown)) ||
    // `fetch` rejects with a TypeError when the network fails, and gives the cause.
    (thrown instanceof TypeError && thrown.cause === undefined) ||
    thrown instanceof ReferenceError ||
    thrown instanceof RangeError
  );
}

/** Whether a retry is pointless: a TerminalError, also as the cause of another error. */
export function isTerminal(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 16; depth++) {
    if (current instanceof TerminalError) return true;
    current = current.cause;
  }
  return false;
}

/** @throws the failure of a plan; several are told together. */
export function throwFailures(result: ActResult): void {
  const failures: Error[] = result.failures.map((failure) => failure.error);
  for (const { reason, message } of result.planFailures) failures.push(new Error(`${reason}: ${message}`));
  const [first, ...rest] = failures;
  if (first === undefined) return;
  if (rest.length === 0) throw first;
  const conflict = failures.find((error) => isApiError(error, 'Conflict'));
  throw new AggregateError(failures, failures.map((error) => error.message).join('; '), { cause: conflict ?? first });
}
