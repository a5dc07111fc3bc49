import type { ApiResponse } from '@homeostat/client';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { EndpointRequest } from './endpoint-request.ts';
export function handlePatch(_request: EndpointRequest, _resource: StoredResource): Promise<ApiResponse> {
  throw new Error('soon');
}
