// Validation of PersistentVolumes, and of their spec inline in VolumeAttachments.

import {
  canonicalQuantity,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  notSupported,
  required,
} from '@homeostat/machinery';
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  SecretReference,
} from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { validateNodeSelector } from '../../pod-spec/node-affinity.ts';
import { hasInvalidLabelValues } from '../../pod-spec/options.ts';
import { validateNoBacksteps } from '../../pod-spec/paths.ts';
import * as sources from '../../pod-spec/volume-sources.ts';
import { validateCsiDriverName } from '../../rules/csi-driver-name.ts';
import { jsonDiff } from '../../rules/json-diff.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { isPositive } from '../../rules/quantities.ts';
import { immutableText, notPositiveText, pushInvalid, sortedKeys } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';
import { validateAccessModes, volumeModes } from '../persistent-volume-claim/claim-spec.ts';
import { validateBasicQuantity } from '../persistent-volume-claim/validation.ts';
import { validateNodeAffinityUpdate } from './node-affinity.ts';

const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');

export interface VolumeSpecOptions {
  /** The spec is part of a VolumeAttachment: only CSI, no capacity, no claim. Default false. */
  readonly inline?: boolean;
  readonly allowInvalidNodeAffinityValues?: boolean;
}

export function validateVolume(volume: PersistentVolume, old?: PersistentVolume): FieldError[] {
  const name = volume.metadata?.name ?? '';
  const errors = validateKubeObjectMeta(
    volume.metadata ?? {},
    { namespaced: false, name: nameIsDnsSubdomain },
    metadataPath,
  );
  const allowInvalidNodeAffinityValues = hasInvalidLabelValues(old?.spec?.nodeAffinity?.required?.nodeSelectorTerms);
  validateVolumeSpec(volume.spec ?? {}, name, specPath, errors, { allowInvalidNodeAffinityValues });
  return errors;
}

/** Mount options as an annotation, for types that never had the field. */
export function validateMountOptions(volume: PersistentVolume): FieldError[] {
  const key = 'volume.beta.kubernetes.io/mount-options';
  if (volume.metadata?.annotations?.[key] === undefined) return [];
  if (mountable.some((field) => volume.spec?.[field] !== undefined)) return [];
  return [forbidden(metadataPath.child('annotations', key), 'may not specify mount options for this volume type')];
}

const mountable = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

export function validateVolumeUpdate(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const errors = validateVolume(volume, old);
  const before = sourceOf(old.spec ?? {});
  const now = sourceOf(volume.spec ?? {});
  // The secret for expanding may be added once.
  if (before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined && now.csi !== undefined) {
    const { controllerExpandSecretRef: _, ...csi } = now.csi;
    now.csi = csi;
  }
  if (!semanticEqual(now, before, specSchema)) {
    const text = `spec.persistentvolumesource is immutable after creation\n${jsonDiff(before, now)}`;
    errors.push(forbidden(specPath.child('persistentvolumesource'), text));
  }
  if (volume.spec?.volumeMode !== old.spec?.volumeMode) {
    errors.push(invalid(new FieldPath('volumeMode'), volume.spec?.volumeMode ?? null, immutableText));
  }
  validateNodeAffinityUpdate(volume.spec?.nodeAffinity, old.spec?.nodeAffinity, new FieldPath('nodeAffinity'), errors);
  if (old.spec?.volumeAttributesClassName !== undefined && volume.spec?.volumeAttributesClassName === undefined) {
    const at = specPath.child('volumeAttributesClassName');
    errors.push(forbidden(at, 'update from non-nil value to nil is forbidden'));
  }
  return errors;
}

export function validateVolumeStatusUpdate(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const errors = validateKubeObjectMetaUpdate(volume.metadata ?? {}, old.metadata ?? {}, metadataPath);
  if ((volume.metadata?.resourceVersion ?? '') === '') errors.push(required(new FieldPath('resourceVersion')));
  return errors;
}

const specSchema = structByName('io.k8s.api.core.v1.PersistentVolumeSpec');

/** In the order upstream looks at them, with the path for a second one where that differs. */
const sourceFields = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

type SourceField = (typeof sourceFields)[number];

function sourceOf(spec: PersistentVolumeSpec): { -readonly [K in SourceField]?: PersistentVolumeSpec[K] } {
  const source: Record<string, unknown> = {};
  for (const field of sourceFields) if (spec[field] !== undefined) source[field] = spec[field];
  return source;
}

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

