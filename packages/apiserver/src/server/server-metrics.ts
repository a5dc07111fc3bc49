// The request metrics, under upstream's names and labels.

import type { Metrics } from '@homeostat/base';
import type { RequestInfo } from './request-info.ts';

const secondsBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const knownVerbs = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'proxy',
]);

export interface RequestMetrics {
  /** Counts a request as under way; call the result when it is answered. */
  started(info: RequestInfo, method: string, longRunning: boolean): (code: number, seconds: number) => void;
  watchEvents(info: RequestInfo, kind: string, count: number): void;
}

export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const labelNames = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'dry_run', 'code'];
  const total = metrics.counter({
    name: 'apiserver_request_total',
    help: 'Requests answered, by verb, resource and status code',
    labelNames,
  });
  const duration = metrics.histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from arrival to answer, in seconds',
    labelNames: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'dry_run'],
    buckets: secondsBuckets,
  });
  const inflight = metrics.gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests being worked on, by kind',
    labelNames: ['request_kind'],
  });
  const longRunning = metrics.gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Open watches, logs and connections',
    labelNames: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
  });
  const watchEvents = metrics.counter({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to watchers',
    labelNames: ['group', 'version', 'kind'],
  });
  return {
    started: (info, method, long) => {
      const where = labelsOf(info, method);
      const kind = { request_kind: isMutating(method) ? 'mutating' : 'readOnly' };
      if (long) longRunning.add(1, where);
      else inflight.add(1, kind);
      return (code, seconds) => {
        if (long) longRunning.add(-1, where);
        else inflight.add(-1, kind);
        total.inc({ ...where, dry_run: '', code: String(code) });
        if (!long) duration.observe(seconds, { ...where, dry_run: '' });
      };
    },
    watchEvents: (info, kind, count) => watchEvents.inc({ group: info.group, version: info.version, kind }, count),
  };
}

function isMutating(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** Paths that name no resource are one series: labels must stay bounded. */
function labelsOf(info: RequestInfo, method: string): Record<string, string> {
  const verb = info.isResourceRequest && knownVerbs.has(info.verb) ? info.verb.toUpperCase() : method;
  const scope = !info.isResourceRequest
    ? ''
    : info.namespace !== ''
      ? 'namespace'
      : info.name === ''
        ? 'cluster'
        : 'resource';
  return {
    verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    scope,
    component: 'apiserver',
  };
}
