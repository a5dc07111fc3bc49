// Answers that the chain writes itself: errors as a Status in the negotiated media type, and plain texts.

import { ApiError } from '@homeostat/base';
import type { ApiRequest, ApiResponse } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { encodeValue } from '../endpoints/encode-value.ts';
import { negotiate, type OutputMedia } from '../endpoints/media-types.ts';
import { wantsPretty } from '../endpoints/pretty.ts';

const fallback: OutputMedia = { type: 'application/json', pretty: true };

/** Any error as the answer it stands for. Unknown ones are a 500 whose text is the error's, as upstream does. */
export function errorAnswer(request: ApiRequest, query: URLSearchParams, error: unknown): ApiResponse {
  const status = toApiError(error);
  const headers: Record<string, string> = {};
  const retryAfter = status.retryAfterSeconds ?? 0;
  if (retryAfter > 0) headers['retry-after'] = String(retryAfter);
  const value = status.toStatus() as unknown as KubeObject;
  if (request.wants === 'object') return { status: status.code, headers, body: { kind: 'object', object: value } };
  const media = negotiate(request.headers['accept'] ?? '', { table: false, transforms: false }) ?? fallback;
  const encoded = encodeValue(value, media, wantsPretty(query, request.headers['user-agent'] ?? ''));
  headers['content-type'] = encoded.contentType;
  return { status: status.code, headers, body: { kind: 'bytes', chunks: encoded.chunks } };
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (typeof error === 'object' && error !== null && 'toStatus' in error) return error as ApiError;
  return new ApiError({
    code: 500,
    reason: '',
    message: error instanceof Error ? error.message : String(error),
    cause: error,
  });
}

export function textAnswer(status: number, text: string): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: { kind: 'bytes', chunks: [Buffer.from(text)] },
  };
}

export const notFoundText = '404 page not found\n';
