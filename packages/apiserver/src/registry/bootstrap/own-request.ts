// Requests the server makes to itself, through its own front door: what it makes is admitted and owned like anything else.

import { ApiError, type Status } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { loopbackUser } from '../../server/user.ts';

export interface OwnRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly object?: unknown;
  /** Media type of a patch. */
  readonly contentType?: string;
}

/** @throws ApiError */
export async function ownRequest(handle: Handle, signal: AbortSignal, request: OwnRequest): Promise<KubeObject> {
  const { method, path, query = '', object, contentType } = request;
  const response = await handle({
    method,
    path,
    query,
    headers: { 'user-agent': 'kube-apiserver', ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    peer: { user: loopbackUser },
    signal,
    wants: 'object',
    ...(object === undefined ? {} : { body: { kind: 'object', object } }),
  });
  const body = response.body.kind === 'object' ? response.body.object : undefined;
  if (response.status >= 400) throw ApiError.fromStatus((body ?? {}) as Partial<Status>, response.status);
  return body as KubeObject;
}
