// `/debug/flags/v`: upstream changes its log level there by PUT; this server has no such switch and says so to every method,
// as upstream does to GET.

import type { Route } from '../server/route.ts';

export function createDebugRoutes(): readonly Route[] {
  return [
    {
      path: '/debug/flags/v',
      listed: false,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      handle: () => ({
        status: 406,
        headers: { 'content-type': 'text/plain' },
        body: { kind: 'bytes', chunks: [Buffer.from('unsupported http method\n')] },
      }),
    },
  ];
}
