// The API errors that name a kind or resource, in upstream's exact words (spec/apiserver.md §3).

import { ApiError, type StatusCause, type StatusDetails } from '@homeostat/base';
import { type GroupResource, type GroupVersionKind, toGroupResource } from './meta/group-version.ts';
import { aggregateFieldErrors, type FieldError, toCause } from './field-error.ts';

function detailsOf(gr: GroupResource, name: string, more: Partial<StatusDetails> = {}): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    ...(gr.resource === '' ? {} : { kind: gr.resource }),
    ...more,
  };
}

/** 404 NotFound: `pods "a" not found`. */
export function newNotFound(gr: GroupResource, name: string): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${toGroupResource(gr)} "${name}" not found`,
    details: detailsOf(gr, name),
  });
}

/** 409 AlreadyExists: `pods "a" already exists`. */
export function newAlreadyExists(gr: GroupResource, name: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${toGroupResource(gr)} "${name}" already exists`,
    details: detailsOf(gr, name),
  });
}

/** 409 Conflict: `Operation cannot be fulfilled on pods "a": …`. */
export function newConflict(gr: GroupResource, name: string, text: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${toGroupResource(gr)} "${name}": ${text}`,
    details: detailsOf(gr, name),
  });
}

/** The text of an optimistic concurrency conflict. */
export const optimisticLockText =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 403 Forbidden: `pods "a" is forbidden: …`. */
export function newForbidden(gr: GroupResource, name: string, text: string): ApiError {
  const resource = toGroupResource(gr);
  let message: string;
  if (gr.resource === '' && name === '') message = `forbidden: ${text}`;
  else if (name === '') message = `${resource} is forbidden: ${text}`;
  else message = `${resource} "${name}" is forbidden: ${text}`;
  return new ApiError({ code: 403, reason: 'Forbidden', message, details: detailsOf(gr, name) });
}

/** 422 Invalid with all field errors: `Pod "a" is invalid: [spec.x: Required value, …]`. */
export function newInvalid(gk: { group: string; kind: string }, name: string, errors: readonly FieldError[]): ApiError {
  const kind = gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
  const text = aggregateFieldErrors(errors);
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${kind} "${name}" is invalid${text === '' ? '' : `: ${text}`}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(gk.group === '' ? {} : { group: gk.group }),
      ...(gk.kind === '' ? {} : { kind: gk.kind }),
      ...(errors.length === 0 ? {} : { causes: errors.map(toCause) }),
    },
  });
}

/** 400 BadRequest with no details. */
export function newBadRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** 401 Unauthorized. */
export function newUnauthorized(message = 'Unauthorized'): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message });
}

/** 405 MethodNotAllowed: `create is not supported on resources of kind "pods"`. */
export function newMethodNotSupported(gr: GroupResource, action: string): ApiError {
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${action} is not supported on resources of kind "${toGroupResource(gr)}"`,
    details: detailsOf(gr, ''),
  });
}

/** 410 Expired (watch or list from a revision that is gone). */
export function newExpired(message: string): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message });
}

/** 500 InternalError: `Internal error occurred: …`. */
export function newInternalError(error: unknown): ApiError {
  const text = error instanceof Error ? error.message : String(error);
  const causes: StatusCause[] = [{ message: text }];
  return new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${text}`,
    details: { causes },
    cause: error,
  });
}

/** A plain Go error that reached the wire: 500 with an empty reason. */
export function newUnknown(message: string): ApiError {
  return new ApiError({ code: 500, reason: '', message });
}

/** 429 TooManyRequests with Retry-After. */
export function newTooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

/** 504 Timeout for a resourceVersion that the server has not reached. */
export function newTooLargeResourceVersion(
  wanted: string | number,
  current: string | number,
  retryAfterSeconds = 1,
): ApiError {
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}

/** 504 Timeout: `Timeout: …`. */
export function newTimeout(message: string): ApiError {
  return new ApiError({ code: 504, reason: 'Timeout', message: `Timeout: ${message}` });
}

/** The group and kind of a GVK, as {@link newInvalid} takes them. */
export function kindOf(gvk: GroupVersionKind): { group: string; kind: string } {
  return { group: gvk.group, kind: gvk.kind };
}
