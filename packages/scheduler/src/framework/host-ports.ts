// Ports of the node that pods take (spec/scheduler.md §11.4). The wildcard address conflicts with every address.

import type { Pod } from '@homeostat/api/types/core-v1';

export interface HostPort {
  /** `0.0.0.0` when the pod names none. */
  readonly ip: string;
  /** `TCP/80`. */
  readonly port: string;
}

const anyIp = '0.0.0.0';
const none: readonly HostPort[] = [];

/** What a pod takes: ports of its containers and sidecars; ordinary init containers don't count. */
export function hostPortsOf(pod: Pod): readonly HostPort[] {
  let found: HostPort[] | undefined;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  for (const list of [containers, initContainers]) {
    for (const { ports, restartPolicy } of list) {
      if (ports === undefined || (list === initContainers && restartPolicy !== 'Always')) continue;
      for (const { hostPort = 0, protocol = 'TCP', hostIP = '' } of ports) {
        if (hostPort > 0) (found ??= []).push({ ip: hostIP === '' ? anyIp : hostIP, port: `${protocol}/${hostPort}` });
      }
    }
  }
  return found ?? none;
}

export function hostPortsConflict(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && (a.ip === b.ip || a.ip === anyIp || b.ip === anyIp);
}

/** Ports in use on one node, each as often as pods take it. */
export class UsedHostPorts {
  /** By port, then by address. */
  readonly #ports: Map<string, Map<string, number>>;

  constructor(copied?: UsedHostPorts) {
    this.#ports = new Map();
    if (copied === undefined) return;
    for (const [port, addresses] of copied.#ports) this.#ports.set(port, new Map(addresses));
  }

  get isEmpty(): boolean {
    return this.#ports.size === 0;
  }

  add({ ip, port }: HostPort): void {
    let addresses = this.#ports.get(port);
    if (addresses === undefined) this.#ports.set(port, (addresses = new Map()));
    addresses.set(ip, (addresses.get(ip) ?? 0) + 1);
  }

  remove({ ip, port }: HostPort): void {
    const addresses = this.#ports.get(port);
    const count = addresses?.get(ip) ?? 0;
    if (addresses === undefined || count === 0) return;
    if (count > 1) addresses.set(ip, count - 1);
    else addresses.delete(ip);
    if (addresses.size === 0) this.#ports.delete(port);
  }

  conflictsWith({ ip, port }: HostPort): boolean {
    const addresses = this.#ports.get(port);
    if (addresses === undefined) return false;
    return ip === anyIp || addresses.has(ip) || addresses.has(anyIp);
  }
}
