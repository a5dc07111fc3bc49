// seccomp and AppArmor profiles, as fields of security contexts.

import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import type { AppArmorProfile, SeccompProfile } from '@homeostat/api/types/core-v1';
import { structByName } from '../../scheme/scheme.ts';
import { toGoStruct } from '../rules/go-struct.ts';
import { validateDescendingPath } from './paths.ts';

const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const profileBytesMax = 4095;

const seccompProfile = structByName('io.k8s.api.core.v1.SeccompProfile');

export function validateSeccompProfile(
  profile: SeccompProfile | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (profile === undefined) return;
  const type: string = profile.type ?? '';
  if (type === '') errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
  const local = profile.localhostProfile;
  const at = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (local === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'));
    else validateDescendingPath(local, at, errors);
  } else if (local !== undefined) {
    errors.push(invalid(at, toGoStruct(profile, seccompProfile), 'can only be set when seccomp type is Localhost'));
  }
}

export function validateAppArmorProfile(
  profile: AppArmorProfile | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (profile === undefined) return;
  const type: string = profile.type ?? '';
  const local = profile.localhostProfile;
  const at = path.child('localhostProfile');
  if (type === '') errors.push(required(path.child('type'), 'type is required when appArmorProfile is set'));
  else if (type === 'Localhost') validateLocalAppArmor(local, at, errors);
  else if (!types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
  else if (local !== undefined) errors.push(invalid(at, local, 'can only be set when AppArmor type is Localhost'));
}

function validateLocalAppArmor(profile: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const missing = 'must be set when AppArmor type is Localhost';
  if (profile === undefined) {
    errors.push(required(path, missing));
    return;
  }
  if (profile.trim() !== profile) errors.push(invalid(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(required(path, missing));
  if (utf8Length(profile) > profileBytesMax) errors.push(tooLong(path, profileBytesMax));
}
