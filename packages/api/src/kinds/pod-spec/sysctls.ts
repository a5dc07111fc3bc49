// Kernel parameters of a Pod.

import { duplicate, type FieldError, type FieldPath, invalid, required, utf8Length } from '@homeostat/machinery';
import type { PodSpec } from '@homeostat/api/types/core-v1';
import type { PodSpecOptions } from './options.ts';

const segment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const namePattern = `^(${segment}[\\./])*${segment}$`;
const nameRegExp = new RegExp(namePattern);
const nameBytesMax = 253;

export function validateSysctls(spec: PodSpec, path: FieldPath, errors: FieldError[], options: PodSpecOptions): void {
  const names = new Set<string>();
  for (const [index, { name = '' }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const at = path.index(index).child('name');
    if (name === '') errors.push(required(at));
    else if (utf8Length(name) > nameBytesMax || !nameRegExp.test(name)) {
      errors.push(invalid(at, name, `must have at most ${nameBytesMax} characters and match regex ${namePattern}`));
    } else if (names.has(name)) errors.push(duplicate(at, name));
    if (!options.allowHostSysctls && isHostSysctl(name, spec)) {
      const field = spec.hostNetwork === true && namespaceOf(name) === 'net' ? 'hostNetwork' : 'hostIPC';
      errors.push(invalid(at, name, `may not be specified when '${field}' is true`));
    }
    names.add(name);
  }
}

/** Whether the parameter belongs to a namespace that the Pod shares with its node. */
export function isHostSysctl(name: string, spec: PodSpec): boolean {
  const namespace = namespaceOf(name);
  return (spec.hostNetwork === true && namespace === 'net') || (spec.hostIPC === true && namespace === 'ipc');
}

const ipcNames = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

/** The kernel namespace of a parameter, by its dotted name. */
function namespaceOf(name: string): 'ipc' | 'net' | undefined {
  const dotted = toDots(name);
  if (ipcNames.has(dotted) || dotted.startsWith('fs.mqueue.')) return 'ipc';
  return dotted.startsWith('net.') ? 'net' : undefined;
}

/** `net/ipv4/x` and `net.ipv4.x` are the same; in the slash form dots are part of names. */
function toDots(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
