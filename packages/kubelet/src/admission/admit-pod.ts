// Whether a node takes a Pod in that was bound to it (spec/node.md §2.2). The first refusal wins. Schedulers have asked most of this
// before; a Pod whose node was chosen by hand has not been asked anything. NoSchedule taints are not the node's business.

import { findUntoleratedTaint, matchesRequiredNodeAffinity } from '@homeostat/api';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import type { PodVerdict } from '../pod/pod-facts.ts';
import { type Amounts, amountsOf, type NodeUsage, requestsOf } from './pod-resources.ts';

export interface AdmissionFacts {
  readonly node: Node | undefined;
  /** What the Pods admitted before take, those that are over not counted. */
  readonly usage: NodeUsage;
}

const safeSysctls: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

/** Why the node refuses the Pod; undefined when it takes it in. */
export function refusalOf(pod: Pod, facts: AdmissionFacts): PodVerdict | undefined {
  const { node } = facts;
  const sysctl = refuseSysctls(pod);
  if (sysctl !== undefined) return sysctl;
  if (node === undefined) return { reason: 'InvalidNodeInfo', message: 'Kubelet cannot get node info.' };
  return refuseOs(pod, node) ?? refuseResources(pod, node, facts.usage) ?? refusePlace(pod, node, facts.usage);
}

function refuseSysctls({ spec }: Pod): PodVerdict | undefined {
  const wrong = (spec?.securityContext?.sysctls ?? []).find(({ name }) => !safeSysctls.has(name));
  if (wrong === undefined) return undefined;
  return { reason: 'SysctlForbidden', message: `forbidden sysctl: "${wrong.name}" not allowlisted` };
}

function refuseOs(pod: Pod, node: Node): PodVerdict | undefined {
  const osLabel = 'kubernetes.io/os';
  const wanted = pod.metadata?.labels?.[osLabel];
  if (wanted !== undefined && wanted !== node.metadata?.labels?.[osLabel]) {
    const message = `Failed to admit pod as the \`${osLabel}\` label doesn't match node label`;
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message };
  }
  const os = pod.spec?.os?.name;
  if (os !== undefined && os !== '' && os !== node.status?.nodeInfo?.operatingSystem) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  return undefined;
}

/** Whether there is room for the Pod beside what `usage` counts. */
export function refuseResources(pod: Pod, node: Node, usage: NodeUsage): PodVerdict | undefined {
  const allocatable = amountsOf(node.status?.allocatable);
  const room = allocatable.get('pods') ?? 0;
  if (usage.pods + 1 > room) return outOf('pods', 1, usage.pods, room);
  const requests = requestsOf(pod);
  for (const name of resourceOrder(requests)) {
    const requested = requests.get(name) ?? 0;
    const capacity = allocatable.get(name);
    // Extended resources the node has never heard of are another's business.
    if (requested === 0 || (capacity === undefined && isExtended(name))) continue;
    if (usage.of(name) + requested > (capacity ?? 0)) return outOf(name, requested, usage.of(name), capacity ?? 0);
  }
  return undefined;
}

const nativeResources = ['cpu', 'memory', 'ephemeral-storage'];

function resourceOrder(requests: Amounts): readonly string[] {
  return [...nativeResources, ...[...requests.keys()].filter((name) => !nativeResources.includes(name)).sort()];
}

function isExtended(name: string): boolean {
  return name.includes('/') && !name.startsWith('kubernetes.io/') && !name.startsWith('requests.');
}

function outOf(name: string, requested: number, used: number, capacity: number): PodVerdict {
  return {
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

function refusePlace(pod: Pod, node: Node, usage: NodeUsage): PodVerdict | undefined {
  const spec = pod.spec ?? { containers: [] };
  if (!matchesRequiredNodeAffinity(spec, node))
    return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== node.metadata?.name)
    return predicate('NodeName', "node(s) didn't match the requested node name");
  if (usage.hasPortConflict(pod))
    return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  if (findUntoleratedTaint(node.spec?.taints ?? [], spec.tolerations ?? [], ['NoExecute']) !== undefined)
    return predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  return undefined;
}

function predicate(reason: string, text: string): PodVerdict {
  return { reason, message: `Predicate ${reason} failed: ${text}` };
}
