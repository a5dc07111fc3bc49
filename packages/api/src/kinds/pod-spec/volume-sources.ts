// The in-tree volume types, as they occur in Pods and in PersistentVolumes. Each function checks one source; where a
// PersistentVolume's variant has a namespaced secret, `inVolume` says so. Types of removed plugins are still checked,
// because objects with them are still accepted.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isDns1123Label,
  notSupported,
  rangeText,
  required,
  utf8Length,
} from '@homeostat/machinery';
import type * as core from '@homeostat/api/types/core-v1';
import { validateCsiDriverName } from '../rules/csi-driver-name.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid, sortedKeys, validateSupported } from '../rules/values.ts';
import { validateDescendingPath, validateNoBacksteps } from './paths.ts';

type Errors = FieldError[];

/** Appends Required for each of the fields that is empty. */
export function requireFields(source: object, fields: readonly string[], path: FieldPath, errors: Errors): void {
  for (const field of fields) {
    const value = (source as Readonly<Record<string, unknown>>)[field];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      errors.push(required(path.child(field)));
  }
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function validateHostPath(source: core.HostPathVolumeSource, path: FieldPath, errors: Errors): void {
  const hostPath = source.path ?? '';
  if (hostPath === '') {
    errors.push(required(path.child('path')));
    return;
  }
  validateNoBacksteps(hostPath, path.child('path'), errors);
  if (source.type !== undefined) validateSupported(source.type, hostPathTypes, path.child('type'), errors);
}

export function validateGitRepo(source: core.GitRepoVolumeSource, path: FieldPath, errors: Errors): void {
  requireFields(source, ['repository'], path, errors);
  validateDescendingPath(source.directory ?? '', path.child('directory'), errors);
}

/** gcePersistentDisk and awsElasticBlockStore. */
export function validateDisk(
  source: core.GCEPersistentDiskVolumeSource | core.AWSElasticBlockStoreVolumeSource,
  idField: 'pdName' | 'volumeID',
  path: FieldPath,
  errors: Errors,
): void {
  requireFields(source, [idField], path, errors);
  const partition = source.partition ?? 0;
  if (partition < 0 || partition > 255) errors.push(invalid(path.child('partition'), partition, rangeText(1, 255)));
}

export function validateNfs(source: core.NFSVolumeSource, path: FieldPath, errors: Errors): void {
  requireFields(source, ['server', 'path'], path, errors);
  const exported = source.path ?? '';
  if (!exported.startsWith('/')) errors.push(invalid(path.child('path'), exported, 'must be an absolute path'));
}

const iqn = /iqn\.[0-9]{4}-[0-9]{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+$/;
const eui = /^eui.[a-zA-Z0-9]{16}$/;
const naa = /^naa.[a-zA-Z0-9]{32}$/;

function iscsiNameProblem(name: string, wrongStart: string): string | undefined {
  const pattern = name.startsWith('iqn')
    ? iqn
    : name.startsWith('eui')
      ? eui
      : name.startsWith('naa')
        ? naa
        : undefined;
  if (pattern === undefined) return wrongStart;
  return pattern.test(name) ? undefined : 'must be valid format';
}

export function validateIscsi(
  source: core.ISCSIVolumeSource | core.ISCSIPersistentVolumeSource,
  volumeName: string | undefined,
  path: FieldPath,
  errors: Errors,
): void {
  const wrongStart =
    volumeName === undefined ? 'must be valid format starting with iqn, eui, or naa' : 'must be valid format';
  requireFields(source, ['targetPortal'], path, errors);
  if (volumeName !== undefined && isIscsiNameTooLong(source, volumeName)) {
    errors.push(invalid(path.child('targetportal'), source.targetPortal ?? '', iscsiNameTooLongText));
  }
  const name = source.iqn ?? '';
  if (name === '') errors.push(required(path.child('iqn')));
  else pushProblem(iscsiNameProblem(name, wrongStart), name, path.child('iqn'), errors);
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, rangeText(0, 255)));
  const chap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (chap && source.secretRef === undefined) errors.push(required(path.child('secretRef')));
  if (volumeName !== undefined && source.secretRef !== undefined)
    requireFields(source.secretRef, ['name'], path.child('secretRef'), errors);
  if (source.initiatorName !== undefined) {
    pushProblem(
      iscsiNameProblem(source.initiatorName, wrongStart),
      source.initiatorName,
      path.child('initiatorname'),
      errors,
    );
  }
}

export const iscsiNameTooLongText =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

export function isIscsiNameTooLong(
  source: core.ISCSIVolumeSource | core.ISCSIPersistentVolumeSource,
  volumeName: string,
): boolean {
  return source.initiatorName !== undefined && utf8Length(`${volumeName}:${source.targetPortal ?? ''}`) > 64;
}

function pushProblem(problem: string | undefined, value: string, path: FieldPath, errors: Errors): void {
  if (problem !== undefined) errors.push(invalid(path, value, problem));
}

