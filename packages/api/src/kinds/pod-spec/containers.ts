// Containers of a Pod spec: ordinary, init and ephemeral ones, by what they share and where they differ.

import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  notFound,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { Container, EphemeralContainer, PodSpec } from '@homeostat/api/types/core-v1';
import { pushInvalid, validateSupported } from '../rules/values.ts';
import { validateContainerSecurityContext } from './container-security.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validateLifecycle, validateProbes } from './handlers.ts';
import type { PodSpecOptions } from './options.ts';
import { validateContainerPorts, validateHostPortConflicts } from './ports.ts';
import { validateResizePolicy } from './resize-policy.ts';
import { type ClaimNames, validateContainerResources } from './resources.ts';
import { validateContainerRestartPolicy, validateInitContainerRestartPolicy } from './restart-rules.ts';
import { isRestartableInit } from './visit.ts';
import { validateVolumeDevices, validateVolumeMounts, type Volumes } from './volume-mounts.ts';

/** What containers are checked against. */
export interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: Volumes;
  readonly claimNames: ClaimNames;
  readonly options: PodSpecOptions;
}

export function validateContainers(context: ContainerContext, path: FieldPath, errors: FieldError[]): void {
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) {
    errors.push(required(path));
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = path.index(index);
    validateCommon(container, context, at, errors);
    const name = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    validateHooks(container, context.spec, at, errors);
    validateContainerRestartPolicy(container, at, errors);
  }
  validateHostPortConflicts(containers, path, errors);
}

export function validateInitContainers(context: ContainerContext, path: FieldPath, errors: FieldError[]): void {
  const names = new Set((context.spec.containers ?? []).map((container) => container.name ?? ''));
  for (const [index, container] of (context.spec.initContainers ?? []).entries()) {
    const at = path.index(index);
    validateCommon(container, context, at, errors);
    validateInitContainerRestartPolicy(container, at, errors);
    const name = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else if (name !== '') names.add(name);
    // Init containers run one after the other, so only ports within one can clash.
    validateHostPortConflicts([container], path, errors);
    if (isRestartableInit(container)) validateHooks(container, context.spec, at, errors);
    else validateNoHooks(container, at, errors);
    if (!isRestartableInit(container) && !context.options.allowRestartResizeOfInitContainers) {
      validateNoRestartOnResize(container, at, errors);
    }
  }
}

export function validateEphemeralContainers(context: ContainerContext, path: FieldPath, errors: FieldError[]): void {
  const { spec } = context;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name ?? ''));
  const names = new Set(others);
  for (const [index, container] of (spec.ephemeralContainers ?? []).entries()) {
    const at = path.index(index);
    validateCommon(container, context, at, errors);
    validateImagePadding(container, at, errors);
    const name = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    const target = container.targetContainerName ?? '';
    if (target !== '' && !others.has(target)) errors.push(notFound(at.child('targetContainerName'), target));
    validateEphemeralFields(container, at, errors);
  }
}

/** Checked for Pods only: templates have been stored with such images. */
export function validateImagePadding(container: Container, path: FieldPath, errors: FieldError[]): void {
  const image = container.image ?? '';
  if (image !== image.trim()) {
    errors.push(invalid(path.child('image'), image, 'must not have leading or trailing whitespace'));
  }
}

function validateCommon(container: Container, context: ContainerContext, path: FieldPath, errors: FieldError[]): void {
  const { spec, volumes, claimNames, options } = context;
  const name = container.name ?? '';
  if (name === '') errors.push(required(path.child('name')));
  else pushInvalid(isDns1123Label(name), name, path.child('name'), errors);
  if ((container.image ?? '') === '') errors.push(required(path.child('image')));
  validateMessagePolicy(container.terminationMessagePolicy ?? '', path.child('terminationMessagePolicy'), errors);
  validateContainerPorts(container.ports, path.child('ports'), errors);
  validateEnv(container.env, path.child('env'), errors);
  validateEnvFrom(container.envFrom, path.child('envFrom'), errors);
  validateVolumeMounts(container, volumes, path.child('volumeMounts'), errors);
  validateVolumeDevices(container, volumes, path.child('volumeDevices'), errors);
  validatePullPolicy(container.imagePullPolicy ?? '', path.child('imagePullPolicy'), errors);
  validateContainerResources(container.resources, claimNames, path.child('resources'), errors, options);
  validateResizePolicy(container.resizePolicy, spec.restartPolicy ?? '', path.child('resizePolicy'), errors);
  validateContainerSecurityContext(
    container.securityContext,
    spec.hostUsers !== false,
    path.child('securityContext'),
    errors,
  );
}

export function validatePullPolicy(policy: string, path: FieldPath, errors: FieldError[]): void {
  if (policy === '') errors.push(required(path));
  else validateSupported(policy, ['Always', 'IfNotPresent', 'Never'], path, errors);
}

function validateMessagePolicy(policy: string, path: FieldPath, errors: FieldError[]): void {
  if (policy === '') errors.push(required(path));
  else if (policy !== 'File' && policy !== 'FallbackToLogsOnError') {
    errors.push(notSupported(path, policy, ['File', 'FallbackToLogsOnError']));
  }
}

function validateHooks(container: Container, spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const graceSeconds = spec.terminationGracePeriodSeconds;
  if (container.lifecycle !== undefined) {
    validateLifecycle(container.lifecycle, { graceSeconds, os: spec.os }, path.child('lifecycle'), errors);
  }
  validateProbes(container, graceSeconds, path, errors);
}

function validateNoHooks(container: Container, path: FieldPath, errors: FieldError[]): void {
  for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container[field] === undefined) continue;
    errors.push(forbidden(path.child(field), 'may not be set for init containers without restartPolicy=Always'));
  }
}

function validateNoRestartOnResize(container: Container, path: FieldPath, errors: FieldError[]): void {
  for (const [index, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (restartPolicy !== 'RestartContainer') continue;
    const text = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    errors.push(invalid(path.child('resizePolicy').index(index).child('restartPolicy'), restartPolicy, text));
  }
}

/** Fields in Go's order that an ephemeral container can't have: it gets no resources and nobody watches it. */
const notForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

function validateEphemeralFields(container: EphemeralContainer, path: FieldPath, errors: FieldError[]): void {
  const text = 'cannot be set for an Ephemeral Container';
  for (const field of notForEphemeral) {
    if (!isUnset(container[field], field === 'resources')) errors.push(forbidden(path.child(field), text));
  }
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = path.child('volumeMounts').index(index);
    for (const field of ['subPath', 'subPathExpr'] as const) {
      if ((mount[field] ?? '') !== '') errors.push(forbidden(at.child(field), text));
    }
  }
}

/** `resources` is a struct held by value: without contents it is not set. */
function isUnset(value: unknown, heldByValue: boolean): boolean {
  if (value === undefined || value === null) return true;
  return heldByValue && typeof value === 'object' && Object.keys(value).length === 0;
}
