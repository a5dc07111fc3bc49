// Environment variables of containers and where their values come from.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isRelaxedEnvVarName,
  notFound,
  required,
} from '@homeostat/machinery';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  PodSpec,
  SecretKeySelector,
} from '@homeostat/api/types/core-v1';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { envFieldPaths, validateFieldRef, validateResourceFieldRef } from './downward-api.ts';
import { validateNoBacksteps } from './paths.ts';
import { containersWithPaths } from './visit.ts';

export function validateEnv(env: readonly EnvVar[] | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const [index, variable] of (env ?? []).entries()) {
    const at = path.index(index);
    const name = variable.name ?? '';
    if (name === '') errors.push(required(at.child('name')));
    else pushInvalid(isRelaxedEnvVarName(name), name, at.child('name'), errors);
    if (variable.valueFrom !== undefined)
      validateSource(variable.valueFrom, variable.value, at.child('valueFrom'), errors);
  }
}

export function validateEnvFrom(
  sources: readonly EnvFromSource[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, source] of (sources ?? []).entries()) {
    const at = path.index(index);
    const prefix = source.prefix ?? '';
    if (prefix !== '') pushInvalid(isRelaxedEnvVarName(prefix), prefix, at.child('prefix'), errors);
    let count = 0;
    for (const field of ['configMapRef', 'secretRef'] as const) {
      const reference = source[field];
      if (reference === undefined) continue;
      count += 1;
      const name = reference.name ?? '';
      const namePath = at.child(field, 'name');
      if (name === '') errors.push(required(namePath));
      else pushInvalid(nameIsDnsSubdomain(name, true), name, namePath, errors);
    }
    if (count === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (count > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  }
}

/** A variable read from a file needs the emptyDir that an init container writes it to. */
export function validateFileKeyVolumes(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  for (const { container, path: containerPath } of containersWithPaths(spec, path)) {
    for (const [index, variable] of (container.env ?? []).entries()) {
      const reference = variable.valueFrom?.fileKeyRef;
      if (reference === undefined) continue;
      const name = reference.volumeName ?? '';
      const at = containerPath.child('env').index(index).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = volumes.get(name);
      if (volume === undefined) errors.push(notFound(at, name));
      else if (volume.emptyDir === undefined) {
        errors.push(invalid(at, name, 'referenced volume must be of type emptyDir'));
      }
    }
  }
}

function validateSource(source: EnvVarSource, value: string | undefined, path: FieldPath, errors: FieldError[]): void {
  let count = 0;
  if (source.fieldRef !== undefined) {
    count += 1;
    validateFieldRef(source.fieldRef, envFieldPaths, path.child('fieldRef'), errors);
  }
  if (source.resourceFieldRef !== undefined) {
    count += 1;
    validateResourceFieldRef(source.resourceFieldRef, false, path.child('resourceFieldRef'), errors);
  }
  for (const field of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = source[field];
    if (reference === undefined) continue;
    count += 1;
    validateKeySelector(reference, path.child(field), errors);
  }
  if (source.fileKeyRef !== undefined) {
    count += 1;
    validateFileKeySelector(source.fileKeyRef, path.child('fileKeyRef'), errors);
  }
  if (count === 0) {
    const kinds = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalid(path, '', `must specify one of: ${kinds}`));
  } else if ((value ?? '') !== '') errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

function validateKeySelector(
  selector: Partial<ConfigMapKeySelector | SecretKeySelector>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { name = '', key = '' } = selector;
  pushInvalid(isDns1123Subdomain(name), name, path.child('name'), errors);
  if (key === '') errors.push(required(path.child('key')));
  else pushInvalid(isConfigMapKey(key), key, path.child('key'), errors);
}

function validateFileKeySelector(selector: Partial<FileKeySelector>, path: FieldPath, errors: FieldError[]): void {
  const { key = '', volumeName = '', path: file = '' } = selector;
  if (key === '') errors.push(required(path.child('key')));
  else pushInvalid(isRelaxedEnvVarName(key), key, path.child('key'), errors);
  if (volumeName === '') errors.push(required(path.child('volumeName')));
  else pushInvalid(isDns1123Label(volumeName), volumeName, path.child('volumeName'), errors);
  if (file === '') errors.push(required(path.child('path')));
  else validateNoBacksteps(file, path.child('path'), errors);
}
