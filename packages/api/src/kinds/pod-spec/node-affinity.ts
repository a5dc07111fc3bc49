// Node selectors, in the affinity of Pods and PersistentVolumes.

import { type FieldError, type FieldPath, forbidden, invalid, isLabelValue, required } from '@homeostat/machinery';
import type {
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from '@homeostat/api/types/core-v1';
import { validateLabelName } from '../rules/labels.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';

export function validateNodeAffinity(
  affinity: NodeAffinity,
  allowInvalidValues: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed,
    preferredDuringSchedulingIgnoredDuringExecution: wanted,
  } = affinity;
  if (needed !== undefined) {
    validateNodeSelector(
      needed,
      allowInvalidValues,
      path.child('requiredDuringSchedulingIgnoredDuringExecution'),
      errors,
    );
  }
  const wantedPath = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [index, { weight = 0, preference }] of (wanted ?? []).entries()) {
    const at = wantedPath.index(index);
    validateWeight(weight, at.child('weight'), errors);
    validateNodeSelectorTerm(preference ?? {}, true, at.child('preference'), errors);
  }
}

export function validateWeight(weight: number, path: FieldPath, errors: FieldError[]): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(path, weight, 'must be in the range 1-100'));
}

export function validateNodeSelector(
  selector: NodeSelector,
  allowInvalidValues: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const at = path.child('nodeSelectorTerms');
  if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
  for (const [index, term] of terms.entries())
    validateNodeSelectorTerm(term, allowInvalidValues, at.index(index), errors);
}

export function validateNodeSelectorTerm(
  term: NodeSelectorTerm,
  allowInvalidValues: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, requirement] of (term.matchExpressions ?? []).entries()) {
    validateExpression(requirement, allowInvalidValues, path.child('matchExpressions').index(index), errors);
  }
  for (const [index, requirement] of (term.matchFields ?? []).entries()) {
    validateField(requirement, path.child('matchFields').index(index), errors);
  }
}

function validateExpression(
  requirement: NodeSelectorRequirement,
  allowInvalidValues: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const values = requirement.values ?? [];
  const at = path.child('values');
  switch (requirement.operator as string | undefined) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  }
  validateLabelName(requirement.key ?? '', path.child('key'), errors);
  if (allowInvalidValues) return;
  for (const [index, value] of values.entries()) pushInvalid(isLabelValue(value), value, at.index(index), errors);
}

function validateField(requirement: NodeSelectorRequirement, path: FieldPath, errors: FieldError[]): void {
  const values = requirement.values ?? [];
  if (requirement.operator === 'In' || requirement.operator === 'NotIn') {
    if (values.length !== 1) {
      const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
      errors.push(required(path.child('values'), text));
    }
  } else errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  if (requirement.key !== 'metadata.name') {
    errors.push(invalid(path.child('key'), requirement.key ?? '', 'not a valid field selector key'));
    return;
  }
  for (const [index, value] of values.entries()) {
    pushInvalid(nameIsDnsSubdomain(value, false), value, path.child('values').index(index), errors);
  }
}
