// Which checks a level asks for in which version of the rules. A check's newest revision that is not newer than the
// wanted version counts; a restricted check may stand in for a baseline one.

import {
  checkAppArmor,
  checkCapabilities,
  checkHostNamespaces,
  checkHostPathVolumes,
  checkHostPorts,
  checkHostProcess,
  checkPrivileged,
  checkProbeHosts,
  checkProcMount,
  checkSeccomp,
  checkSeccompAnnotations,
  checkSeLinux,
  checkSysctls,
  seLinuxTypes,
  seLinuxTypes31,
  sysctls,
  sysctls27,
  sysctls29,
  sysctls32,
  unlessUserNamespace,
} from './baseline-checks.ts';
import {
  checkDroppedCapabilities,
  checkNonRoot,
  checkPrivilegeEscalation,
  checkRootUser,
  checkSeccompSet,
  checkVolumeTypes,
  unlessWindows,
} from './restricted-checks.ts';
import type { LevelVersion } from './security-policy.ts';
import type { CheckedPod, PodCheck, Violation } from './violation.ts';

interface CheckEntry {
  readonly id: string;
  /** Revisions by the minor they came with, oldest first. */
  readonly revisions: readonly (readonly [sinceMinor: number, check: PodCheck])[];
  /** The baseline check this one stands in for. */
  readonly replaces?: string;
}

// The order of both tables is the order findings are told in.
const baseline: readonly CheckEntry[] = [
  { id: 'appArmorProfile', revisions: [[0, checkAppArmor]] },
  { id: 'capabilities_baseline', revisions: [[0, checkCapabilities]] },
  { id: 'hostNamespaces', revisions: [[0, checkHostNamespaces]] },
  { id: 'hostPathVolumes', revisions: [[0, checkHostPathVolumes]] },
  { id: 'hostPorts', revisions: [[0, checkHostPorts]] },
  { id: 'hostProbesAndHostLifecycle', revisions: [[34, checkProbeHosts]] },
  { id: 'privileged', revisions: [[0, checkPrivileged]] },
  {
    id: 'procMount',
    revisions: [
      [0, checkProcMount],
      [35, unlessUserNamespace(checkProcMount)],
    ],
  },
  {
    id: 'seLinuxOptions',
    revisions: [
      [0, checkSeLinux(seLinuxTypes)],
      [31, checkSeLinux(seLinuxTypes31)],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    revisions: [
      [0, checkSeccompAnnotations],
      [19, checkSeccomp],
    ],
  },
  {
    id: 'sysctls',
    revisions: [
      [0, checkSysctls(sysctls)],
      [27, checkSysctls(sysctls27)],
      [29, checkSysctls(sysctls29)],
      [32, checkSysctls(sysctls32)],
    ],
  },
  { id: 'windowsHostProcess', revisions: [[0, checkHostProcess]] },
];

const restricted: readonly CheckEntry[] = [
  {
    id: 'allowPrivilegeEscalation',
    revisions: [
      [8, checkPrivilegeEscalation],
      [25, unlessWindows(checkPrivilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    replaces: 'capabilities_baseline',
    revisions: [
      [22, checkDroppedCapabilities],
      [25, unlessWindows(checkDroppedCapabilities)],
    ],
  },
  { id: 'procMount_restricted', replaces: 'procMount', revisions: [[35, checkProcMount]] },
  { id: 'restrictedVolumes', replaces: 'hostPathVolumes', revisions: [[0, checkVolumeTypes]] },
  {
    id: 'runAsNonRoot',
    revisions: [
      [0, checkNonRoot],
      [35, unlessUserNamespace(checkNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    revisions: [
      [23, checkRootUser],
      [35, unlessUserNamespace(checkRootUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    replaces: 'seccompProfile_baseline',
    revisions: [
      [19, checkSeccompSet],
      [25, unlessWindows(checkSeccompSet)],
    ],
  },
];

/** All findings, in order; empty when the Pod keeps the level. */
export function violationsOf({ level, minor }: LevelVersion, pod: CheckedPod): readonly Violation[] {
  if (level === 'privileged') return [];
  const active = (entry: CheckEntry): boolean => (entry.revisions[0]?.[0] ?? 0) <= minor;
  const added = level === 'restricted' ? restricted.filter(active) : [];
  const replaced = new Set(added.map(({ replaces }) => replaces));
  return [...baseline.filter((entry) => active(entry) && !replaced.has(entry.id)), ...added]
    .map(({ revisions }) => revisions.findLast(([since]) => since <= minor)?.[1](pod))
    .filter((violation) => violation !== undefined);
}

/** `privileged (…), hostPort (…)` */
export function detailText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

/** `privileged, hostPort` */
export function reasonText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
