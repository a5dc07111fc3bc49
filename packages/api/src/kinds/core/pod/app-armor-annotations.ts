// AppArmor profiles were annotations before they were fields: at create an annotation becomes the field of its container.

import { FieldPath, type Mutable } from '@homeostat/machinery';
import type { AppArmorProfile, Container, Pod } from '@homeostat/api/types/core-v1';
import { appArmorPrefix, appArmorProfileOf } from '../../pod-spec/annotations.ts';
import { validateAppArmorProfile } from '../../pod-spec/profiles.ts';
import { allContainers } from '../../pod-spec/visit.ts';
import { semanticEqual } from '../../semantic-equal.ts';

/** Containers whose profile came from an annotation, which their Pod's creator should be told. */
const moved = new WeakSet<object>();

export function moveAppArmorAnnotations(pod: Mutable<Pod>): void {
  const spec = pod.spec;
  if (spec === undefined || spec.os?.name === 'windows' || pod.metadata?.annotations === undefined) return;
  for (const container of allContainers(spec) as readonly Mutable<Container>[]) {
    const profile = profileFrom(pod as Pod, container as Container);
    if (profile === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
    if (semanticEqual(profile, spec.securityContext?.appArmorProfile)) continue;
    (container.securityContext ??= {}).appArmorProfile = profile;
    moved.add(container);
  }
}

export function warningsForAppArmorAnnotations(pod: Pod): readonly string[] {
  if (pod.spec === undefined || pod.spec.os?.name === 'windows') return [];
  return allContainers(pod.spec).flatMap((container) => {
    const key = `${appArmorPrefix}${container.name}`;
    if (pod.metadata?.annotations?.[key] === undefined) return [];
    const unusable =
      container.securityContext?.appArmorProfile === undefined && profileFrom(pod, container) === undefined;
    if (!unusable && !moved.has(container)) return [];
    const at = new FieldPath('metadata').child('annotations').key(key);
    return [`${at.toString()}: deprecated since v1.30; use the "appArmorProfile" field instead`];
  });
}

/** The profile an annotation of the container names, if it is a valid one. */
function profileFrom(pod: Pod, container: Container): AppArmorProfile | undefined {
  const annotation = pod.metadata?.annotations?.[`${appArmorPrefix}${container.name}`];
  const profile = annotation === undefined ? undefined : appArmorProfileOf(annotation);
  const errors: Parameters<typeof validateAppArmorProfile>[2] = [];
  validateAppArmorProfile(profile, new FieldPath(), errors);
  return errors.length === 0 ? profile : undefined;
}
