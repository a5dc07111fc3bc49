// Validation of a Pod spec, in Pods and in templates. Follows spec/apiserver.md §13.1; the order of
// errors is upstream's.

import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  type ObjectMeta,
  rangeText,
  required,
} from '@homeostat/machinery';
import type { PodSpec } from '@homeostat/api/types/core-v1';
import { validateLabels } from '../rules/labels.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain, type NameRule } from '../rules/names.ts';
import { int32Max, pushInvalid } from '../rules/values.ts';
import {
  type ContainerContext,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './containers.ts';
import { validateDnsConfig, validateDnsPolicy, validateHostAliases } from './dns.ts';
import { validateFileKeyVolumes } from './env.ts';
import type { PodSpecOptions } from './options.ts';
import { validateAffinity } from './pod-affinity.ts';
import { validateHostnameOverride, validateHostUsers, validatePodSecurityContext } from './pod-security.ts';
import { validateHostNetworkPorts } from './ports.ts';
import { claimNamesOf, validatePodResourceClaims } from './resource-claims.ts';
import { validateContainerResources, validatePodLevelResources } from './resources.ts';
import { validateReadinessGates, validateSchedulingGates } from './gates.ts';
import { validateTolerations } from './tolerations.ts';
import { validateSpreadConstraints } from './topology-spread.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcess, validateOs } from './windows.ts';

/** Validates a spec. `metadata` is the Pod's; templates have none here. */
export function validatePodSpec(
  spec: PodSpec,
  metadata: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (spec.terminationGracePeriodSeconds === undefined)
    errors.push(required(path.child('terminationGracePeriodSeconds')));
  const volumes = validateVolumes(spec.volumes, metadata, path.child('volumes'), errors, options);
  const claimNames = claimNamesOf(spec.resourceClaims);
  validatePodResourceClaims(spec.resourceClaims, metadata, path.child('resourceClaims'), errors);
  const context: ContainerContext = { spec, volumes, claimNames, options };
  validateContainers(context, path.child('containers'), errors);
  validateInitContainers(context, path.child('initContainers'), errors);
  validateEphemeralContainers(context, path.child('ephemeralContainers'), errors);
  validatePodLevelResources(spec, claimNames, path.child('resources'), errors, options);
  validateHostNetworkPorts(spec, path, errors, options);
  validateRestartPolicy(spec.restartPolicy ?? '', path.child('restartPolicy'), errors);
  validateDnsPolicy(spec.dnsPolicy ?? '', path.child('dnsPolicy'), errors);
  validateLabels(spec.nodeSelector, path.child('nodeSelector'), errors);
  validatePodSecurityContext(spec, path.child('securityContext'), errors, options);
  validateAffinity(spec.affinity, path.child('affinity'), errors, options);
  validateDnsConfig(spec, path.child('dnsConfig'), errors);
  validateReadinessGates(spec.readinessGates, path.child('readinessGates'), errors);
  validateSchedulingGates(spec.schedulingGates, path.child('schedulingGates'), errors);
  validateSpreadConstraints(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), errors, options);
  validateHostProcess(spec, path, errors);
  validateHostUsers(spec, path, errors, options);
  validateHostnameOverride(spec, path, errors);
  validateNames(spec, path, errors, options);
  if (spec.overhead !== undefined) {
    validateContainerResources({ limits: spec.overhead }, new Set(), path.child('overhead'), errors, options);
  }
  validateOs(spec, path, errors);
  validateSchedulingGroup(spec, path.child('schedulingGroup', 'podGroupName'), errors);
  validateFileKeyVolumes(spec, path, errors);
}

function validateRestartPolicy(policy: string, path: FieldPath, errors: FieldError[]): void {
  const policies = ['Always', 'OnFailure', 'Never'];
  if (policy === '') errors.push(required(path));
  else if (!policies.includes(policy)) errors.push(notSupported(path, policy, policies));
}

function validateNames(spec: PodSpec, path: FieldPath, errors: FieldError[], options: PodSpecOptions): void {
  const check = (field: keyof PodSpec, rule: NameRule): void => {
    const value = spec[field];
    if (typeof value === 'string' && value !== '') pushInvalid(rule(value, false), value, path.child(field), errors);
  };
  check('serviceAccountName', nameIsDnsSubdomain);
  check('nodeName', nameIsDnsSubdomain);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > int32Max)) {
    errors.push(invalid(path.child('activeDeadlineSeconds'), deadline, rangeText(1, int32Max)));
  }
  check('hostname', nameIsDnsLabel);
  check('subdomain', nameIsDnsLabel);
  validateTolerations(spec.tolerations, path.child('tolerations'), errors, options);
  validateHostAliases(spec.hostAliases, path.child('hostAliases'), errors);
  check('priorityClassName', nameIsDnsSubdomain);
  const runtimeClass = spec.runtimeClassName;
  if (runtimeClass !== undefined) {
    pushInvalid(nameIsDnsSubdomain(runtimeClass, false), runtimeClass, path.child('runtimeClassName'), errors);
  }
  validatePreemptionPolicy(spec.preemptionPolicy, path.child('preemptionPolicy'), errors);
}

export function validatePreemptionPolicy(policy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const policies = ['PreemptLowerPriority', 'Never'];
  if (policy === undefined) return;
  if (policy === '') errors.push(required(path));
  else if (!policies.includes(policy)) errors.push(notSupported(path, policy, policies));
}

function validateSchedulingGroup(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const group = spec.schedulingGroup;
  if (group === undefined) return;
  const name = group.podGroupName;
  if (name === undefined) errors.push(invalid(path, null, 'must specify one of: `podGroupName`'));
  else pushInvalid(nameIsDnsSubdomain(name, false), name, path, errors);
}
