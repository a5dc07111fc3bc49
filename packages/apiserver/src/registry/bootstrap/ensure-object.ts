// Creates an object at start unless it is there; what is there is left as it is.

import { isApiError } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { type OwnRequest, ownRequest } from './own-request.ts';

/** False when it was there already. @throws ApiError */
export async function ensureObject(
  handle: Handle,
  signal: AbortSignal,
  request: Omit<OwnRequest, 'method'>,
): Promise<boolean> {
  // Looked for first: what an earlier start made holds its address, and a create that asks for it again would be invalid.
  if (await isThere(handle, signal, request)) return false;
  try {
    await ownRequest(handle, signal, { method: 'POST', ...request });
    return true;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return false;
    throw error;
  }
}

async function isThere(handle: Handle, signal: AbortSignal, request: Omit<OwnRequest, 'method'>): Promise<boolean> {
  const { metadata } = request.object as KubeObject;
  try {
    await ownRequest(handle, signal, { method: 'GET', path: `${request.path}/${metadata?.name ?? ''}` });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}
