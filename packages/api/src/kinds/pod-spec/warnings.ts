// Warnings about Pod specs that are valid but probably not meant: deprecated labels, annotations and volume types,
// overlapping paths and ports, doubled names. Follows upstream's `pkg/api/pod/warnings.go`; texts are its.

import { canonicalQuantity, FieldPath, isLabelValue, type ObjectMeta, quote } from '@homeostat/machinery';
import type {
  Container,
  ContainerPort,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '@homeostat/api/types/core-v1';
import { warningsForIp } from '../rules/addresses.ts';
import { isWhole } from '../rules/quantities.ts';
import { sortedKeys } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { appArmorPrefix, appArmorProfileOf, seccompContainerPrefix, seccompPodAnnotation } from './annotations.ts';
import { deprecatedLabelText } from './deprecated-labels.ts';
import { warningsForOverlappingPaths } from './overlapping-paths.ts';
import { containersWithPaths } from './visit.ts';

export function warningsForPod(spec: PodSpec, metadata: ObjectMeta): readonly string[] {
  return warningsFor(spec, metadata, new FieldPath(), false);
}

/** `path` is the template's. The template it replaces does not matter to any warning of 1.36. */
export function warningsForPodTemplate(
  template: PodTemplateSpec | undefined,
  _old: PodTemplateSpec | undefined,
  path: FieldPath,
): readonly string[] {
  if (template === undefined) return [];
  return warningsFor(template.spec ?? { containers: [] }, template.metadata ?? {}, path, true);
}

/** Deprecated labels in a term, and with `checkValues` values that match no node. */
export function warningsForNodeSelectorTerm(
  term: NodeSelectorTerm,
  checkValues: boolean,
  path: FieldPath,
): readonly string[] {
  const warnings: string[] = [];
  for (const [index, { key, values }] of (term.matchExpressions ?? []).entries()) {
    const at = path.child('matchExpressions').index(index);
    const text = deprecatedLabelText(key);
    if (text !== undefined) warnings.push(`${at.child('key').toString()}: ${key} is ${text}`);
    if (!checkValues) continue;
    for (const [valueIndex, value] of (values ?? []).entries()) {
      for (const problem of isLabelValue(value)) {
        warnings.push(`${at.child('values').index(valueIndex).toString()}: ${value} is invalid, ${problem}`);
      }
    }
  }
  return warnings;
}

function warningsFor(spec: PodSpec, metadata: ObjectMeta, path: FieldPath, isTemplate: boolean): readonly string[] {
  const specPath = path.child('spec');
  return [
    ...warningsForPlacement(spec, specPath),
    ...warningsForAnnotations(metadata, path.child('metadata', 'annotations')),
    ...warningsForVolumes(spec.volumes ?? [], specPath.child('volumes')),
    ...warningsForOverlappingPaths(spec.volumes ?? []),
    ...warningsForDoubles(spec, specPath),
    ...warningsForFractions(spec.overhead, specPath.child('overhead')),
    ...warningsForProfiles(spec, metadata, path, isTemplate),
    ...warningsForPorts(spec, specPath),
    ...warningsForPortNames(spec, specPath),
    ...(spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0
      ? [
          `${specPath.child('terminationGracePeriodSeconds').toString()}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...warningsForPodAffinity(spec, specPath.child('affinity')),
    ...warningsForAddresses(spec, specPath),
  ];
}

function warningsForPlacement(spec: PodSpec, path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  for (const key of sortedKeys(spec.nodeSelector)) {
    const text = deprecatedLabelText(key);
    if (text !== undefined) warnings.push(`${path.child('nodeSelector').key(key).toString()}: ${text}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const at = path.child('affinity', 'nodeAffinity');
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const termsPath = at.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  for (const [index, term] of terms.entries())
    warnings.push(...warningsForNodeSelectorTerm(term, false, termsPath.index(index)));
  const wantedPath = at.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [index, { preference }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    warnings.push(...warningsForNodeSelectorTerm(preference ?? {}, true, wantedPath.index(index).child('preference')));
  }
  for (const [index, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const constraintPath = path.child('topologySpreadConstraints').index(index);
    const text = deprecatedLabelText(topologyKey);
    if (text !== undefined)
      warnings.push(`${constraintPath.child('topologyKey').toString()}: ${topologyKey} is ${text}`);
    if (labelSelector === undefined) warnings.push(nullSelector(constraintPath.child('labelSelector')));
  }
  return warnings;
}

function nullSelector(path: FieldPath): string {
  return `${path.toString()}: a null labelSelector results in matching no pod`;
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

function warningsForAnnotations(metadata: ObjectMeta, path: FieldPath): readonly string[] {
  return Object.entries(deprecatedAnnotations)
    .filter(([key]) => metadata.annotations?.[key] !== undefined)
    .map(([key, text]) => `${path.key(key).toString()}: ${text}`);
}

/** In upstream's order; the shown name differs from the field's for one. */
const deprecatedVolumes: readonly (readonly [field: keyof Volume, text: string, shown?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function warningsForVolumes(volumes: readonly Volume[], path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  for (const [index, volume] of volumes.entries()) {
    for (const [field, text, shown = field] of deprecatedVolumes) {
      if (volume[field] === undefined) continue;
      const at = path.index(index).child(shown);
      if (field !== 'ephemeral') warnings.push(`${at.toString()}: ${text}`);
      else {
        const resources = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
        warnings.push(...warningsForClaimResources(resources, at.child('volumeClaimTemplate', 'spec')));
      }
    }
  }
  return warnings;
}

type Lists = {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
};

/** Storage is asked for in whole bytes. `path` is the claim spec's. */
export function warningsForClaimResources(resources: Lists | undefined, path: FieldPath): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((list) =>
    fraction(resources?.[list], 'storage', path.child('resources', list)),
  );
}

function fraction(
  list: Readonly<Record<string, string>> | undefined,
  name: string,
  path: FieldPath,
): readonly string[] {
  const quantity = list?.[name];
  if (quantity === undefined || isWhole(quantity)) return [];
  const value = quote(canonicalQuantity(quantity));
  return [`${path.key(name).toString()}: fractional byte value ${value} is invalid, must be an integer`];
}

function warningsForFractions(list: Readonly<Record<string, string>> | undefined, path: FieldPath): readonly string[] {
  return [...fraction(list, 'memory', path), ...fraction(list, 'ephemeral-storage', path)];
}

function warningsForDoubles(spec: PodSpec, path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  const addresses = new Set<string>();
  for (const [index, { ip }] of (spec.hostAliases ?? []).entries()) {
    if (addresses.has(ip))
      warnings.push(`${path.child('hostAliases').index(index).child('ip').toString()}: duplicate ip ${quote(ip)}`);
    addresses.add(ip);
  }
  const secrets = spec.imagePullSecrets ?? [];
  const at = (index: number): FieldPath => path.child('imagePullSecrets').index(index).child('name');
  const names = new Set<string>();
  for (const [index, { name = '' }] of secrets.entries()) {
    if (names.has(name)) warnings.push(`${at(index).toString()}: duplicate name ${quote(name)}`);
    names.add(name);
  }
  for (const [index, { name = '' }] of secrets.entries()) {
    if (name === '') warnings.push(`${at(index).toString()}: invalid empty name ${quote(name)}`);
  }
  return warnings;
}

function warningsForProfiles(
  spec: PodSpec,
  metadata: ObjectMeta,
  path: FieldPath,
  isTemplate: boolean,
): readonly string[] {
  const warnings: string[] = [];
  const annotations = metadata.annotations;
  const at = path.child('metadata', 'annotations');
  const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (spec.securityContext?.seccompProfile === undefined && annotations?.[seccompPodAnnotation] !== undefined) {
    warnings.push(`${at.key(seccompPodAnnotation).toString()}: ${useSeccompField}`);
  }
  for (const { container, path: containerPath } of containersWithPaths(spec, path.child('spec'))) {
    const seccompKey = `${seccompContainerPrefix}${container.name}`;
    if (container.securityContext?.seccompProfile === undefined && annotations?.[seccompKey] !== undefined) {
      warnings.push(`${at.key(seccompKey).toString()}: ${useSeccompField}`);
    }
    const appArmorKey = `${appArmorPrefix}${container.name}`;
    const annotation = annotations?.[appArmorKey];
    const podProfile = spec.securityContext?.appArmorProfile;
    const covered = podProfile !== undefined && semanticEqual(podProfile, appArmorProfileOf(annotation ?? ''));
    if (
      isTemplate &&
      annotation !== undefined &&
      !covered &&
      container.securityContext?.appArmorProfile === undefined
    ) {
      warnings.push(
        `${at.key(appArmorKey).toString()}: deprecated since v1.30; use the "appArmorProfile" field instead`,
      );
    }
    warnings.push(...warningsForContainer(container, containerPath));
  }
  return warnings;
}

function warningsForContainer(container: Container, path: FieldPath): readonly string[] {
  const { limits, requests } = container.resources ?? {};
  const at = path.child('resources');
  const warnings = ['memory', 'ephemeral-storage'].flatMap((name) => [
    ...fraction(limits, name, at.child('limits')),
    ...fraction(requests, name, at.child('requests')),
  ]);
  const names = new Set<string>();
  for (const [index, { name, value = '', valueFrom }] of (container.env ?? []).entries()) {
    if (!names.has(name)) {
      names.add(name);
      continue;
    }
    // A variable that extends the former value of the same name is meant.
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) continue;
    const text = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    warnings.push(`${path.child('env').index(index).toString()}: ${text}`);
  }
  return warnings;
}

interface PortAt {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

function allPorts(spec: PodSpec, path: FieldPath): readonly PortAt[] {
  return containersWithPaths(spec, path).flatMap(({ container, path: at }) =>
    (container.ports ?? []).map((port, index) => ({ port, path: at.child('ports').index(index) })),
  );
}

function warningsForPorts(spec: PodSpec, path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  const groups = new Map<string, PortAt[]>();
  for (const current of allPorts(spec, path)) {
    const { port } = current;
    const hostPort = port.hostPort ?? 0;
    const hostIp = port.hostIP ?? '';
    if (hostIp !== '' && hostPort === 0) {
      const dump = `{Name:${port.name ?? ''} HostPort:0 ContainerPort:${port.containerPort} Protocol:${port.protocol ?? ''} HostIP:${hostIp}}`;
      warnings.push(`${current.path.toString()}: hostIP set without hostPort: ${dump}`);
    }
    const key = `${port.containerPort}/${port.protocol ?? ''}`;
    const others = groups.get(key) ?? [];
    for (const other of others) {
      const otherPort = other.port.hostPort ?? 0;
      const otherIp = other.port.hostIP ?? '';
      if (hostIp === otherIp && hostPort === otherPort) {
        warnings.push(`${current.path.toString()}: duplicate port definition with ${other.path.toString()}`);
      } else if (hostPort === 0 || otherPort === 0) {
        warnings.push(`${current.path.toString()}: overlapping port definition with ${other.path.toString()}`);
      } else if (hostPort === otherPort && (hostIp === '') !== (otherIp === '')) {
        warnings.push(
          `${current.path.toString()}: dangerously ambiguous port definition with ${other.path.toString()}`,
        );
      }
    }
    groups.set(key, [...others, current]);
  }
  return warnings;
}

function warningsForPortNames(spec: PodSpec, path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  const names = new Map<string, FieldPath>();
  for (const { port, path: at } of allPorts(spec, path)) {
    const name = port.name ?? '';
    if (name === '') continue;
    const other = names.get(name);
    if (other === undefined) names.set(name, at);
    else {
      const text = `services and probes that select ports by name will use ${other.toString()}`;
      warnings.push(`${at.toString()}: duplicate port name ${quote(name)} with ${other.toString()}, ${text}`);
    }
  }
  return warnings;
}

function warningsForPodAffinity(spec: PodSpec, path: FieldPath): readonly string[] {
  const warnings: string[] = [];
  const check = (term: PodAffinityTerm | undefined, at: FieldPath): void => {
    if (term?.labelSelector === undefined) warnings.push(nullSelector(at.child('labelSelector')));
  };
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = spec.affinity?.[side];
    const needed = path.child(side, 'requiredDuringSchedulingIgnoredDuringExecution');
    const wanted = path.child(side, 'preferredDuringSchedulingIgnoredDuringExecution');
    for (const [index, term] of (terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
      check(term, needed.index(index));
    }
    for (const [index, weighted] of (terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
      check(weighted.podAffinityTerm, wanted.index(index).child('podAffinityTerm'));
    }
  }
  return warnings;
}

function warningsForAddresses(spec: PodSpec, path: FieldPath): readonly string[] {
  const nameservers = path.child('dnsConfig', 'nameservers');
  const aliases = path.child('hostAliases');
  return [
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) => warningsForIp(nameservers.index(index), ip)),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) => warningsForIp(aliases.index(index).child('ip'), ip)),
  ];
}