export function validateFc(source: core.FCVolumeSource, path: FieldPath, errors: Errors): void {
  const names = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  if (names.length === 0 && ids.length === 0) {
    errors.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'));
  }
  if (names.length > 0 && ids.length > 0) {
    errors.push(invalid(path.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (names.length === 0) return;
  const lun = source.lun;
  if (lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, rangeText(0, 255)));
}

export function validateGlusterfs(
  source: core.GlusterfsVolumeSource | core.GlusterfsPersistentVolumeSource,
  path: FieldPath,
  errors: Errors,
): void {
  requireFields(source, ['endpoints', 'path'], path, errors);
  const namespace = 'endpointsNamespace' in source ? source.endpointsNamespace : undefined;
  if (namespace === undefined) return;
  const at = path.child('endpointsNamespace');
  if (namespace === '') {
    errors.push(invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'));
  } else pushInvalid(nameIsDnsLabel(namespace, false), namespace, at, errors);
}

export function validateFlocker(source: core.FlockerVolumeSource, path: FieldPath, errors: Errors): void {
  const { datasetName = '', datasetUUID = '' } = source;
  if (datasetName === '' && datasetUUID === '') {
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  }
  if (datasetName !== '' && datasetUUID !== '') {
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
}

export function validateQuobyte(source: Partial<core.QuobyteVolumeSource>, path: FieldPath, errors: Errors): void {
  const { registry = '', tenant = '' } = source;
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  if (registry === '') errors.push(required(path.child('registry'), pairs));
  else if (utf8Length(tenant) >= 65) {
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    for (const pair of registry.split(',')) {
      if (!isHostAndPort(pair)) errors.push(invalid(path.child('registry'), registry, pairs));
    }
  }
  requireFields(source, ['volume'], path, errors);
}

function isHostAndPort(pair: string): boolean {
  return /^(\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/.test(pair);
}

/** A secret of cinder, storageos and others: namespaced in PersistentVolumes, of the Pod's namespace in Pods. */
export function validateSecretName(
  reference: core.LocalObjectReference | core.SecretReference | core.ObjectReference | undefined,
  inVolume: boolean,
  path: FieldPath,
  errors: Errors,
): void {
  if (reference !== undefined) requireFields(reference, inVolume ? ['name', 'namespace'] : ['name'], path, errors);
}

export function validateFlexVolume(
  source: core.FlexVolumeSource | core.FlexPersistentVolumeSource,
  path: FieldPath,
  errors: Errors,
): void {
  requireFields(source, ['driver'], path, errors);
  for (const key of sortedKeys(source.options)) {
    const domain = `.${(key.split('/')[0] ?? '').toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      errors.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
    }
  }
}

export function validateAzureFile(
  source: core.AzureFileVolumeSource | core.AzureFilePersistentVolumeSource,
  path: FieldPath,
  errors: Errors,
): void {
  requireFields(source, ['secretName', 'shareName'], path, errors);
  if ('secretNamespace' in source && source.secretNamespace === '')
    errors.push(required(path.child('secretNamespace')));
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(source: Partial<core.AzureDiskVolumeSource>, path: FieldPath, errors: Errors): void {
  requireFields(source, ['diskName', 'diskURI'], path, errors);
  const { cachingMode, kind, diskURI = '' } = source;
  if (cachingMode !== undefined)
    validateSupported(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode'), errors);
  if (kind === undefined) return;
  validateSupported(kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind'), errors);
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) {
    errors.push(notSupported(path.child('diskURI'), diskURI, [managedDisk]));
  }
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) {
    errors.push(notSupported(path.child('diskURI'), diskURI, [blobDisk]));
  }
}

export function validateStorageOs(
  source: core.StorageOSVolumeSource | core.StorageOSPersistentVolumeSource,
  inVolume: boolean,
  path: FieldPath,
  errors: Errors,
): void {
  const { volumeName = '', volumeNamespace = '' } = source;
  if (volumeName === '') errors.push(required(path.child('volumeName')));
  else pushInvalid(isDns1123Label(volumeName), volumeName, path.child('volumeName'), errors);
  if (volumeNamespace !== '')
    pushInvalid(isDns1123Label(volumeNamespace), volumeNamespace, path.child('volumeNamespace'), errors);
  validateSecretName(source.secretRef, inVolume, path.child('secretRef'), errors);
}

export function validateCsi(source: core.CSIVolumeSource, path: FieldPath, errors: Errors): void {
  validateCsiDriverName(source.driver, path.child('driver'), errors);
  const secret = source.nodePublishSecretRef;
  if (secret === undefined) return;
  const name = secret.name ?? '';
  if (name === '') errors.push(required(path.child('nodePublishSecretRef', 'name')));
  else pushInvalid(nameIsDnsSubdomain(name, false), name, path.child('name'), errors);
}
