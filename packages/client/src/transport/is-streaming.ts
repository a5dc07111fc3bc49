// Which requests are answered for as long as their reader wants.

import type { ApiRequest } from './transport.ts';

/** Watches and logs are read as they come; everything else at once. */
export function isStreaming({ path, query }: Pick<ApiRequest, 'path' | 'query'>): boolean {
  return (
    /(^|&)(watch|follow)=(true|1)(&|$)/.test(query) || /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log$/.test(path)
  );
}
