// Which requests are answered for as long as their reader wants.

import type { ApiRequest } from './transport.ts';

/** Watches and followed logs are read as they come; everything else at once. */
export function isStreaming({ query }: Pick<ApiRequest, 'query'>): boolean {
  return /(^|&)(watch|follow)=(true|1)(&|$)/.test(query);
}
