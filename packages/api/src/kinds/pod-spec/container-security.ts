// Security contexts of containers. Privileged containers are allowed: the API server runs with --allow-privileged.

import { type FieldError, type FieldPath, invalid, isUserId, notSupported } from '@homeostat/machinery';
import type { SecurityContext } from '@homeostat/api/types/core-v1';
import { structByName } from '../../scheme/scheme.ts';
import { toGoStruct } from '../rules/go-struct.ts';
import { pushInvalid } from '../rules/values.ts';
import { validateAppArmorProfile, validateSeccompProfile } from './profiles.ts';
import { validateWindowsOptions } from './windows.ts';

const contextSchema = structByName('io.k8s.api.core.v1.SecurityContext');

export function validateContainerSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (context === undefined) return;
  for (const field of ['runAsUser', 'runAsGroup'] as const) {
    const id = context[field];
    if (id !== undefined) pushInvalid(isUserId(id), id, path.child(field), errors);
  }
  validateProcMount(context.procMount, hostUsers, path.child('procMount'), errors);
  validateSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  validateEscalation(context, path, errors);
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
}

function validateProcMount(mount: string | undefined, hostUsers: boolean, path: FieldPath, errors: FieldError[]): void {
  if (mount === undefined) return;
  if (mount !== 'Default' && mount !== 'Unmasked') errors.push(notSupported(path, mount, ['Default', 'Unmasked']));
  if (hostUsers && mount === 'Unmasked')
    errors.push(invalid(path, mount, '`hostUsers` must be false to use `Unmasked`'));
}

function validateEscalation(context: SecurityContext, path: FieldPath, errors: FieldError[]): void {
  if (context.allowPrivilegeEscalation !== false) return;
  const problems: string[] = [];
  if (context.privileged === true) problems.push('`privileged` to true');
  for (const capability of context.capabilities?.add ?? []) {
    if (capability === 'CAP_SYS_ADMIN') problems.push('`capabilities.Add` CAP_SYS_ADMIN');
  }
  for (const problem of problems) {
    const form = toGoStruct(context, contextSchema);
    errors.push(invalid(path, form, `cannot set \`allowPrivilegeEscalation\` to false and ${problem}`));
  }
}
