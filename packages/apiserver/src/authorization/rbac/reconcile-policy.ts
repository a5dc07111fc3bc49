// Brings the stored RBAC objects up to the default ones: makes what is missing, adds missing rules, subjects, labels and
// annotations, and takes nothing away (spec/apiserver.md §17.1). Objects whose autoupdate annotation is "false" belong to
// the administrator and are left alone.

import type { KubeObject } from '@homeostat/machinery';
import { type AggregatedRoleObject, autoupdateAnnotation } from './bootstrap-policy.ts';
import type { Subject } from './policy-rule.ts';
import type { BindingObject } from './rbac-policy.ts';
import { uncoveredRules, compactRules } from './rule-coverage.ts';

/** What to do with one default object. */
export type PolicyRepair<T extends KubeObject> =
  { readonly action: 'none' } | { readonly action: 'create' | 'update' | 'recreate'; readonly object: T };

export function repairRole(
  stored: AggregatedRoleObject | undefined,
  wanted: AggregatedRoleObject,
): PolicyRepair<AggregatedRoleObject> {
  if (stored === undefined) return { action: 'create', object: wanted };
  if (isFrozen(stored)) return { action: 'none' };
  const metadata = mergedMetadata(stored, wanted);
  const missingRules = compactRules(uncoveredRules(stored.rules ?? [], wanted.rules ?? []));
  const aggregation = mergedAggregation(stored, wanted);
  if (metadata === undefined && missingRules.length === 0 && aggregation === undefined) return { action: 'none' };
  return {
    action: 'update',
    object: {
      ...stored,
      metadata: metadata ?? stored.metadata,
      rules: missingRules.length === 0 ? stored.rules : [...(stored.rules ?? []), ...missingRules],
      ...(aggregation === undefined ? {} : { aggregationRule: aggregation }),
    } as AggregatedRoleObject,
  };
}

export function repairBinding(stored: BindingObject | undefined, wanted: BindingObject): PolicyRepair<BindingObject> {
  if (stored === undefined) return { action: 'create', object: wanted };
  if (isFrozen(stored)) return { action: 'none' };
  const { kind, name } = stored.roleRef;
  // A roleRef cannot change: the binding is deleted and made again.
  if (kind !== wanted.roleRef.kind || name !== wanted.roleRef.name) return { action: 'recreate', object: wanted };
  const metadata = mergedMetadata(stored, wanted);
  const held = new Set((stored.subjects ?? []).map(subjectText));
  const missing = (wanted.subjects ?? []).filter((subject) => !held.has(subjectText(subject)));
  if (metadata === undefined && missing.length === 0) return { action: 'none' };
  return {
    action: 'update',
    object: {
      ...stored,
      metadata: metadata ?? stored.metadata,
      subjects: [...(stored.subjects ?? []), ...missing],
    } as BindingObject,
  };
}

function isFrozen(stored: KubeObject): boolean {
  return stored.metadata?.annotations?.[autoupdateAnnotation] === 'false';
}

/** The stored metadata with wanted labels and annotations put back; undefined when none is missing. */
function mergedMetadata(stored: KubeObject, wanted: KubeObject): KubeObject['metadata'] | undefined {
  const labels = { ...stored.metadata?.labels, ...wanted.metadata?.labels };
  const annotations = { ...wanted.metadata?.annotations, ...stored.metadata?.annotations };
  if (sameMap(labels, stored.metadata?.labels) && sameMap(annotations, stored.metadata?.annotations)) return undefined;
  return { ...stored.metadata, labels, annotations };
}

function sameMap(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);
}

function mergedAggregation(
  stored: AggregatedRoleObject,
  wanted: AggregatedRoleObject,
): AggregatedRoleObject['aggregationRule'] | undefined {
  const held = stored.aggregationRule?.clusterRoleSelectors ?? [];
  const texts = new Set(held.map((selector) => JSON.stringify(selector)));
  const missing = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (each) => !texts.has(JSON.stringify(each)),
  );
  return missing.length === 0 ? undefined : { clusterRoleSelectors: [...held, ...missing] };
}

function subjectText(subject: Subject): string {
  return JSON.stringify([subject.kind, subject.apiGroup ?? '', subject.namespace ?? '', subject.name]);
}
