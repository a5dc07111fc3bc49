// Volumes of a Pod: their names, and that each has exactly one source.

import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  type ObjectMeta,
  quote,
  required,
} from '@homeostat/machinery';
import type { EphemeralVolumeSource, ImageVolumeSource, Volume } from '@homeostat/api/types/core-v1';
import { validateClaimSpec } from '../core/persistent-volume-claim/claim-spec.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { isNegative } from '../rules/quantities.ts';
import { pushInvalid } from '../rules/values.ts';
import { validatePullPolicy } from './containers.ts';
import type { PodSpecOptions } from './options.ts';
import {
  validateConfigMapVolume,
  validateDownwardApiVolume,
  validateProjectedVolume,
  validateSecretVolume,
} from './projected-volume.ts';
import { validateTemplateMetadata } from './template-metadata.ts';
import * as sources from './volume-sources.ts';

/** Checks volumes; returns those without errors by name, for mounts to refer to. `metadata` only for Pods. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  metadata: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): ReadonlyMap<string, Volume> {
  const podName = metadata?.name ?? '';
  const created = new Set(
    podName === ''
      ? []
      : (volumes ?? []).filter((volume) => volume.ephemeral).map((volume) => `${podName}-${volume.name ?? ''}`),
  );
  const valid = new Map<string, Volume>();
  for (const [index, volume] of (volumes ?? []).entries()) {
    const at = path.index(index);
    const found: FieldError[] = [];
    validateSource(volume, podName, at, found, options);
    const name = volume.name ?? '';
    if (name === '') found.push(required(at.child('name')));
    else pushInvalid(isDns1123Label(name), name, at.child('name'), found);
    if (valid.has(name)) found.push(duplicate(at.child('name'), name));
    if (found.length === 0) valid.set(name, volume);
    errors.push(...found);
    const claimName = volume.persistentVolumeClaim?.claimName ?? '';
    if (volume.persistentVolumeClaim !== undefined && created.has(claimName)) {
      const text = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalid(at.child('persistentVolumeClaim', 'claimName'), claimName, text));
    }
  }
  return valid;
}

/** The sources in the order upstream looks at them, with the path it uses for a second one where that is misspelt. */
const sourceOrder: readonly (readonly [field: Exclude<keyof Volume, 'name'>, conflictPath?: string])[] = [
  ['emptyDir'],
  ['hostPath'],
  ['gitRepo'],
  ['gcePersistentDisk'],
  ['awsElasticBlockStore'],
  ['secret'],
  ['nfs'],
  ['iscsi'],
  ['glusterfs'],
  ['flocker'],
  ['persistentVolumeClaim'],
  ['rbd'],
  ['cinder'],
  ['cephfs', 'cephFS'],
  ['quobyte'],
  ['downwardAPI', 'downwarAPI'],
  ['fc'],
  ['flexVolume'],
  ['configMap'],
  ['azureFile'],
  ['vsphereVolume'],
  ['photonPersistentDisk'],
  ['portworxVolume'],
  ['azureDisk'],
  ['storageos'],
  ['projected'],
  ['scaleIO'],
  ['csi'],
  ['ephemeral'],
  ['image'],
];