export function validateVolumeSpec(
  spec: PersistentVolumeSpec,
  name: string,
  path: FieldPath,
  errors: FieldError[],
  options: VolumeSpecOptions = {},
): void {
  const inline = options.inline === true;
  const modes: readonly string[] = spec.accessModes ?? [];
  if (inline) validateInline(spec, path, errors);
  if (modes.length === 0) errors.push(required(path.child('accessModes')));
  validateAccessModes(modes, path.child('accessModes'), errors);
  if (!inline) validateCapacity(spec.capacity, path.child('capacity'), errors);
  validateReclaimPolicy(spec, inline, path.child('persistentVolumeReclaimPolicy'), errors);
  validateNodeAffinity(spec, path.child('nodeAffinity'), errors, options);
  validateSources(spec, name, path, errors);
  validateRest(spec, inline, path, errors);
}

function validateInline(spec: PersistentVolumeSpec, path: FieldPath, errors: FieldError[]): void {
  const inlineText = 'may not be specified in the context of inline volumes';
  if (spec.claimRef !== undefined) errors.push(forbidden(path.child('claimRef'), inlineText));
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(forbidden(path.child('capacity'), inlineText));
  if (spec.csi === undefined)
    errors.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
}

function validateCapacity(capacity: PersistentVolumeSpec['capacity'], path: FieldPath, errors: FieldError[]): void {
  const names = sortedKeys(capacity);
  if (names.length === 0) errors.push(required(path));
  if (!names.includes('storage') || names.length > 1) {
    const sorted = Object.fromEntries(names.map((name) => [name, capacity?.[name] ?? '0']));
    errors.push(notSupported(path, capacity === undefined ? null : sorted, ['storage']));
  }
  for (const name of names) {
    const quantity = capacity?.[name] ?? '0';
    validateBasicQuantity(quantity, path.key(name), errors);
    if (!isPositive(quantity)) errors.push(invalid(path.key(name), canonicalQuantity(quantity), notPositiveText));
  }
}

function validateReclaimPolicy(
  spec: PersistentVolumeSpec,
  inline: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const policy: string = spec.persistentVolumeReclaimPolicy ?? '';
  if (policy === '') return;
  if (!inline) {
    if (!reclaimPolicies.includes(policy)) errors.push(notSupported(path, policy, reclaimPolicies));
  } else if (policy !== 'Retain') errors.push(forbidden(path, 'may only be Retain in the context of inline volumes'));
}

function validateNodeAffinity(
  spec: PersistentVolumeSpec,
  path: FieldPath,
  errors: FieldError[],
  options: VolumeSpecOptions,
): void {
  if (spec.nodeAffinity === undefined) return;
  if (options.inline === true) errors.push(forbidden(path, 'may not be specified in the context of inline volumes'));
  else if (spec.nodeAffinity.required === undefined) {
    errors.push(required(path.child('required'), 'must specify required node constraints'));
  } else {
    const allowInvalid = options.allowInvalidNodeAffinityValues === true;
    validateNodeSelector(spec.nodeAffinity.required, allowInvalid, path.child('required'), errors);
  }
}

