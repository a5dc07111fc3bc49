// What kind of failure an error is (spec/client.md §1.2, §3.7): the reason decides, the code only where the reason is unknown.
// Causes are looked through, so wrapping an ApiError does not hide it.

import { type ApiError, isApiError } from '@homeostat/base';
import { isTransportError } from '../transport/transport-error.ts';

const reasonCodes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Invalid: 422,
  ServerTimeout: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  Expired: 410,
  ServiceUnavailable: 503,
};

/** The ApiError in an error's chain of causes. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  for (let current = error, depth = 0; depth < 16; depth++) {
    if (isApiError(current)) return current;
    if (!(current instanceof Error)) return undefined;
    current = current.cause;
  }
  return undefined;
}

function matches(error: unknown, reason: string): boolean {
  const found = apiErrorOf(error);
  if (found === undefined) return false;
  if (found.reason === reason) return true;
  return !(found.reason in reasonCodes) && found.code === reasonCodes[reason];
}

export function isNotFound(error: unknown): boolean {
  return matches(error, 'NotFound');
}

export function isConflict(error: unknown): boolean {
  return matches(error, 'Conflict');
}

export function isForbidden(error: unknown): boolean {
  return matches(error, 'Forbidden');
}

export function isInvalid(error: unknown): boolean {
  return matches(error, 'Invalid');
}

export function isTooManyRequests(error: unknown): boolean {
  return matches(error, 'TooManyRequests');
}

/** By reason only: code 409 alone may be a conflict. */
export function isAlreadyExists(error: unknown): boolean {
  return apiErrorOf(error)?.reason === 'AlreadyExists';
}

/** The resourceVersion asked for is gone: reason Expired, or Gone by reason or code. */
export function isExpired(error: unknown): boolean {
  return apiErrorOf(error)?.reason === 'Expired' || matches(error, 'Gone');
}

/** The server has not reached the resourceVersion asked for. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  const found = apiErrorOf(error);
  if (found === undefined) return false;
  const causes = found.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  // Old servers say it in words only.
  const text = 'Too large resource version';
  return (
    found.reason === 'Timeout' &&
    (found.message.includes(text) || causes.some((cause) => cause.message?.includes(text)))
  );
}

/** A create into a namespace that is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return apiErrorOf(error)?.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false;
}

/** Whether it is unknown if the server carried the request out. */
export function isUncertain(error: unknown): boolean {
  const found = apiErrorOf(error);
  if (found === undefined) return !isTransportError(error, 'refused');
  return found.code === 504 || found.code === 500 || found.reason === 'Timeout' || found.reason === 'ServerTimeout';
}
