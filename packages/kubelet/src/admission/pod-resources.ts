// What Pods take of a node, in numbers: cpu in thousandths, everything else in base units. Totals are kept, not recounted.

import { podRequests, type ResourceList } from '@homeostat/api';
import type { Pod } from '@homeostat/api/types/core-v1';
import { parseQuantity } from '@homeostat/machinery';

export type Amounts = ReadonlyMap<string, number>;

/** The amounts of a resource list. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, amountOf(name, quantity)]));
}

function amountOf(name: string, quantity: string): number {
  const parsed = parseQuantity(quantity);
  return name === 'cpu' ? parsed.milliValue() : parsed.value();
}

export function requestsOf(pod: Pod): Amounts {
  return amountsOf(podRequests(pod));
}

/** What one Pod takes. */
export interface Share {
  readonly amounts: Amounts;
  readonly ports: readonly HostPort[];
}

/** What the Pods of a node take together. */
export class NodeUsage {
  readonly #shares = new Map<string, Share>();
  readonly #totals = new Map<string, number>();
  readonly #ports = new Map<string, number>();

  get pods(): number {
    return this.#shares.size;
  }

  of(resource: string): number {
    return this.#totals.get(resource) ?? 0;
  }

  share(uid: string): Share | undefined {
    return this.#shares.get(uid);
  }

  /** Counts a share again that was removed. */
  restore(uid: string, share: Share): void {
    this.remove(uid);
    this.#shares.set(uid, share);
    this.#count(share, 1);
  }

  /** Counts a Pod; its share stays what it is now until it is removed. */
  add(uid: string, pod: Pod): void {
    this.restore(uid, { amounts: requestsOf(pod), ports: hostPortsOf(pod) });
  }

  remove(uid: string): void {
    const share = this.#shares.get(uid);
    if (share === undefined) return;
    this.#shares.delete(uid);
    this.#count(share, -1);
  }

  /** Whether some host port of the Pod is taken. */
  hasPortConflict(pod: Pod): boolean {
    return hostPortsOf(pod).some(({ ip, port }) =>
      ip === anyAddress
        ? [...this.#ports].some(([taken, count]) => count > 0 && taken.endsWith(`|${port}`))
        : (this.#ports.get(`${ip}|${port}`) ?? 0) > 0 || (this.#ports.get(`${anyAddress}|${port}`) ?? 0) > 0,
    );
  }

  #count({ amounts, ports }: Share, sign: 1 | -1): void {
    for (const [name, amount] of amounts) this.#totals.set(name, this.of(name) + sign * amount);
    for (const { ip, port } of ports) {
      const key = `${ip}|${port}`;
      const count = (this.#ports.get(key) ?? 0) + sign;
      if (count > 0) this.#ports.set(key, count);
      else this.#ports.delete(key);
    }
  }
}

const anyAddress = '0.0.0.0';

interface HostPort {
  readonly ip: string;
  /** `<protocol>/<number>` */
  readonly port: string;
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...(spec?.containers ?? [])].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort === undefined || hostPort <= 0
        ? []
        : [
            {
              ip: hostIP === undefined || hostIP === '' ? anyAddress : hostIP,
              port: `${protocol ?? 'TCP'}/${hostPort}`,
            },
          ],
    ),
  );
}
