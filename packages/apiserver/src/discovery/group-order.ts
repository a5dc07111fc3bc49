// The order of groups and versions in discovery, and the priorities APIService objects state (facts of Kubernetes 1.36;
// spec/apiserver.md §10.2). Groups of CRDs come after the built-in ones, by name.

export interface ServicePriority {
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

const groupPriorities: Readonly<Record<string, number>> = {
  '': 18000,
  'apiregistration.k8s.io': 18000,
  apps: 17800,
  'events.k8s.io': 17750,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'networking.k8s.io': 17200,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'storage.k8s.io': 16800,
  'admissionregistration.k8s.io': 16700,
  'apiextensions.k8s.io': 16700,
  'scheduling.k8s.io': 16600,
  'coordination.k8s.io': 16500,
  'node.k8s.io': 16300,
  'discovery.k8s.io': 16200,
  'resource.k8s.io': 16200,
  'flowcontrol.apiserver.k8s.io': 16100,
};

const versionPriorities: Readonly<Record<string, number>> = {
  v1: 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};

const builtinVersionPriority = 15;
const customPriority: ServicePriority = { groupPriorityMinimum: 1000, versionPriority: 100 };

/** Whether the group is one of Kubernetes' own, with a fixed place. */
export function isBuiltinGroup(group: string): boolean {
  return groupPriorities[group] !== undefined;
}

/** What the APIService of a group version says. */
export function servicePriority(group: string, version: string): ServicePriority {
  const groupPriorityMinimum = groupPriorities[group];
  if (groupPriorityMinimum === undefined) return customPriority;
  const key = group === '' ? version : `${group}/${version}`;
  return { groupPriorityMinimum, versionPriority: versionPriorities[key] ?? builtinVersionPriority };
}

export function compareGroups(a: string, b: string): number {
  const difference = servicePriority(b, 'v1').groupPriorityMinimum - servicePriority(a, 'v1').groupPriorityMinimum;
  if (difference !== 0) return difference;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By stated priority, then stable before beta before alpha, the newer first (spec/apiserver.md §10.2). */
export function compareVersions(group: string, a: string, b: string): number {
  const difference = servicePriority(group, b).versionPriority - servicePriority(group, a).versionPriority;
  return difference === 0 ? compareKubeVersions(a, b) : difference;
}

export function compareKubeVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (left.stability !== right.stability) return right.stability - left.stability;
  return left.major === right.major ? right.minor - left.minor : right.major - left.major;
}

interface ParsedVersion {
  readonly major: number;
  readonly stability: number;
  readonly minor: number;
}

function parseVersion(text: string): ParsedVersion | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text);
  if (match === null) return undefined;
  const stability = match[2] === 'alpha' ? 0 : match[2] === 'beta' ? 1 : 2;
  return { major: Number(match[1]), stability, minor: Number(match[3] ?? 0) };
}
