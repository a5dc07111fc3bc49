// Allocates what a Service needs before it is stored, and gives back what it no longer needs: families, cluster
// addresses, node ports, the health check port (spec/apiserver.md §13.3). The storage hooks of `services`.

import {
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  normalizeClusterIps,
  patchAllocatedValues,
} from '@homeostat/api';
import type { Service } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import {
  FieldPath,
  type GroupResource,
  invalid,
  type KubeObject,
  type Mutable,
  newInternalError,
  newInvalid,
} from '@homeostat/machinery';
import type { FinishHook, HookContext, StorageHooks } from '../storage-hooks.ts';
import type { StoredResource } from '../stored-resource.ts';
import { initIpFamilies, type IpFamily, keepsPreferredFamilies } from './ip-families.ts';
import { NodePorts, portsOf, type NodePortRange } from './node-ports.ts';
import { ServiceAddresses } from './service-addresses.ts';

export interface ServiceAllocatorOptions {
  readonly env: Env;
  readonly ranges: readonly string[];
  readonly nodePorts: NodePortRange;
}

/** What one write holds until it is known whether it was stored. */
interface Claim {
  readonly addresses: string[];
  readonly ports: Set<number>;
  /** Given back when the write succeeds. */
  readonly releases: string[];
}

export class ServiceAllocator {
  readonly #options: ServiceAllocatorOptions;
  #addresses: ServiceAddresses | undefined;
  #ports: NodePorts | undefined;
  #services: (() => StoredResource | undefined) | undefined;

  constructor(options: ServiceAllocatorOptions) {
    this.#options = options;
  }

  /** Connects the allocator to the server it allocates for; before the first request. */
  attach(options: {
    readonly stored: (resource: GroupResource) => StoredResource | undefined;
    readonly handle: Handle;
  }): void {
    const { env, ranges, nodePorts } = this.#options;
    this.#services = () => options.stored({ group: '', resource: 'services' });
    this.#addresses = new ServiceAddresses({ random: env.random, ranges, ...options });
    this.#ports = new NodePorts({ range: nodePorts, random: env.random, services: this.#services });
  }

  get addresses(): ServiceAddresses {
    if (this.#addresses === undefined) throw new Error('the allocator is not attached');
    return this.#addresses;
  }

  get #nodePorts(): NodePorts {
    if (this.#ports === undefined) throw new Error('the allocator is not attached');
    return this.#ports;
  }

  readonly hooks: StorageHooks = {
    beginCreate: (draft, context) => this.#begin(draft as Mutable<Service>, undefined, context),
    beginUpdate: (draft, old, context) => this.#begin(draft as Mutable<Service>, old as Service, context),
    afterDelete: async (object, context) => {
      if (context.dryRun) return;
      for (const ip of addressesOf(object as Service)) await this.addresses.release(ip);
    },
  };

  async #begin(draft: Mutable<Service>, old: Service | undefined, context: HookContext): Promise<FinishHook> {
    if (old !== undefined) patchAllocatedValues(draft, old);
    normalizeClusterIps(draft, old);
    const claim: Claim = { addresses: [], ports: new Set(), releases: [] };
    try {
      initIpFamilies(draft, old, this.addresses.families);
      await this.#claimAddresses(draft, old, claim, context);
      this.#claimPorts(draft, old, claim);
    } catch (error) {
      await this.#settle(claim, false, context);
      throw error;
    }
    return (stored) => this.#settle(claim, stored && !context.dryRun, context);
  }

