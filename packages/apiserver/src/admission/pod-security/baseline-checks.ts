// The checks of the baseline level: what gives a Pod known ways out of its sandbox (Pod Security Standards, baseline).

import type { Container, LifecycleHandler, Probe, SELinuxOptions } from '@homeostat/api/types/core-v1';
import { goQuote } from '@homeostat/machinery';
import {
  badContainers,
  type CheckedPod,
  containersOf,
  distinct,
  named,
  plural,
  type PodCheck,
  quoted,
  setters,
  type Violation,
} from './violation.ts';

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';
const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';

export function checkAppArmor(pod: CheckedPod): Violation | undefined {
  const isBadType = (type: string | undefined): boolean => type !== 'RuntimeDefault' && type !== 'Localhost';
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  const podIsBad = ofPod !== undefined && isBadType(ofPod.type);
  const bad = containersOf(pod).filter(({ securityContext }) => {
    const profile = securityContext?.appArmorProfile;
    return profile !== undefined && isBadType(profile.type);
  });
  const types = [...(podIsBad ? [ofPod.type] : []), ...bad.map((each) => each.securityContext?.appArmorProfile?.type)];
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !isAllowedAppArmorAnnotation(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const who = [
    setters(
      podIsBad,
      bad.map(({ name }) => name),
    ),
    annotations.length > 0 ? plural('annotation', annotations.length) : '',
  ].filter((text) => text !== '');
  if (who.length === 0) return undefined;
  const values = [...distinct(types.map((type) => type ?? '')), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAllowedAppArmorAnnotation(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

const defaultCapabilities: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export function checkCapabilities(pod: CheckedPod): Violation | undefined {
  const added = ({ securityContext }: Container): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((each) => !defaultCapabilities.has(each));
  const bad = badContainers(pod, (container) => added(container).length > 0);
  if (bad.length === 0) return undefined;
  const capabilities = quoted(distinct(containersOf(pod).flatMap(added)));
  const detail = `${named('container', bad)} must not include ${capabilities} in securityContext.capabilities.add`;
  return { reason: 'non-default capabilities', detail };
}

export function checkHostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  if (used.length === 0) return undefined;
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
}

export function checkHostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', bad) };
}

export function checkHostPorts(pod: CheckedPod): Violation | undefined {
  const hostPorts = ({ ports }: Container): readonly string[] =>
    (ports ?? []).filter(({ hostPort = 0 }) => hostPort !== 0).map(({ hostPort }) => String(hostPort));
  const bad = badContainers(pod, (container) => hostPorts(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinct(containersOf(pod).flatMap(hostPorts));
  const uses = bad.length === 1 ? 'uses' : 'use';
  const detail = `${named('container', bad)} ${uses} ${plural('hostPort', ports.length)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail };
}

export function checkProbeHosts(pod: CheckedPod): Violation | undefined {
  const bad = distinct(badContainers(pod, (container) => namedHosts(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = distinct(containersOf(pod).flatMap(namedHosts));
  const uses = bad.length === 1 ? 'uses' : 'use';
  const detail = `${named('container', bad)} ${uses} ${named('probe or lifecycle host', hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
}

function namedHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): readonly string[] {
  const handlers: readonly (Probe | LifecycleHandler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? ''])
    .filter((host) => host !== '');
}

export function checkPrivileged(pod: CheckedPod): Violation | undefined {
  const bad = badContainers(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${named('container', bad)} must not set securityContext.privileged=true` };
}

export function checkProcMount(pod: CheckedPod): Violation | undefined {
  const mountOf = ({ securityContext }: Container): string => securityContext?.procMount ?? 'Default';
  const bad = badContainers(pod, (container) => mountOf(container) !== 'Default');
  if (bad.length === 0) return undefined;
  const types = distinct(
    containersOf(pod)
      .map(mountOf)
      .filter((type) => type !== 'Default'),
  );
  const detail = `${named('container', bad)} must not set securityContext.procMount to ${quoted(types)}`;
  return { reason: 'procMount', detail };
}

/** A root of its own user namespace is nobody on the node: `check` does not matter to such Pods. */
export function unlessUserNamespace(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}

/** Allowed SELinux types, as of v1.0 and v1.31. */
export const seLinuxTypes: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
export const seLinuxTypes31: readonly string[] = [...seLinuxTypes, 'container_engine_t'];

export function checkSeLinux(allowed: readonly string[]): PodCheck {
  const badType = ({ type = '' }: SELinuxOptions): boolean => !allowed.includes(type);
  const isSet = (text: string | undefined): boolean => (text ?? '') !== '';
  const isBad = (options: SELinuxOptions): boolean => badType(options) || isSet(options.user) || isSet(options.role);
  return (pod) => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const podIsBad = ofPod !== undefined && isBad(ofPod);
    const optionsOf = ({ securityContext }: Container): readonly SELinuxOptions[] =>
      [securityContext?.seLinuxOptions].filter((each) => each !== undefined);
    const who = setters(
      podIsBad,
      badContainers(pod, (container) => optionsOf(container).some(isBad)),
    );
    if (who === '') return undefined;
    const all = [...(ofPod === undefined ? [] : [ofPod]), ...containersOf(pod).flatMap(optionsOf)];
    const types = distinct(all.filter(badType).map(({ type = '' }) => type));
    const what = [
      ...(types.length > 0 ? [named('type', types)] : []),
      ...(all.some(({ user }) => isSet(user)) ? ['user may not be set'] : []),
      ...(all.some(({ role }) => isSet(role)) ? ['role may not be set'] : []),
    ];
    const detail = `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
}

/** Before the field existed, annotations chose the profile (v1.0 to v1.18). */
export function checkSeccompAnnotations(pod: CheckedPod): Violation | undefined {
  const annotations = pod.metadata.annotations ?? {};
  const isAllowed = (value: string): boolean =>
    value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
  const keys = [
    seccompPodAnnotation,
    ...containersOf(pod).map(({ name }) => `${seccompContainerAnnotation}${name}`),
  ].filter((key) => annotations[key] !== undefined && !isAllowed(annotations[key]));
  if (keys.length === 0) return undefined;
  const bad = distinct(keys.map((key) => `${key}=${goQuote(annotations[key] ?? '')}`));
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', bad.length)} ${bad.join(', ')}` };
}

export function isAllowedSeccomp(type: string | undefined): boolean {
  return type === 'RuntimeDefault' || type === 'Localhost';
}

export function checkSeccomp(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const podIsBad = ofPod !== undefined && !isAllowedSeccomp(ofPod.type);
  const badType = ({ securityContext }: Container): readonly string[] => {
    const profile = securityContext?.seccompProfile;
    return profile === undefined || isAllowedSeccomp(profile.type) ? [] : [profile.type];
  };
  const who = setters(
    podIsBad,
    badContainers(pod, (container) => badType(container).length > 0),
  );
  if (who === '') return undefined;
  const types = distinct([...(podIsBad ? [ofPod.type] : []), ...containersOf(pod).flatMap(badType)]);
  const detail = `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}`;
  return { reason: 'seccompProfile', detail };
}

/** Sysctls that are namespaced and harmless; the lists grew with kernels. */
export const sysctls: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
export const sysctls27: readonly string[] = [...sysctls, 'net.ipv4.ip_local_reserved_ports'];
export const sysctls29: readonly string[] = [
  ...sysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
export const sysctls32: readonly string[] = [...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

export function checkSysctls(allowed: readonly string[]): PodCheck {
  return ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}

export function checkHostProcess(pod: CheckedPod): Violation | undefined {
  const who = setters(
    pod.spec.securityContext?.windowsOptions?.hostProcess === true,
    badContainers(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  if (who === '') return undefined;
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}
