// Windows options of security contexts, host process containers, and what a Pod for one operating system may not set.

import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Subdomain,
  notSupported,
  required,
  utf8Length,
} from '@homeostat/machinery';
import type { PodSpec, WindowsSecurityContextOptions } from '@homeostat/api/types/core-v1';
import { pushInvalid } from '../rules/values.ts';
import { containersWithPaths } from './visit.ts';

const credentialSpecKibMax = 64;
const domainBytesMax = 256;
const userBytesMax = 104;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsDomain = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);

export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined)
    pushInvalid(isDns1123Subdomain(specName), specName, path.child('gmsaCredentialSpecName'), errors);
  if (spec !== undefined) {
    const at = path.child('gmsaCredentialSpec');
    if (spec === '') errors.push(invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string'));
    else if (utf8Length(spec) > credentialSpecKibMax * 1024) {
      errors.push(invalid(at, spec, `gmsaCredentialSpec size must be under ${credentialSpecKibMax} KiB`));
    }
  }
  if (runAsUserName !== undefined)
    pushInvalid(userNameProblems(runAsUserName), runAsUserName, path.child('runAsUserName'), errors);
}

/** All containers of a Pod run as host processes, or none. */
export function validateHostProcess(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersWithPaths(spec, path);
  let count = 0;
  for (const { container, path: at } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalid(at.child('securityContext', 'windowsOptions', 'hostProcess'), own, text));
    }
    if ((own ?? ofPod) === true) count += 1;
  }
  if (count === 0) return;
  if (count !== containers.length) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(path, '', text));
  }
  if (spec.hostNetwork !== true) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalid(path.child('hostNetwork'), false, text));
  }
}

export function validateOs(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.os === undefined) return;
  const name = spec.os.name ?? '';
  if (name === '') errors.push(required(path.child('os', 'name')));
  else if (name === 'linux') validateNoWindowsOptions(spec, path, errors);
  else if (name === 'windows') validateNoLinuxFields(spec, path, errors);
  else errors.push(notSupported(path.child('os'), name, ['linux', 'windows']));
}

function userNameProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const user = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (domain !== undefined) {
    if (utf8Length(domain) >= domainBytesMax) {
      problems.push(`runAsUserName's Domain length must be under ${domainBytesMax} characters`);
    }
    if (!netBios.test(domain) && !dnsDomain.test(domain)) {
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > userBytesMax) {
    problems.push(`runAsUserName's User length must not be longer than ${userBytesMax} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return problems;
}

function validateNoWindowsOptions(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const text = 'windows options cannot be set for a linux pod';
  if (spec.securityContext?.windowsOptions !== undefined) {
    errors.push(forbidden(path.child('securityContext', 'windowsOptions'), text));
  }
  for (const { container, path: at } of containersWithPaths(spec, path)) {
    if (container.securityContext?.windowsOptions !== undefined) {
      errors.push(forbidden(at.child('securityContext', 'windowsOptions'), text));
    }
  }
}

function validateNoLinuxFields(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const context = spec.securityContext ?? {};
  const inContext = (field: keyof typeof context): readonly [string, boolean] => [
    `securityContext.${field}`,
    context[field] !== undefined,
  ];
  const rules: readonly (readonly [field: string, set: boolean])[] = [
    inContext('appArmorProfile'),
    inContext('seLinuxOptions'),
    ['hostUsers', spec.hostUsers !== undefined],
    ['hostPID', spec.hostPID === true],
    ['hostIPC', spec.hostIPC === true],
    inContext('seccompProfile'),
    inContext('fsGroup'),
    inContext('fsGroupChangePolicy'),
    ['securityContext.sysctls', (context.sysctls ?? []).length > 0],
    ['shareProcessNamespace', spec.shareProcessNamespace !== undefined],
    inContext('runAsUser'),
    inContext('runAsGroup'),
    inContext('supplementalGroups'),
    inContext('supplementalGroupsPolicy'),
    inContext('seLinuxChangePolicy'),
  ];
  const text = 'cannot be set for a windows pod';
  for (const [field, set] of rules) if (set) errors.push(forbidden(path.child(field), text));
  for (const { container, path: at } of containersWithPaths(spec, path)) {
    for (const field of linuxContainerFields) {
      if (container.securityContext?.[field] !== undefined) {
        errors.push(forbidden(at.child('securityContext', field), text));
      }
    }
  }
}

const linuxContainerFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;
