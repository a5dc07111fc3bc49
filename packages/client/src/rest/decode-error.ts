// Bad answers as ApiError (spec/client.md §1.2): the server's Status when there is one, else a Status made from the code.

import { ApiError, type Status, type StatusDetails } from '@homeostat/base';
import { toGroupResource } from '@homeostat/machinery';
import type { ApiResponse } from '../transport/transport.ts';
import { readBody, toText } from './body.ts';

/** What was asked, for messages. */
export interface RequestSubject {
  readonly method: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string | undefined;
}

/** A Status is short; what follows is not read. */
const errorBytesMax = 1024 * 1024;

/** The error of an answer with a status of 300 or more. Uses up the body. */
export async function decodeError(response: ApiResponse, subject: RequestSubject): Promise<ApiError> {
  const value = await readBody(response, errorBytesMax);
  const retryAfterSeconds = retryAfterOf(response);
  if (isFailure(value)) return withRetryAfter(ApiError.fromStatus(value, response.status), retryAfterSeconds);
  const text = typeof value === 'string' ? value : value === undefined ? '' : toText(value);
  return genericError(response.status, subject, text.trim().slice(0, 2048), retryAfterSeconds);
}

/** Whether a decoded body is a Status that tells of a failure. */
export function isFailure(value: unknown): value is Status {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Status).kind === 'Status' &&
    (value as Status).status !== 'Success'
  );
}

/** Whole seconds of a Retry-After header; undefined when absent or not a number. */
export function retryAfterOf(response: ApiResponse): number | undefined {
  const header = response.headers['retry-after'];
  return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : undefined;
}

function withRetryAfter(error: ApiError, retryAfterSeconds: number | undefined): ApiError {
  if (retryAfterSeconds === undefined || error.retryAfterSeconds !== undefined) return error;
  const { code, reason, message, metadata } = error;
  return new ApiError({ code, reason, message, metadata, details: { ...error.details, retryAfterSeconds } });
}

function genericError(
  code: number,
  subject: RequestSubject,
  text: string,
  retryAfterSeconds: number | undefined,
): ApiError {
  const { reason, message } = describe(code, subject.method, text);
  const { group = '', resource = '', name = '' } = subject;
  const suffix =
    resource === ''
      ? ''
      : ` (${[subject.method.toLowerCase(), toGroupResource({ group, resource }), name].filter((part) => part !== '').join(' ')})`;
  const details: StatusDetails = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(resource === '' ? {} : { kind: resource }),
    causes: [{ reason: 'UnexpectedServerResponse', message: text === '' ? 'unknown' : text }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return new ApiError({ code, reason, message: `${message}${suffix}`, details });
}

function describe(code: number, method: string, text: string): { readonly reason: string; readonly message: string } {
  const said = text === '' ? 'unknown' : text;
  switch (code) {
    case 400:
      return { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' };
    case 401:
      return { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' };
    case 403:
      return { reason: 'Forbidden', message: said };
    case 404:
      return { reason: 'NotFound', message: 'the server could not find the requested resource' };
    case 405:
      return { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' };
    case 406:
      return { reason: 'NotAcceptable', message: said };
    case 409:
      return { reason: method === 'POST' ? 'AlreadyExists' : 'Conflict', message: 'the server reported a conflict' };
    case 415:
      return { reason: 'UnsupportedMediaType', message: said };
    case 422:
      return { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' };
    case 429:
      return {
        reason: 'TooManyRequests',
        message: 'the server has received too many requests and has asked us to try again later',
      };
    case 503:
      return { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' };
    case 504:
      return {
        reason: 'Timeout',
        message:
          'the server was unable to return a response in the time allotted, but may still be processing the request',
      };
    default:
      if (code >= 500) {
        const quoted = JSON.stringify(said);
        return {
          reason: 'InternalError',
          message: `an error on the server (${quoted}) has prevented the request from succeeding`,
        };
      }
      return {
        reason: '',
        message: `the server responded with the status code ${code} but did not return more information`,
      };
  }
}
