// What may change in a Job. While it is suspended and has no running Pods, where its Pods may go and what they ask for
// can still be changed: that is how queueing systems steer Jobs.

import type { Job, JobSpec } from '@homeostat/api/types/batch-v1';
import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { type FieldError, type FieldPath, invalid, type Mutable } from '@homeostat/machinery';
import { podSpecGoForm, podTemplateGoForm } from '../pod-spec/go-form.ts';
import { toGoForm } from '../rules/go-form.ts';
import { immutableText } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { fieldSchema, validateImmutable, validateImmutableSelector } from '../update-parts.ts';
import { podFailurePolicyForm } from './pod-failure-policy.ts';
import { successPolicyForm } from './success-policy.ts';

const kind = { group: 'batch', version: 'v1', kind: 'Job' };

/** Rules beyond those for the spec alone. */
export function validateJobSpecUpdate(object: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const spec = object.spec ?? ({} as JobSpec);
  const oldSpec = old.spec ?? ({} as JobSpec);
  validateCompletions(spec, oldSpec, path.child('completions'), errors);
  validateImmutableSelector(spec.selector, oldSpec.selector, path.child('selector'), errors);
  validateTemplate(spec, old, path.child('template'), errors);
  validateImmutable(spec.completionMode, oldSpec.completionMode, path.child('completionMode'), errors);
  if (!semanticEqual(spec.podFailurePolicy, oldSpec.podFailurePolicy)) {
    const value = toGoForm(spec.podFailurePolicy, podFailurePolicyForm);
    errors.push(invalid(path.child('podFailurePolicy'), value, immutableText));
  }
  validateImmutable(
    spec.backoffLimitPerIndex,
    oldSpec.backoffLimitPerIndex,
    path.child('backoffLimitPerIndex'),
    errors,
  );
  validateImmutable(spec.managedBy, oldSpec.managedBy, path.child('managedBy'), errors);
  if (!semanticEqual(spec.successPolicy, oldSpec.successPolicy)) {
    const value = toGoForm(spec.successPolicy, successPolicyForm);
    errors.push(invalid(path.child('successPolicy'), value, immutableText));
  }
}

/** An Indexed Job may grow and shrink, when all its indexes run at once. */
function validateCompletions(spec: JobSpec, old: JobSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.completionMode !== 'Indexed') {
    validateImmutable(spec.completions, old.completions, path, errors);
    return;
  }
  if (spec.completions === old.completions || spec.completions === spec.parallelism) return;
  errors.push(invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism'));
}

function validateTemplate(spec: JobSpec, old: Job, path: FieldPath, errors: FieldError[]): void {
  const template = spec.template ?? {};
  const oldTemplate = old.spec?.template ?? {};
  const isSuspended = old.spec?.suspend === true && (old.status?.active ?? 0) === 0;
  if (!isSuspended) {
    if (semanticEqual(template, oldTemplate, fieldSchema(kind, 'spec', 'template'))) return;
    errors.push(invalid(path, podTemplateGoForm(template), immutableText));
    return;
  }
  const allowed = withChangeableParts(oldTemplate, template);
  if (semanticEqual(template.spec, allowed.spec, fieldSchema(kind, 'spec', 'template', 'spec'))) return;
  errors.push(invalid(path.child('spec'), podSpecGoForm(template.spec), immutableText));
}

/** The old template with whatever a suspended Job may change taken from the new one. */
function withChangeableParts(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const draft = structuredClone(old) as Mutable<PodTemplateSpec>;
  const source = structuredClone(template) as Mutable<PodTemplateSpec>;
  const spec = (draft.spec ??= { containers: [] });
  takeNodeAffinity(spec, source.spec);
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) {
    const value = source.spec?.[field];
    if (value === undefined) delete spec[field];
    else Object.assign(spec, { [field]: value });
  }
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      const other = source.spec?.[list]?.[index];
      if (other?.name !== container.name) continue;
      if (other.resources === undefined) delete container.resources;
      else container.resources = other.resources;
    }
  }
  return draft as PodTemplateSpec;
}

function takeNodeAffinity(spec: Mutable<PodTemplateSpec>['spec'], source: Mutable<PodTemplateSpec>['spec']): void {
  if (spec === undefined) return;
  const wanted = source?.affinity;
  if (wanted === undefined) {
    if (spec.affinity === undefined) return;
    delete spec.affinity.nodeAffinity;
    if (Object.keys(spec.affinity).length === 0) delete spec.affinity;
    return;
  }
  spec.affinity ??= {};
  if (wanted.nodeAffinity === undefined) delete spec.affinity.nodeAffinity;
  else spec.affinity.nodeAffinity = wanted.nodeAffinity;
}
