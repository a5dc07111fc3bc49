// Validation of Pods: at create, and what an update through the main endpoint may change.
// Follows spec/apiserver.md §13.1 and §13.5.

import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  type Mutable,
  rangeText,
  required,
} from '@homeostat/machinery';
import type { Container, Pod, PodSpec } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import {
  validateAnnotationsMatchFields,
  validatePodAnnotations,
  validatePodAnnotationsUpdate,
} from '../../pod-spec/annotations.ts';
import { validateImagePadding } from '../../pod-spec/containers.ts';
import { validateOnlyDeletedSchedulingGates } from '../../pod-spec/gates.ts';
import { podSpecGoForm } from '../../pod-spec/go-form.ts';
import { type PodSpecOptions, podSpecOptions } from '../../pod-spec/options.ts';
import { validatePodSpec } from '../../pod-spec/pod-spec.ts';
import { validateOnlyAddedTolerations } from '../../pod-spec/tolerations.ts';
import { jsonDiff } from '../../rules/json-diff.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { int32Max } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';
import { withoutGatedChanges } from './gated-changes.ts';

export const metadataPath = new FieldPath('metadata');
export const specPath = new FieldPath('spec');
export const annotationsPath = metadataPath.child('annotations');

export function specOf(pod: Pod): PodSpec {
  return pod.spec ?? { containers: [] };
}

/** Options for a Pod that replaces `old`. */
export function podOptions(old?: Pod): PodSpecOptions {
  return old === undefined
    ? podSpecOptions(true)
    : podSpecOptions(true, { spec: specOf(old), metadata: old.metadata ?? {} });
}

export function validatePodCreate(pod: Pod): FieldError[] {
  const spec = specOf(pod);
  const errors = validatePod(pod, podOptions());
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  }
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  }
  validateAnnotationsMatchFields(pod.metadata?.annotations, spec, specPath, errors);
  return errors;
}

/** Metadata and spec, as every write of a Pod checks them. */
export function validatePod(pod: Pod, options: PodSpecOptions): FieldError[] {
  const spec = specOf(pod);
  const metadata = pod.metadata ?? {};
  const errors = validateKubeObjectMeta(metadata, { namespaced: true, name: nameIsDnsSubdomain }, metadataPath);
  validatePodAnnotations(metadata.annotations, spec, annotationsPath, errors, options);
  validatePodSpec(spec, metadata, specPath, errors, options);
  if ((spec.serviceAccountName ?? '') === '') validateNoTokens(spec, errors);
  for (const field of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[field] ?? []).entries()) {
      validateImagePadding(container, specPath.child(field).index(index), errors);
    }
  }
  return errors;
}

function validateNoTokens(spec: PodSpec, errors: FieldError[]): void {
  for (const [index, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [sourceIndex, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (serviceAccountToken === undefined) continue;
      const at = specPath.child('volumes').index(index).child('projected', 'sources').index(sourceIndex);
      errors.push(
        forbidden(at.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set'),
      );
    }
  }
}

export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const options = podOptions(old);
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  const errors = [
    ...validateKubeObjectMetaUpdate(pod.metadata ?? {}, old.metadata ?? {}, metadataPath),
    ...validatePod(pod, options),
  ];
  validatePodAnnotationsUpdate(pod.metadata?.annotations, old.metadata?.annotations, annotationsPath, errors);
  validatePodAnnotations(pod.metadata?.annotations, spec, annotationsPath, errors, options);
  for (const field of ['containers', 'initContainers'] as const) {
    if (!validateSameContainers(spec[field], oldSpec[field], specPath.child(field), errors)) return errors;
  }
  validateDeadline(
    spec.activeDeadlineSeconds,
    oldSpec.activeDeadlineSeconds,
    specPath.child('activeDeadlineSeconds'),
    errors,
  );
  validateOnlyAddedTolerations(spec.tolerations, oldSpec.tolerations, specPath.child('tolerations'), errors, options);
  validateOnlyDeletedSchedulingGates(
    spec.schedulingGates,
    oldSpec.schedulingGates,
    specPath.child('schedulingGates'),
    errors,
  );
  validateRestUnchanged(spec, oldSpec, errors);
  return errors;
}

/** Whether both have as many containers; then only their images may differ. */
function validateSameContainers(
  containers: readonly Container[] | undefined,
  old: readonly Container[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): boolean {
  if ((containers ?? []).length !== (old ?? []).length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'));
    return false;
  }
  for (const [index, container] of (containers ?? []).entries()) {
    if ((container.image ?? '') === '') errors.push(required(path.index(index).child('image')));
    validateImagePadding(container, path.index(index), errors);
  }
  return true;
}

function validateDeadline(
  seconds: number | undefined,
  old: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (seconds === undefined) {
    if (old !== undefined) errors.push(invalid(path, null, 'must not update from a positive integer to nil value'));
    return;
  }
  if (seconds < 0 || seconds > int32Max) errors.push(invalid(path, seconds, rangeText(0, int32Max)));
  if (old !== undefined && old < seconds)
    errors.push(invalid(path, seconds, 'must be less than or equal to previous value'));
}

const specSchema = structByName('io.k8s.api.core.v1.PodSpec');

export function sameSpec(a: PodSpec, b: PodSpec): boolean {
  return semanticEqual(a, b, specSchema);
}

function validateRestUnchanged(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  if (sameSpec(spec, old)) return;
  const munged: Mutable<PodSpec> = structuredClone(spec) as Mutable<PodSpec>;
  for (const field of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (munged[field] ?? []).entries())
      container.image = old[field]?.[index]?.image ?? '';
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const) keep(munged, old, field);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1) {
    keep(munged, old, 'terminationGracePeriodSeconds');
  }
  if ((old.schedulingGates ?? []).length > 0) withoutGatedChanges(munged, old, specPath, errors);
  if (sameSpec(munged as PodSpec, old)) return;
  const fields = updatableFields.join(',');
  const text = `pod updates may not change fields other than ${fields}\n${jsonDiff(podSpecGoForm(old), podSpecGoForm(munged as PodSpec))}`;
  errors.push(forbidden(specPath, text));
}

const updatableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

function keep(draft: Mutable<PodSpec>, old: PodSpec, field: keyof PodSpec): void {
  const target = draft as Record<string, unknown>;
  if (old[field] === undefined) delete target[field];
  else target[field] = old[field];
}
