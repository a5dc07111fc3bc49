// Mounts and raw block devices of containers, against the volumes of the Pod.

import { type FieldError, type FieldPath, forbidden, invalid, notFound, required } from '@homeostat/machinery';
import type { Container, Volume, VolumeDevice, VolumeMount } from '@homeostat/api/types/core-v1';
import { validateSupported } from '../rules/values.ts';
import { validateDescendingPath } from './paths.ts';

/** Valid volumes of the Pod by name. */
export type Volumes = ReadonlyMap<string, Volume>;

export function validateVolumeMounts(
  container: Container,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldError[],
): void {
  const devices = new Set((container.volumeDevices ?? []).map(({ name }) => name ?? ''));
  const devicePaths = new Set((container.volumeDevices ?? []).map(({ devicePath }) => devicePath ?? ''));
  const mountPaths = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = path.index(index);
    const name = mount.name ?? '';
    const mountPath = mount.mountPath ?? '';
    if (name === '') errors.push(required(at.child('name')));
    if (!volumes.has(name)) errors.push(notFound(at.child('name'), name));
    if (mountPath === '') errors.push(required(at.child('mountPath')));
    if (mountPaths.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    if (devices.has(name)) {
      errors.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    }
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    }
    validateSubPaths(mount, path, at, errors);
    validatePropagation(mount, container, path.child('mountPropagation'), errors);
    validateRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors);
  }
}

export function validateVolumeDevices(
  container: Container,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldError[],
): void {
  const mounts = new Set((container.volumeMounts ?? []).map(({ name }) => name ?? ''));
  const mountPaths = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath ?? ''));
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, device] of (container.volumeDevices ?? []).entries()) {
    const at = path.index(index);
    validateDeviceName(device, volumes, names, at.child('name'), errors);
    const devicePath = device.devicePath ?? '';
    const pathAt = at.child('devicePath');
    if (devicePath === '') errors.push(required(pathAt));
    if (paths.has(devicePath)) errors.push(invalid(pathAt, devicePath, 'must be unique'));
    if (devicePath.split('/').includes('..'))
      errors.push(invalid(pathAt, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    const name = device.name ?? '';
    if (mounts.has(name)) {
      errors.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'));
    }
    if (mountPaths.has(devicePath)) {
      errors.push(invalid(pathAt, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
  }
}

function validateDeviceName(
  device: VolumeDevice,
  volumes: Volumes,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const name = device.name ?? '';
  const volume = volumes.get(name);
  if (name === '') errors.push(required(path));
  if (names.has(name)) errors.push(invalid(path, name, 'must be unique'));
  if (volume === undefined) errors.push(notFound(path, name));
  else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
    errors.push(invalid(path, name, text));
  }
}

function validateSubPaths(mount: VolumeMount, listPath: FieldPath, at: FieldPath, errors: FieldError[]): void {
  const { subPath = '', subPathExpr = '' } = mount;
  // The list's path, not the item's, is what upstream reports here.
  if (subPath !== '') validateDescendingPath(subPath, listPath.child('subPath'), errors);
  if (subPathExpr === '') return;
  if (subPath !== '') {
    errors.push(invalid(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  }
  validateDescendingPath(subPathExpr, listPath.child('subPathExpr'), errors);
}

function validatePropagation(mount: VolumeMount, container: Container, path: FieldPath, errors: FieldError[]): void {
  const propagation = mount.mountPropagation;
  if (propagation === undefined) return;
  validateSupported(propagation, ['Bidirectional', 'HostToContainer', 'None'], path, errors);
  if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath, errors: FieldError[]): void {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === 'Disabled') return;
  if (mode !== 'Enabled' && mode !== 'IfPossible') {
    validateSupported(mode, ['Disabled', 'Enabled', 'IfPossible'], path, errors);
    return;
  }
  if (mount.readOnly !== true) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
  }
}
