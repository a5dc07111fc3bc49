// The security context of the Pod, and what sharing or not sharing the node's namespaces excludes.

import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Subdomain,
  isUserId,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import type { PodSpec } from '@homeostat/api/types/core-v1';
import { pushInvalid, validateSupported } from '../rules/values.ts';
import type { PodSpecOptions } from './options.ts';
import { validateAppArmorProfile, validateSeccompProfile } from './profiles.ts';
import { validateSysctls } from './sysctls.ts';
import { containersWithPaths } from './visit.ts';
import { validateWindowsOptions } from './windows.ts';

export function validatePodSecurityContext(
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const context = spec.securityContext;
  validateIds(spec, path, errors);
  // `shareProcessNamespace` lives in the security context of upstream's internal types, hence the path.
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const text = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(path.child('shareProcessNamespace'), true, text));
  }
  if (context === undefined) return;
  validateSysctls(spec, path.child('sysctls'), errors, options);
  if (context.fsGroupChangePolicy !== undefined) {
    validateSupported(
      context.fsGroupChangePolicy,
      ['Always', 'OnRootMismatch'],
      path.child('fsGroupChangePolicy'),
      errors,
    );
  }
  validateSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
  if (context.supplementalGroupsPolicy !== undefined) {
    validateSupported(
      context.supplementalGroupsPolicy,
      ['Merge', 'Strict'],
      path.child('supplementalGroupsPolicy'),
      errors,
    );
  }
  if (context.seLinuxChangePolicy !== undefined) {
    const allowed = options.allowSelinuxMountOption ? ['MountOption', 'Recursive'] : ['Recursive'];
    validateSupported(context.seLinuxChangePolicy, allowed, path.child('seLinuxChangePolicy'), errors);
  }
}

/** Pods with users of their own can't share the node's other namespaces. */
export function validateHostUsers(spec: PodSpec, path: FieldPath, errors: FieldError[], options: PodSpecOptions): void {
  if (spec.hostUsers !== false) return;
  const text = 'when `hostUsers` is false';
  if (spec.hostNetwork === true && !options.allowUserNamespaceHostNetwork) {
    errors.push(forbidden(path.child('hostNetwork'), text));
  }
  if (spec.hostPID === true) errors.push(forbidden(path.child('HostPID'), text));
  if (spec.hostIPC === true) errors.push(forbidden(path.child('HostIPC'), text));
  if (options.allowUserNamespaceDevices) return;
  for (const { container, path: at } of containersWithPaths(spec, path)) {
    if ((container.volumeDevices ?? []).length > 0) errors.push(forbidden(at.child('volumeDevices'), text));
  }
}

export function validateHostnameOverride(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  const at = path.child('hostnameOverride');
  if (spec.setHostnameAsFQDN === true) {
    errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  }
  if (spec.hostNetwork === true) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (utf8Length(name) > 64) errors.push(tooLong(at, 64));
  pushInvalid(isDns1123Subdomain(name), name, at, errors);
}

function validateIds(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const context = spec.securityContext;
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup'] as const) {
    const id = context?.[field];
    if (id !== undefined) pushInvalid(isUserId(id), id, path.child(field), errors);
  }
  for (const [index, id] of (context?.supplementalGroups ?? []).entries()) {
    pushInvalid(isUserId(id), id, path.child('supplementalGroups').index(index), errors);
  }
}
