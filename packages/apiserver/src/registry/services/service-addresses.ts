// Cluster addresses: an address is taken by creating the IPAddress object of its name, which makes the store the judge
// between servers (KEP-1880). Which ranges there are is said by the ServiceCIDR objects.

import type { Random } from '@homeostat/base';
import { isApiError } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import type { GroupResource, KubeObject } from '@homeostat/machinery';
import { ownRequest } from '../bootstrap/own-request.ts';
import type { StoredResource } from '../stored-resource.ts';
import { AddressRange } from './address-range.ts';
import type { IpFamily } from './ip-families.ts';

interface ServiceCidr extends KubeObject {
  readonly spec?: { readonly cidrs?: readonly string[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface ServiceAddressesOptions {
  readonly random: Random;
  /** Ranges the server was started with. */
  readonly ranges: readonly string[];
  readonly stored: (resource: GroupResource) => StoredResource | undefined;
  readonly handle: Handle;
}

const path = '/apis/networking.k8s.io/v1/ipaddresses';

export class ServiceAddresses {
  readonly #options: ServiceAddressesOptions;
  readonly #configured: readonly AddressRange[];

  constructor(options: ServiceAddressesOptions) {
    this.#options = options;
    this.#configured = options.ranges.map((text) => new AddressRange(text));
  }

  /** Families in the cluster's order; the first is the default. */
  get families(): readonly IpFamily[] {
    return this.#configured.map((range) => range.family);
  }

  /** The address of the `kubernetes` Service. */
  get first(): string {
    return this.#configured[0]?.first ?? '';
  }

  /** Takes one address for a Service. @throws Error saying why it can't be had */
  async take(ip: string, owner: Owner, dryRun: boolean, signal: AbortSignal): Promise<void> {
    if (!this.#ranges().some((range) => range.contains(ip))) {
      // A dry run asks the configured range alone, which has words of its own.
      const range = this.#configured[0]?.text ?? '';
      throw new Error(
        dryRun
          ? `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range}`
          : 'the provided network does not match the current range',
      );
    }
    if (this.#isTaken(ip)) throw new Error('provided IP is already allocated');
    if (!dryRun && !(await this.#create(ip, owner, signal))) throw new Error('provided IP is already allocated');
  }

  /** Takes any free address of a family; a dry run gets the network's own. @throws Error when the ranges are full */
  async takeAny(family: IpFamily, owner: Owner, dryRun: boolean, signal: AbortSignal): Promise<string> {
    for (const range of this.#ranges()) {
      if (range.family !== family) continue;
      if (dryRun) return range.network;
      for (const ip of range.candidates(this.#options.random)) {
        signal.throwIfAborted();
        if (!this.#isTaken(ip) && (await this.#create(ip, owner, signal))) return ip;
      }
    }
    throw new Error('range is full');
  }

  async release(ip: string): Promise<void> {
    const signal = new AbortController().signal;
    try {
      await ownRequest(this.#options.handle, signal, { method: 'DELETE', path: `${path}/${encodeURIComponent(ip)}` });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  /** Ranges of ready ServiceCIDRs that are not going; the configured ones while there are none. */
  #ranges(): readonly AddressRange[] {
    const stored = this.#options.stored({ group: 'networking.k8s.io', resource: 'servicecidrs' });
    const ready = (stored?.cache.list() ?? [])
      .map((version) => version.stored as ServiceCidr)
      .filter((cidr) => cidr.metadata?.deletionTimestamp === undefined && isReady(cidr))
      .flatMap((cidr) => cidr.spec?.cidrs ?? []);
    const extra = ready.filter((text) => !this.#configured.some((range) => range.text === text));
    return [...this.#configured, ...extra.map((text) => new AddressRange(text))];
  }

  #isTaken(ip: string): boolean {
    const stored = this.#options.stored({ group: 'networking.k8s.io', resource: 'ipaddresses' });
    return stored?.cache.get('', ip) !== undefined;
  }

  /** False when somebody else has it. */
  async #create(ip: string, owner: Owner, signal: AbortSignal): Promise<boolean> {
    const object = {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name: ip,
        labels: {
          'ipaddress.kubernetes.io/ip-family': ip.includes(':') ? 'IPv6' : 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: owner.namespace, name: owner.name } },
    };
    try {
      await ownRequest(this.#options.handle, signal, { method: 'POST', path, object });
      return true;
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return false;
      throw error;
    }
  }
}

export interface Owner {
  readonly namespace: string;
  readonly name: string;
}

function isReady(cidr: ServiceCidr): boolean {
  return (cidr.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}
