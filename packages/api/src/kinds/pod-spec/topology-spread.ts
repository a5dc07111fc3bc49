// Topology spread constraints.

import { duplicate, type FieldError, type FieldPath, invalid, required } from '@homeostat/machinery';
import type { TopologySpreadConstraint } from '@homeostat/api/types/core-v1';
import { validateLabelSelector } from '../rules/labels.ts';
import { validatePositive, validateSupported } from '../rules/values.ts';
import { validateMatchLabelKeys, validateUnmergedMatchLabelKeys } from './match-label-keys.ts';
import type { PodSpecOptions } from './options.ts';

export function validateSpreadConstraints(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const list = constraints ?? [];
  const lastIndex = new Map(list.map((constraint, index) => [identity(constraint), index]));
  for (const [index, constraint] of list.entries()) {
    const at = path.index(index);
    validatePositive(constraint.maxSkew, at.child('maxSkew'), errors);
    const key = constraint.topologyKey ?? '';
    if (key === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
    const action: string = constraint.whenUnsatisfiable ?? '';
    validateSupported(action, ['DoNotSchedule', 'ScheduleAnyway'], at.child('whenUnsatisfiable'), errors);
    if (lastIndex.get(identity(constraint)) !== index) {
      errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), identity(constraint)));
    }
    validateMinDomains(constraint.minDomains, action, at.child('minDomains'), errors);
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const value = constraint[policy];
      if (value !== undefined) validateSupported(value, ['Honor', 'Ignore'], at.child(policy), errors);
    }
    if (options.allowInvalidSpreadLabelKeys) {
      validateUnmergedMatchLabelKeys(constraint, at.child('matchLabelKeys'), errors);
    } else validateMatchLabelKeys(constraint, at, errors);
    if (!options.allowInvalidSpreadSelectors) {
      validateLabelSelector(constraint.labelSelector, at.child('labelSelector'), errors);
    }
  }
}

function identity({ topologyKey, whenUnsatisfiable }: Partial<TopologySpreadConstraint>): string {
  return `{${topologyKey ?? ''}, ${whenUnsatisfiable ?? ''}}`;
}

function validateMinDomains(domains: number | undefined, action: string, path: FieldPath, errors: FieldError[]): void {
  if (domains === undefined) return;
  validatePositive(domains, path, errors);
  if (action === 'DoNotSchedule') return;
  errors.push(invalid(path, domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`));
}
