// The template of a Pod inside a workload: its defaults and its validation, as every workload kind uses them.

import { type FieldError, type FieldPath, forbidden, type Mutable } from '@homeostat/machinery';
import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { validateAnnotations, validateLabels } from '../rules/labels.ts';
import { validateAnnotationsMatchFields, validatePodAnnotations } from './annotations.ts';
import { defaultPodSpec, dropInitContainerAnnotations } from './defaults.ts';
import { dropDisabledSpecFields } from './disabled-fields.ts';
import type { PodSpecOptions } from './options.ts';
import { validatePodSpec } from './pod-spec.ts';

/** Defaults the template of a workload. */
export function defaultPodTemplateSpec(template: Mutable<PodTemplateSpec>): void {
  dropInitContainerAnnotations(template.metadata?.annotations);
  defaultPodSpec((template.spec ??= { containers: [] }));
}

/** Drops fields of features that are off, unless the template that is replaced uses them. */
export function dropDisabledTemplateFields(
  template: Mutable<PodTemplateSpec> | undefined,
  old: PodTemplateSpec | undefined,
): void {
  if (template?.spec !== undefined) dropDisabledSpecFields(template.spec, old?.spec);
}

/** Validates the template of a workload. `path` is the template's, e.g. `spec.template`. */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const spec = template.spec ?? { containers: [] };
  const annotations = template.metadata?.annotations;
  // The paths leave `metadata` out, as upstream's do.
  validateLabels(template.metadata?.labels, path.child('labels'), errors);
  validateAnnotations(annotations, path.child('annotations'), errors);
  validatePodAnnotations(annotations, spec, path.child('annotations'), errors, options);
  validatePodSpec(spec, undefined, path.child('spec'), errors, options);
  validateAnnotationsMatchFields(annotations, spec, path.child('spec'), errors);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(
      forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
  }
}
