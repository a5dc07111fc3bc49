// Resources and subresources that store nothing: what is posted is answered (reviews, tokens). The endpoints decode,
// admit and encode around them; implementations are in `authentication/` and `authorization/`.

import type { KubeObject, Mutable } from '@homeostat/machinery';
import type { RequestContext } from './request-context.ts';

export interface VirtualRequest {
  /** The decoded body, defaulted, private to the request: the handler may fill in its status. */
  readonly object: Mutable<KubeObject>;
  readonly namespace: string;
  /** Name of the parent for subresources (`serviceaccounts/<name>/token`), else empty. */
  readonly name: string;
  readonly context: RequestContext;
  readonly dryRun: boolean;
}

export interface VirtualResource {
  readonly group: string;
  readonly resource: string;
  /** Empty or absent for a top-level resource. */
  readonly subresource?: string;
  /** Fills in defaults the schema does not state; before ownership is tracked. */
  applyDefaults?(draft: Mutable<KubeObject>): void;
  /** Answers a POST; the result is sent with 201. @throws ApiError */
  create(request: VirtualRequest): Promise<KubeObject> | KubeObject;
}