function validateSources(spec: PersistentVolumeSpec, name: string, path: FieldPath, errors: FieldError[]): void {
  let found = false;
  for (const field of sourceFields) {
    if (spec[field] === undefined) continue;
    // A flexVolume is looked at in any case.
    if (found && field !== 'flexVolume') {
      const conflictPath = field === 'cephfs' ? 'cephFS' : field;
      errors.push(forbidden(path.child(conflictPath), 'may not specify more than 1 volume type'));
    } else validateSource(spec, field, name, path, errors);
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
}

function validateSource(
  spec: PersistentVolumeSpec,
  field: SourceField,
  name: string,
  path: FieldPath,
  errors: FieldError[],
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
    case 'hostPath':
      return check(spec.hostPath, sources.validateHostPath);
    case 'gcePersistentDisk':
      if (spec.gcePersistentDisk)
        sources.validateDisk(spec.gcePersistentDisk, 'pdName', path.child('persistentDisk'), errors);
      return;
    case 'awsElasticBlockStore':
      if (spec.awsElasticBlockStore) sources.validateDisk(spec.awsElasticBlockStore, 'volumeID', at, errors);
      return;
    case 'glusterfs':
      return check(spec.glusterfs, sources.validateGlusterfs);
    case 'flocker':
      return check(spec.flocker, sources.validateFlocker);
    case 'nfs':
      return check(spec.nfs, sources.validateNfs);
    case 'rbd':
      return require(spec.rbd, 'monitors', 'image');
    case 'quobyte':
      return check(spec.quobyte, sources.validateQuobyte);
    case 'cephfs':
      return require(spec.cephfs, 'monitors');
    case 'iscsi':
      if (spec.iscsi !== undefined) sources.validateIscsi(spec.iscsi, name, at, errors);
      return;
    case 'cinder':
      require(spec.cinder, 'volumeID');
      return sources.validateSecretName(spec.cinder?.secretRef, true, at.child('secretRef'), errors);
    case 'fc':
      return check(spec.fc, sources.validateFc);
    case 'flexVolume':
      return check(spec.flexVolume, sources.validateFlexVolume);
    case 'azureFile':
      return check(spec.azureFile, sources.validateAzureFile);
    case 'vsphereVolume':
      return require(spec.vsphereVolume, 'volumePath');
    case 'photonPersistentDisk':
      return require(spec.photonPersistentDisk, 'pdID');
    case 'portworxVolume':
      return require(spec.portworxVolume, 'volumeID');
    case 'azureDisk':
      return check(spec.azureDisk, sources.validateAzureDisk);
    case 'scaleIO':
      return require(spec.scaleIO, 'gateway', 'system', 'volumeName');
    case 'local':
      require(spec.local, 'path');
      validateNoBacksteps(spec.local?.path ?? '', at.child('path'), errors);
      if (spec.nodeAffinity === undefined) {
        errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
      }
      return;
    case 'storageos':
      if (spec.storageos !== undefined) sources.validateStorageOs(spec.storageos, true, at, errors);
      return;
    case 'csi':
      return check(spec.csi, validateCsi);
  }
}

function validateCsi(source: CSIPersistentVolumeSource, path: FieldPath, errors: FieldError[]): void {
  validateCsiDriverName(source.driver, path.child('driver'), errors);
  sources.requireFields(source, ['volumeHandle'], path, errors);
  for (const field of [
    'controllerPublishSecretRef',
    'controllerExpandSecretRef',
    'nodePublishSecretRef',
    'nodeExpandSecretRef',
  ] as const) {
    const reference = source[field];
    if (reference !== undefined) validateSecretReference(reference, path.child(field), errors);
  }
}

function validateSecretReference(reference: SecretReference, path: FieldPath, errors: FieldError[]): void {
  const { name = '', namespace = '' } = reference;
  if (name === '') errors.push(required(path.child('name')));
  else pushInvalid(isDns1123Subdomain(name), name, path.child('name'), errors);
  if (namespace === '') errors.push(required(path.child('namespace')));
  else pushInvalid(isDns1123Label(namespace), namespace, path.child('namespace'), errors);
}

function validateRest(spec: PersistentVolumeSpec, inline: boolean, path: FieldPath, errors: FieldError[]): void {
  const rootPath = /^\/+(\.?\/*)*$/.test(spec.hostPath?.path ?? '');
  if (rootPath && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    errors.push(
      forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
    );
  }
  const className = spec.storageClassName ?? '';
  if (className !== '') {
    const at = path.child('storageClassName');
    if (inline) errors.push(forbidden(at, 'may not be specified in the context of inline volumes'));
    else pushInvalid(nameIsDnsSubdomain(className, false), className, at, errors);
  }
  const mode: string | undefined = spec.volumeMode;
  if (mode !== undefined) {
    const at = path.child('volumeMode');
    if (!inline) {
      if (!volumeModes.includes(mode)) errors.push(notSupported(at, mode, volumeModes));
    } else if (mode !== 'Filesystem') {
      errors.push(forbidden(at, 'may not specify volumeMode other than Filesystem in the context of inline volumes'));
    }
  }
  const attributes = spec.volumeAttributesClassName;
  if (attributes === undefined) return;
  const at = path.child('volumeAttributesClassName');
  if (attributes === '') errors.push(required(at, 'an empty string is disallowed'));
  else pushInvalid(nameIsDnsSubdomain(attributes, false), attributes, at, errors);
  if (spec.csi === undefined)
    errors.push(required(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
}
