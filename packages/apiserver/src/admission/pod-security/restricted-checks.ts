// The checks the restricted level adds: a Pod must give up what it does not need (Pod Security Standards, restricted).

import type { Container, Volume } from '@homeostat/api/types/core-v1';
import { checkSeccomp, isAllowedSeccomp } from './baseline-checks.ts';
import {
  badContainers,
  type CheckedPod,
  containersOf,
  distinct,
  named,
  type PodCheck,
  quoted,
  setters,
  type Violation,
} from './violation.ts';

/** Windows has none of what `check` is about. */
export function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}

export function checkPrivilegeEscalation(pod: CheckedPod): Violation | undefined {
  const bad = badContainers(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const detail = `${named('container', bad)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
}

export function checkDroppedCapabilities(pod: CheckedPod): Violation | undefined {
  const keeping = badContainers(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'),
  );
  const added = ({ securityContext }: Container): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((each) => each !== 'NET_BIND_SERVICE');
  const adding = badContainers(pod, (container) => added(container).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const capabilities = quoted(distinct(containersOf(pod).flatMap(added)));
    details.push(`${named('container', adding)} must not include ${capabilities} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const allowedVolumes: readonly (keyof Volume)[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

export function checkVolumeTypes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map(typeOfVolume));
  const uses = bad.length === 1 ? 'uses' : 'use';
  const volumes = named(
    'volume',
    bad.map(({ name }) => name),
  );
  return { reason: 'restricted volume types', detail: `${volumes} ${uses} ${named('restricted volume type', types)}` };
}

function typeOfVolume(volume: Volume): string {
  return (
    Object.keys(volume).find((field) => field !== 'name' && volume[field as keyof Volume] !== undefined) ?? 'unknown'
  );
}

export function checkNonRoot(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const reason = 'runAsNonRoot != true';
  const who = setters(
    ofPod === false,
    badContainers(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const silent = badContainers(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` };
}

export function checkRootUser(pod: CheckedPod): Violation | undefined {
  const who = setters(
    pod.spec.securityContext?.runAsUser === 0,
    badContainers(pod, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
}

export function checkSeccompSet(pod: CheckedPod): Violation | undefined {
  const unconfined = checkSeccomp(pod);
  if (unconfined !== undefined) return unconfined;
  if (isAllowedSeccomp(pod.spec.securityContext?.seccompProfile?.type)) return undefined;
  const silent = badContainers(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${named('container', silent)} ${must}` };
}
