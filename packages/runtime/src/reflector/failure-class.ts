// What a failed list or watch means for the reflector: whether its place in the history is lost, whether the resource is there at
// all, how long the server asks to be left alone.

import {
  apiErrorOf,
  isExpired,
  isInvalid,
  isNotFound,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isTransportError,
} from '@homeostat/client';

export type FailureClass =
  /** The version asked for can't be served: too old, or not reached yet. */
  | 'version-gone'
  /** No answer, or one that says nothing about the resource (401, 429, 503): whatever was seen still holds. */
  | 'unreachable'
  /** The server does not serve the resource. */
  | 'not-served'
  /** The server does not understand the request: one of an older or a lesser kind. */
  | 'not-understood'
  /** The server failed inside, or sent what can't be read. */
  | 'internal'
  | 'other';

/** The class of what a list or watch ended with. */
export function classifyFailure(error: unknown): FailureClass {
  if (isExpired(error) || isTooLargeResourceVersion(error)) return 'version-gone';
  const answer = apiErrorOf(error);
  // Without an answer it was the network, or a credential plugin.
  if (answer === undefined || isTransportError(error) || isTooManyRequests(error)) return 'unreachable';
  if (answer.code === 401 || answer.code === 503) return 'unreachable';
  if (isNotFound(error)) return 'not-served';
  if (isInvalid(error) || answer.code === 400) return 'not-understood';
  return answer.code >= 500 ? 'internal' : 'other';
}

/** Longest time that a server is obeyed for when it says when to come back. */
const retryAfterMaxMs = 60_000;

/** How long the server asks to be left alone; 0 when it does not. */
export function retryAfterMs(error: unknown): number {
  return Math.min((apiErrorOf(error)?.retryAfterSeconds ?? 0) * 1000, retryAfterMaxMs);
}