  async #settle(claim: Claim, stored: boolean, context: HookContext): Promise<void> {
    const revision = this.#services?.()?.store.revision;
    this.#nodePorts.settle(claim.ports, stored ? revision : undefined);
    if (context.dryRun) return;
    for (const ip of stored ? claim.releases : claim.addresses) await this.addresses.release(ip);
  }

  async #claimAddresses(
    draft: Mutable<Service>,
    old: Service | undefined,
    claim: Claim,
    context: HookContext,
  ): Promise<void> {
    const spec = (draft.spec ??= {});
    const before = old === undefined || !needsClusterIp(old) ? [] : addressesOf(old);
    if (!needsClusterIp(draft as Service)) {
      claim.releases.push(...before);
      return;
    }
    if (
      spec.clusterIPs?.[0] === 'None' ||
      old?.spec?.clusterIPs?.[0] === 'None' ||
      keepsPreferredFamilies(draft as Service, old)
    )
      return;
    const families = (spec.ipFamilies ?? []) as readonly IpFamily[];
    const ips = (spec.clusterIPs ??= []);
    const owner = { namespace: draft.metadata?.namespace ?? '', name: draft.metadata?.name ?? '' };
    for (const [index, family] of families.entries()) {
      const wanted = ips[index] ?? '';
      // What it has is its own; whether it may change is a matter of validation.
      if (before[index] !== undefined) continue;
      const ip = wanted === '' ? await this.#takeAny(family, owner, context) : wanted;
      if (wanted !== '') await this.#take(wanted, draft, owner, context);
      if (!context.dryRun) claim.addresses.push(ip);
      ips[index] = ip;
      if (index === 0) spec.clusterIP = ip;
    }
    if (families.length < before.length) claim.releases.push(...before.slice(families.length));
  }

  async #take(
    ip: string,
    draft: Mutable<Service>,
    owner: { namespace: string; name: string },
    context: HookContext,
  ): Promise<void> {
    try {
      await this.addresses.take(ip, owner, context.dryRun, context.signal);
    } catch (error) {
      const text = `failed to allocate IP ${ip}: ${error instanceof Error ? error.message : String(error)}`;
      throw refused(draft, invalid(new FieldPath('spec.clusterIPs'), draft.spec?.clusterIPs, text));
    }
  }

  async #takeAny(family: IpFamily, owner: { namespace: string; name: string }, context: HookContext): Promise<string> {
    try {
      return await this.addresses.takeAny(family, owner, context.dryRun, context.signal);
    } catch (error) {
      throw newInternalError(
        new Error(`failed to allocate a serviceIP: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
  }

  #claimPorts(draft: Mutable<Service>, old: Service | undefined, claim: Claim): void {
    const own = new Set(old === undefined ? [] : portsOf(old));
    if (needsNodePorts(draft as Service)) this.#claimNodePorts(draft, own, claim);
    const spec = (draft.spec ??= {});
    if (!needsHealthCheckPort(draft as Service)) return;
    const wanted = spec.healthCheckNodePort ?? 0;
    if (wanted !== 0 && own.has(wanted)) return;
    if (wanted === 0) {
      spec.healthCheckNodePort = this.#anyPort(claim, 'failed to allocate a HealthCheck NodePort');
      return;
    }
    const problem = this.#nodePorts.reserve(wanted);
    if (problem !== undefined)
      throw newInternalError(new Error(`failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`));
    claim.ports.add(wanted);
  }

  /** One number may serve several protocols of one port. */
  #claimNodePorts(draft: Mutable<Service>, own: ReadonlySet<number>, claim: Claim): void {
    const spec = draft.spec;
    const ports = spec?.ports ?? [];
    const allocates = spec?.type === 'NodePort' || spec?.allocateLoadBalancerNodePorts !== false;
    const byPort = new Map<number, number>();
    for (const [index, port] of ports.entries()) {
      if ((port.nodePort ?? 0) === 0 && !allocates) continue;
      const number = port.port ?? 0;
      const shared = byPort.get(number);
      if ((port.nodePort ?? 0) === 0) {
        const requested = ports.find((other) => other.port === number && (other.nodePort ?? 0) !== 0)?.nodePort;
        port.nodePort = shared ?? requested ?? this.#anyPort(claim, 'failed to allocate a nodePort');
      }
      const nodePort = port.nodePort ?? 0;
      if (!own.has(nodePort) && !claim.ports.has(nodePort)) {
        const problem = this.#nodePorts.reserve(nodePort);
        if (problem !== undefined) {
          throw refused(draft, invalid(new FieldPath('spec.ports').index(index).child('nodePort'), nodePort, problem));
        }
        claim.ports.add(nodePort);
      }
      byPort.set(number, nodePort);
    }
  }

  #anyPort(claim: Claim, text: string): number {
    try {
      const port = this.#nodePorts.reserveAny();
      claim.ports.add(port);
      return port;
    } catch (error) {
      throw newInternalError(new Error(`${text}: ${error instanceof Error ? error.message : String(error)}`));
    }
  }
}

/** Allocated addresses of a Service, in the order of its families. */
function addressesOf(service: Service): readonly string[] {
  return (service.spec?.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== 'None');
}

function refused(draft: Mutable<Service>, error: ReturnType<typeof invalid>): Error {
  return newInvalid({ group: '', kind: 'Service' }, (draft as KubeObject).metadata?.name ?? '', [error]);
}