function validateSource(
  volume: Volume,
  podName: string,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  let found = false;
  for (const [field, conflictPath = field] of sourceOrder) {
    if (volume[field] === undefined) continue;
    if (found) errors.push(forbidden(path.child(conflictPath), 'may not specify more than 1 volume type'));
    else validateField(volume, field, podName, path, errors, options);
    found = true;
    if (
      field === 'iscsi' &&
      volume.iscsi !== undefined &&
      sources.isIscsiNameTooLong(volume.iscsi, volume.name ?? '')
    ) {
      errors.push(invalid(path.child('name'), volume.name ?? '', sources.iscsiNameTooLongText));
    }
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
}

function validateField(
  volume: Volume,
  field: Exclude<keyof Volume, 'name'>,
  podName: string,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const at = path.child(field);
  const check = <T>(
    source: T | undefined,
    validate: (source: T, path: FieldPath, errors: FieldError[]) => void,
  ): void => {
    if (source !== undefined) validate(source, at, errors);
  };
  const require = (source: object | undefined, ...fields: readonly string[]): void => {
    if (source !== undefined) sources.requireFields(source, fields, at, errors);
  };
  switch (field) {
    case 'emptyDir': {
      const limit = volume.emptyDir?.sizeLimit;
      if (limit !== undefined && isNegative(limit)) {
        errors.push(forbidden(at.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
      }
      return;
    }
    case 'hostPath':
      return check(volume.hostPath, sources.validateHostPath);
    case 'gitRepo':
      return check(volume.gitRepo, sources.validateGitRepo);
    case 'gcePersistentDisk':
      if (volume.gcePersistentDisk)
        sources.validateDisk(volume.gcePersistentDisk, 'pdName', path.child('persistentDisk'), errors);
      return;
    case 'awsElasticBlockStore':
      if (volume.awsElasticBlockStore) sources.validateDisk(volume.awsElasticBlockStore, 'volumeID', at, errors);
      return;
    case 'secret':
      return check(volume.secret, validateSecretVolume);
    case 'nfs':
      return check(volume.nfs, sources.validateNfs);
    case 'iscsi':
      if (volume.iscsi !== undefined) sources.validateIscsi(volume.iscsi, undefined, at, errors);
      return;
    case 'glusterfs':
      return check(volume.glusterfs, sources.validateGlusterfs);
    case 'flocker':
      return check(volume.flocker, sources.validateFlocker);
    case 'persistentVolumeClaim':
      return require(volume.persistentVolumeClaim, 'claimName');
    case 'rbd':
      return require(volume.rbd, 'monitors', 'image');
    case 'cinder':
      require(volume.cinder, 'volumeID');
      sources.validateSecretName(volume.cinder?.secretRef, false, at.child('secretRef'), errors);
      return;
    case 'cephfs':
      return require(volume.cephfs, 'monitors');
    case 'quobyte':
      return check(volume.quobyte, sources.validateQuobyte);
    case 'downwardAPI':
      return check(volume.downwardAPI, validateDownwardApiVolume);
    case 'fc':
      return check(volume.fc, sources.validateFc);
    case 'flexVolume':
      return check(volume.flexVolume, sources.validateFlexVolume);
    case 'configMap':
      return check(volume.configMap, validateConfigMapVolume);
    case 'azureFile':
      return check(volume.azureFile, sources.validateAzureFile);
    case 'vsphereVolume':
      return require(volume.vsphereVolume, 'volumePath');
    case 'photonPersistentDisk':
      return require(volume.photonPersistentDisk, 'pdID');
    case 'portworxVolume':
      return require(volume.portworxVolume, 'volumeID');
    case 'azureDisk':
      return check(volume.azureDisk, sources.validateAzureDisk);
    case 'storageos':
      if (volume.storageos !== undefined) sources.validateStorageOs(volume.storageos, false, at, errors);
      return;
    case 'projected':
      if (volume.projected !== undefined) validateProjectedVolume(volume.projected, at, errors, options);
      return;
    case 'scaleIO':
      return require(volume.scaleIO, 'gateway', 'system', 'volumeName');
    case 'csi':
      return check(volume.csi, sources.validateCsi);
    case 'ephemeral':
      check(volume.ephemeral, validateEphemeral);
      return validateEphemeralName(podName, volume.name ?? '', path.child('name'), errors);
    case 'image':
      if (volume.image !== undefined) validateImageVolume(volume.image, at, errors, options);
      return;
  }
}

function validateEphemeral(source: EphemeralVolumeSource, path: FieldPath, errors: FieldError[]): void {
  const at = path.child('volumeClaimTemplate');
  const template = source.volumeClaimTemplate;
  if (template === undefined) {
    errors.push(required(at));
    return;
  }
  validateTemplateMetadata(template.metadata ?? {}, at.child('metadata'), errors);
  validateClaimSpec(template.spec ?? {}, at.child('spec'), errors);
}

/** The claim made for the volume is called after the Pod and the volume. */
function validateEphemeralName(podName: string, name: string, path: FieldPath, errors: FieldError[]): void {
  if (podName === '' || name === '') return;
  const claimName = `${podName}-${name}`;
  for (const text of nameIsDnsSubdomain(claimName, false)) {
    errors.push(invalid(path, name, `PVC name ${quote(claimName)}: ${text}`));
  }
}

function validateImageVolume(
  source: ImageVolumeSource,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (options.isPod && (source.reference ?? '') === '') errors.push(required(path.child('reference')));
  validatePullPolicy(source.pullPolicy ?? '', path.child('pullPolicy'), errors);
}
