// Annotations that once were fields, or that mark Pods of a node's own files (mirror Pods): their values, that they agree
// with the fields that replaced them, and which may change.

import { type FieldError, type FieldPath, forbidden, invalid, type ObjectMeta, quote } from '@homeostat/machinery';
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from '@homeostat/api/types/core-v1';
import { deletionCostAnnotation, parseDeletionCost } from '../../meaning/deletion-cost.ts';
import { readJsonObjects } from '../rules/json-text.ts';
import { own, sortedKeys } from '../rules/values.ts';
import type { PodSpecOptions } from './options.ts';
import { validateDescendingPath } from './paths.ts';
import { validateTolerations } from './tolerations.ts';
import { containersWithPaths } from './visit.ts';

type Annotations = Readonly<Record<string, string>>;

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';

export function isMirrorPod(metadata: ObjectMeta): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (annotations === undefined) return;
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec.nodeName ?? '') === '') {
    errors.push(invalid(path.key(mirrorAnnotation), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  }
  validateTolerationsAnnotation(annotations[tolerationsAnnotation] ?? '', path, errors, options);
  if (!options.allowInvalidDeletionCost && parseDeletionCost(annotations) === undefined) {
    const value = annotations[deletionCostAnnotation];
    errors.push(invalid(path.key(deletionCostAnnotation), value, 'must be a 32bit integer'));
  }
  validateSeccompAnnotations(annotations, path, errors);
  validateAppArmorAnnotations(annotations, spec, path, errors);
}

/** Mirror and AppArmor annotations stay as they were when the Pod was made. */
export function validatePodAnnotationsUpdate(
  annotations: Annotations | undefined,
  old: Annotations | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const key of sortedKeys(old)) {
    if (own(annotations, key) === own(old, key)) continue;
    if (key.startsWith(appArmorPrefix)) {
      errors.push(forbidden(path.key(key), 'may not remove or update AppArmor annotations'));
    }
    if (key === mirrorAnnotation)
      errors.push(forbidden(path.key(key), 'may not remove or update mirror pod annotation'));
  }
  for (const key of sortedKeys(annotations)) {
    if (own(old, key) !== undefined) continue;
    if (key.startsWith(appArmorPrefix)) errors.push(forbidden(path.key(key), 'may not add AppArmor annotations'));
    if (key === mirrorAnnotation) errors.push(forbidden(path.key(key), 'may not add mirror pod annotation'));
  }
}

/** Where both an annotation and its field are set they must say the same. */
export function validateAnnotationsMatchFields(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (annotations === undefined) return;
  const podAnnotation = annotations[seccompPodAnnotation];
  const podSeccomp = spec.securityContext?.seccompProfile;
  if (podAnnotation !== undefined && podSeccomp !== undefined) {
    seccompMatches(podAnnotation, podSeccomp, path.child('securityContext', 'seccompProfile'), errors);
  }
  for (const { container, path: at } of containersWithPaths(spec, path)) {
    const annotation = annotations[`${seccompContainerPrefix}${container.name ?? ''}`];
    const profile = container.securityContext?.seccompProfile;
    if (annotation !== undefined && profile !== undefined) {
      seccompMatches(annotation, profile, at.child('securityContext', 'seccompProfile'), errors);
    }
  }
  if (spec.os?.name === 'windows') return;
  for (const { container, path: at } of containersWithPaths(spec, path)) {
    const annotation = annotations[`${appArmorPrefix}${container.name ?? ''}`];
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    if (annotation !== undefined && profile !== undefined) {
      appArmorMatches(annotation, profile, at.child('securityContext', 'appArmorProfile'), errors);
    }
  }
}

function validateTolerationsAnnotation(
  text: string,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (text === '') return;
  const read = readJsonObjects<Toleration>(text, 'core.Toleration');
  if ('problem' in read) {
    errors.push(invalid(path, tolerationsAnnotation, read.problem));
    return;
  }
  validateTolerations(read.value, path.child(tolerationsAnnotation), errors, options);
}

const runtimeDefaultSeccomp = new Set(['runtime/default', 'docker/default']);

function validateSeccompAnnotations(annotations: Annotations, path: FieldPath, errors: FieldError[]): void {
  const keys = sortedKeys(annotations);
  for (const key of [
    ...keys.filter((k) => k === seccompPodAnnotation),
    ...keys.filter((k) => k.startsWith(seccompContainerPrefix)),
  ]) {
    const value = annotations[key] ?? '';
    if (runtimeDefaultSeccomp.has(value) || value === 'unconfined') continue;
    if (value.startsWith('localhost/'))
      validateDescendingPath(value.slice('localhost/'.length), path.child(key), errors);
    else errors.push(invalid(path.child(key), value, 'must be a valid seccomp profile'));
  }
}

function validateAppArmorAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const key of sortedKeys(annotations)) {
    if (!key.startsWith(appArmorPrefix)) continue;
    const name = key.slice(appArmorPrefix.length);
    if (!containersWithPaths(spec, path).some(({ container }) => container.name === name)) {
      errors.push(invalid(path.key(key), name, 'container not found'));
    }
    const value = annotations[key] ?? '';
    if (value === '' || value === 'runtime/default' || value === 'unconfined' || value.startsWith('localhost/'))
      continue;
    errors.push(invalid(path.key(key), value, `invalid AppArmor profile name: ${quote(value)}`));
  }
}

function seccompMatches(annotation: string, profile: SeccompProfile, path: FieldPath, errors: FieldError[]): void {
  const local = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : undefined;
  const sameType =
    (profile.type === 'Unconfined' && annotation === 'unconfined') ||
    (profile.type === 'RuntimeDefault' && runtimeDefaultSeccomp.has(annotation)) ||
    (profile.type === 'Localhost' && local !== undefined);
  if (!isProfileType(profile.type)) return;
  if (!sameType) errors.push(forbidden(path.child('type'), 'seccomp type in annotation and field must match'));
  else if (profile.type === 'Localhost' && profile.localhostProfile !== local) {
    errors.push(forbidden(path.child('localhostProfile'), 'seccomp profile in annotation and field must match'));
  }
}

function appArmorMatches(annotation: string, profile: AppArmorProfile, path: FieldPath, errors: FieldError[]): void {
  const local = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : undefined;
  const sameType =
    (profile.type === 'Unconfined' && annotation === 'unconfined') ||
    (profile.type === 'RuntimeDefault' && annotation === 'runtime/default') ||
    (profile.type === 'Localhost' && local !== undefined);
  if (!isProfileType(profile.type)) return;
  if (!sameType) errors.push(forbidden(path.child('type'), 'apparmor type in annotation and field must match'));
  else if (profile.type === 'Localhost' && profile.localhostProfile !== local) {
    errors.push(forbidden(path.child('localhostProfile'), 'apparmor profile in annotation and field must match'));
  }
}

function isProfileType(type: string): boolean {
  return type === 'Unconfined' || type === 'RuntimeDefault' || type === 'Localhost';
}

/** The profile an AppArmor annotation stands for; undefined when it names none. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : '';
  return local === '' ? undefined : { type: 'Localhost', localhostProfile: local };
}
