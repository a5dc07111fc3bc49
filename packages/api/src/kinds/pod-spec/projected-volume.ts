// Volumes made of files from several sources: Secrets, ConfigMaps, the downward API, ServiceAccount tokens. Projections of
// trust bundles and Pod certificates are behind gates that are off in 1.36 and are dropped before validation.

import { type FieldError, type FieldPath, forbidden, invalid, required } from '@homeostat/machinery';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '@homeostat/api/types/core-v1';
import { validateDownwardApiFile } from './downward-api.ts';
import { fileModeText, isFileMode } from './file-mode.ts';
import type { PodSpecOptions } from './options.ts';
import { validateLocalNonReservedPath } from './paths.ts';

export function validateSecretVolume(source: SecretVolumeSource, path: FieldPath, errors: FieldError[]): void {
  if ((source.secretName ?? '') === '') errors.push(required(path.child('secretName')));
  validateMode(source.defaultMode, path.child('defaultMode'), errors);
  validateItems(source.items, path.child('items'), errors);
}

export function validateConfigMapVolume(source: ConfigMapVolumeSource, path: FieldPath, errors: FieldError[]): void {
  if ((source.name ?? '') === '') errors.push(required(path.child('name')));
  validateMode(source.defaultMode, path.child('defaultMode'), errors);
  validateItems(source.items, path.child('items'), errors);
}

export function validateDownwardApiVolume(
  source: DownwardAPIVolumeSource,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateMode(source.defaultMode, path.child('defaultMode'), errors);
  for (const file of source.items ?? []) validateDownwardApiFile(file, path, errors);
}

export function validateProjectedVolume(
  source: ProjectedVolumeSource,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  validateMode(source.defaultMode, path.child('defaultMode'), errors);
  const taken = new Set<string>();
  for (const [index, projection] of (source.sources ?? []).entries()) {
    const at = path.child('sources').index(index);
    validateReferences(projection, taken, { volume: path, source: at }, errors);
    if (projection.serviceAccountToken !== undefined) {
      validateToken(
        projection.serviceAccountToken,
        { volume: path, source: at.child('serviceAccountToken') },
        errors,
        options,
      );
    }
    const count = [projection.secret, projection.configMap, projection.downwardAPI, projection.serviceAccountToken];
    if (count.filter((part) => part !== undefined).length > 1) {
      errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
    }
  }
}

interface ProjectionPaths {
  readonly volume: FieldPath;
  readonly source: FieldPath;
}

function validateReferences(
  projection: VolumeProjection,
  taken: Set<string>,
  paths: ProjectionPaths,
  errors: FieldError[],
): void {
  for (const field of ['secret', 'configMap'] as const) {
    const source = projection[field];
    if (source === undefined) continue;
    const at = paths.source.child(field);
    const name = source.name ?? '';
    if (name === '') errors.push(required(at.child('name')));
    for (const [index, item] of (source.items ?? []).entries()) {
      validateKeyToPath(item, at.child('items').index(index), errors);
      claimPath(item.path ?? '', name, taken, paths.volume, errors);
    }
  }
  for (const file of projection.downwardAPI?.items ?? []) {
    validateDownwardApiFile(file, paths.source.child('downwardAPI'), errors);
    claimPath(file.path ?? '', file.path ?? '', taken, paths.volume, errors);
  }
}

function claimPath(path: string, shown: string, taken: Set<string>, at: FieldPath, errors: FieldError[]): void {
  if (path === '') return;
  if (taken.has(path)) errors.push(invalid(at, shown, 'conflicting duplicate paths'));
  taken.add(path);
}

function validateToken(
  token: ServiceAccountTokenProjection,
  paths: ProjectionPaths,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const seconds = token.expirationSeconds ?? 0;
  const at = paths.source.child('expirationSeconds');
  if (seconds < 600) errors.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32) errors.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  const path = token.path ?? '';
  if (path === '') errors.push(required(paths.volume.child('path')));
  else if (!options.allowNonLocalTokenPaths) validateLocalNonReservedPath(path, paths.volume.child('path'), errors);
}

function validateItems(items: readonly KeyToPath[] | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const [index, item] of (items ?? []).entries()) validateKeyToPath(item, path.index(index), errors);
}

function validateKeyToPath(item: KeyToPath, path: FieldPath, errors: FieldError[]): void {
  if ((item.key ?? '') === '') errors.push(required(path.child('key')));
  if ((item.path ?? '') === '') errors.push(required(path.child('path')));
  validateLocalNonReservedPath(item.path ?? '', path.child('path'), errors);
  validateMode(item.mode, path.child('mode'), errors);
}

function validateMode(mode: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!isFileMode(mode)) errors.push(invalid(path, mode, fileModeText));
}
