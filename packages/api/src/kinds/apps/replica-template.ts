// The Pod template of a workload against its selector: labels must match, and Pods must be ones that run until they are
// deleted. Shared by the kinds of apps/v1.

import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import type { LabelSelector } from '@homeostat/api/types/meta-v1';
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  labelSelectorAsSelector,
  notSupported,
  required,
  SelectorError,
} from '@homeostat/machinery';
import { podTemplateOptions } from '../pod-spec/options.ts';
import { validatePodTemplateSpec } from '../pod-spec/pod-template.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { printableMap, printableSelector } from '../rules/printable.ts';

export interface ReplicaTemplateRules {
  /** Kind in the text about activeDeadlineSeconds. */
  readonly kind: string;
  /** Word in the text about empty selectors. */
  readonly workload: string;
}

/** A selector that must be there and must not be empty. */
export function validateRequiredSelector(
  selector: LabelSelector | undefined,
  workload: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (selector === undefined) {
    errors.push(required(path));
    return;
  }
  validateLabelSelector(selector, path, errors);
  if (isEmptySelector(selector)) {
    errors.push(invalid(path, printableSelector(selector), `empty selector is invalid for ${workload}`));
  }
}

/** The template, when the selector can be used at all; otherwise one more error about the selector. */
export function validateSelectedTemplate(
  spec: { readonly selector?: LabelSelector; readonly template?: PodTemplateSpec },
  old: PodTemplateSpec | undefined,
  rules: ReplicaTemplateRules,
  path: FieldPath,
  errors: FieldError[],
): void {
  const matches = matcherOf(spec.selector);
  if (matches === undefined) {
    errors.push(invalid(path.child('selector'), printableSelector(spec.selector), 'invalid label selector'));
    return;
  }
  const at = path.child('template');
  if (!matches(spec.template?.metadata?.labels)) errors.push(mismatch(spec.template, at));
  validatePodTemplateSpec(spec.template ?? {}, at, errors, podTemplateOptions(old));
  validateReplicaRestart(spec.template, rules.kind, at, errors);
}

/** Pods of these workloads are restarted for ever. */
export function validateReplicaRestart(
  template: PodTemplateSpec | undefined,
  kind: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy !== 'Always') errors.push(notSupported(path.child('spec', 'restartPolicy'), policy, ['Always']));
  if (template?.spec?.activeDeadlineSeconds !== undefined) {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbidden(path.child('spec', 'activeDeadlineSeconds'), text));
  }
}

export function mismatch(template: PodTemplateSpec | undefined, path: FieldPath): FieldError {
  const labels = printableMap(template?.metadata?.labels);
  return invalid(path.child('metadata', 'labels'), labels, '`selector` does not match template `labels`');
}

/** A predicate on labels: no selector matches nothing. Undefined when the selector makes no sense. */
export function matcherOf(
  selector: LabelSelector | undefined,
): ((labels: Readonly<Record<string, string>> | undefined) => boolean) | undefined {
  if (selector === undefined) return () => false;
  try {
    const parsed = labelSelectorAsSelector(selector);
    return (labels) => parsed.matches(labels ?? {});
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}
