// Served kinds that upstream calls deprecated: every request for one carries a warning (spec/apiserver.md §4.9).

import type { RequestInfo } from './request-info.ts';

const deprecated: Readonly<Record<string, string>> = {
  '/v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  '/v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
};

export function deprecationOf(info: RequestInfo): string | undefined {
  return deprecated[`${info.group}/${info.version}/${info.resource}`];
}
