// The evaluator of each resource; those without one of their own are counted.

import type { GroupResource } from '@homeostat/machinery';
import { toGroupResource } from '@homeostat/machinery';
import { claimQuota } from './claim-quota.ts';
import { deviceClaimQuota } from './device-claim-quota.ts';
import { countObjects } from './object-count.ts';
import { podQuota } from './pod-quota.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { serviceQuota } from './service-quota.ts';

/** Evaluators that know more names than `count/…`. */
export const quotaEvaluators: readonly QuotaEvaluator[] = [
  podQuota,
  serviceQuota,
  claimQuota,
  deviceClaimQuota,
  ...['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'].map((resource) =>
    countObjects({ group: '', resource }, resource),
  ),
];

const byResource = new Map(quotaEvaluators.map((evaluator) => [toGroupResource(evaluator.resource), evaluator]));

/** No quota counts these: they are not stored, or, as events, never were counted. */
const uncounted: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
]);

/** Undefined for resources that quotas never count. */
export function quotaEvaluatorOf({ group, resource }: GroupResource): QuotaEvaluator | undefined {
  const text = toGroupResource({ group, resource });
  return uncounted.has(text) ? undefined : (byResource.get(text) ?? countObjects({ group, resource }));
}
