// What the validation of a Pod spec lets through because the stored object already has it (ratcheting), and whether the
// spec is a Pod's or a template's. Feature gates of 1.36 that are on by default are simply the rule; those off by default
// are listed here only where an old object can still use the feature. Follows upstream's `pkg/api/pod/util.go`.

import { type FieldError, FieldPath, isLabelValue, type ObjectMeta } from '@homeostat/machinery';
import type { Affinity, NodeSelectorTerm, PodSpec, PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { validateLabelSelector } from '../rules/labels.ts';
import { isHugePageMultiple, isHugePageResource } from '../rules/resource-names.ts';
import { parseDeletionCost } from '../../meaning/deletion-cost.ts';
import { validateMatchLabelKeys } from './match-label-keys.ts';
import { isHostSysctl } from './sysctls.ts';
import { allContainers, isRestartableInit } from './visit.ts';
import { localNonReservedPathErrors } from './paths.ts';

export interface PodSpecOptions {
  /** A Pod object, not a template in a workload. */
  readonly isPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidNodeAffinityValues: boolean;
  readonly allowInvalidSpreadSelectors: boolean;
  readonly allowInvalidSpreadLabelKeys: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowNonLocalTokenPaths: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowSelinuxMountOption: boolean;
  readonly allowComparisonTolerations: boolean;
  readonly allowUserNamespaceHostNetwork: boolean;
  readonly allowUserNamespaceDevices: boolean;
  readonly allowRestartResizeOfInitContainers: boolean;
}

export interface PodSpecParts {
  readonly spec: PodSpec;
  readonly metadata?: ObjectMeta;
}

const nowhere = new FieldPath();

/** Options for a new spec, or for one that replaces `old`. */
export function podSpecOptions(isPod: boolean, old?: PodSpecParts): PodSpecOptions {
  const spec = old?.spec;
  return {
    isPod,
    allowInvalidDeletionCost: old?.metadata !== undefined && parseDeletionCost(old.metadata.annotations) === undefined,
    allowInvalidSelectorValues: spec !== undefined && hasInvalidSelectors(spec.affinity),
    allowInvalidNodeAffinityValues: spec !== undefined && hasInvalidNodeAffinityValues(spec.affinity),
    allowInvalidSpreadSelectors: spec !== undefined && hasInvalidSpreadSelectors(spec),
    allowInvalidSpreadLabelKeys: spec !== undefined && hasInvalidSpreadLabelKeys(spec),
    allowIndivisibleHugePages: spec !== undefined && hasIndivisibleHugePages(spec),
    allowNonLocalTokenPaths: spec !== undefined && hasNonLocalTokenPaths(spec),
    allowHostSysctls:
      spec !== undefined && (spec.securityContext?.sysctls ?? []).some(({ name }) => isHostSysctl(name, spec)),
    allowSelinuxMountOption: spec?.securityContext?.seLinuxChangePolicy !== undefined,
    allowComparisonTolerations: (spec?.tolerations ?? []).some(
      ({ operator }) => operator === 'Lt' || operator === 'Gt',
    ),
    allowUserNamespaceHostNetwork: spec?.hostUsers === false && spec.hostNetwork === true,
    allowUserNamespaceDevices:
      spec?.hostUsers === false && allContainers(spec).some(({ volumeDevices }) => (volumeDevices ?? []).length > 0),
    allowRestartResizeOfInitContainers: spec !== undefined && hasRestartResizeOfInitContainers(spec),
  };
}

/** Options for the template of a workload. */
export function podTemplateOptions(old?: PodTemplateSpec): PodSpecOptions {
  if (old === undefined) return podSpecOptions(false);
  return podSpecOptions(false, { spec: old.spec ?? { containers: [] }, metadata: old.metadata ?? {} });
}

/** Whether a term has values that no node label could have. */
export function hasInvalidLabelValues(terms: readonly NodeSelectorTerm[] | undefined): boolean {
  return (terms ?? []).some(({ matchExpressions }) =>
    (matchExpressions ?? []).some(({ values }) => (values ?? []).some((value) => isLabelValue(value).length > 0)),
  );
}

function hasInvalidSelectors(affinity: Affinity | undefined): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((side) => {
    const terms = [
      ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
    ];
    return terms.some((term) => {
      const errors: FieldError[] = [];
      validateLabelSelector(term?.labelSelector, nowhere, errors);
      validateLabelSelector(term?.namespaceSelector, nowhere, errors);
      return errors.length > 0;
    });
  });
}

function hasInvalidNodeAffinityValues(affinity: Affinity | undefined): boolean {
  return hasInvalidLabelValues(
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
  );
}

function hasInvalidSpreadSelectors(spec: PodSpec): boolean {
  const errors: FieldError[] = [];
  for (const { labelSelector } of spec.topologySpreadConstraints ?? [])
    validateLabelSelector(labelSelector, nowhere, errors);
  return errors.length > 0;
}

function hasInvalidSpreadLabelKeys(spec: PodSpec): boolean {
  const errors: FieldError[] = [];
  for (const constraint of spec.topologySpreadConstraints ?? []) validateMatchLabelKeys(constraint, nowhere, errors);
  return errors.length > 0;
}

function hasIndivisibleHugePages(spec: PodSpec): boolean {
  const lists = allContainers(spec).flatMap(({ resources }) => [resources?.limits, resources?.requests]);
  return [...lists, spec.overhead].some((list) =>
    Object.entries(list ?? {}).some(
      ([name, quantity]) => isHugePageResource(name) && !isHugePageMultiple(name, quantity),
    ),
  );
}

function hasNonLocalTokenPaths(spec: PodSpec): boolean {
  return (spec.volumes ?? []).some((volume) =>
    (volume.projected?.sources ?? []).some(
      ({ serviceAccountToken: token }) =>
        token !== undefined && localNonReservedPathErrors(token.path ?? '', nowhere).length > 0,
    ),
  );
}

function hasRestartResizeOfInitContainers(spec: PodSpec): boolean {
  return (spec.initContainers ?? []).some(
    (container) =>
      !isRestartableInit(container) &&
      (container.resizePolicy ?? []).some(({ restartPolicy }) => restartPolicy === 'RestartContainer'),
  );
}
