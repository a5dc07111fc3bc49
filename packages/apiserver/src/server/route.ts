// Non-resource endpoints (health, version, discovery, OpenAPI, metrics): a table the server core consults for every
// request that names no resource. Authorization has passed when a route runs.

import type { ApiResponse } from '@homeostat/client';
import type { RequestContext } from './request-context.ts';

export interface Route {
  /** Exact path, e.g. `/version`; with `prefix` everything below it (`/healthz/…`) too. */
  readonly path: string;
  readonly prefix?: boolean;
  /** Methods served, upper case; others are answered 405. Default: GET only. */
  readonly methods?: readonly string[];
  /** Listed in the index at `/`; default true. */
  readonly listed?: boolean;
  /** Further paths this route adds to the index, e.g. `/healthz/ping`; asked at each listing. */
  indexPaths?(): readonly string[];
  /** Answers, or returns undefined for "no such path" (404). @throws ApiError */
  handle(context: RequestContext): Promise<ApiResponse | undefined> | ApiResponse | undefined;
}
