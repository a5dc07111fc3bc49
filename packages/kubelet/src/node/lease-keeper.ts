// The node's sign of life: a Lease, renewed every ten seconds (spec/node.md §1.5). One beat at a time; who calls it is the pool.

import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { Node } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import { type Client, isConflict, isNotFound } from '@homeostat/client';
import { leases } from '@homeostat/client/resources';
import { formatMicroTime } from '@homeostat/machinery';

const namespace = 'kube-node-lease';
const durationSeconds = 40;
const periodMs = durationSeconds * 250;
const triesMax = 5;
const retryFirstMs = 200;
const retryMaxMs = 7_000;

export interface LeaseKeeperOptions {
  readonly env: Env;
  readonly name: string;
  readonly client: Client;
  /** The node as it is known; undefined while there is none. */
  readonly node: () => Node | undefined;
}

export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  #lease: Lease | undefined;
  #failures = 0;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  /** Renews the lease, and makes it where it is missing; returns after how many milliseconds to call again. */
  async beat(signal: AbortSignal): Promise<number> {
    const { env } = this.#options;
    try {
      const known = this.#lease;
      if (known === undefined || !(await this.#renew(known, signal))) await this.#ensure(signal);
      this.#failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      this.#failures++;
      env.log.warn('the node lease could not be renewed', { node: this.#options.name, error });
      return Math.min(retryFirstMs * 2 ** (this.#failures - 1), retryMaxMs);
    }
    return periodMs * (1 + 0.04 * env.random.float());
  }

  /** False when the lease has to be found or made first. */
  async #renew(known: Lease, signal: AbortSignal): Promise<boolean> {
    let lease = known;
    for (let tries = 1; tries <= triesMax; tries++) {
      try {
        this.#lease = await this.#options.client.update(leases, { object: this.#renewed(lease), signal });
        return true;
      } catch (error) {
        signal.throwIfAborted();
        if (isNotFound(error)) break;
        if (isConflict(error))
          lease = await this.#options.client.get(leases, { namespace, name: this.#options.name, signal });
        else if (tries === triesMax) throw error;
      }
    }
    this.#lease = undefined;
    return false;
  }

  async #ensure(signal: AbortSignal): Promise<void> {
    const { client, name, node } = this.#options;
    let lease: Lease;
    try {
      lease = await client.get(leases, { namespace, name, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const owner = node();
      if (owner === undefined) throw new Error(`node ${name} is not known yet`, { cause: error });
      const fresh: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          name,
          namespace,
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: owner.metadata?.uid ?? '' }],
        },
        spec: {},
      };
      this.#lease = await client.create(leases, { object: this.#renewed(fresh), signal });
      return;
    }
    this.#lease = await client.update(leases, { object: this.#renewed(lease), signal });
  }

  #renewed(lease: Lease): Lease {
    const { env, name } = this.#options;
    return {
      ...lease,
      spec: {
        ...lease.spec,
        holderIdentity: name,
        leaseDurationSeconds: durationSeconds,
        renewTime: formatMicroTime(env.clock.nowMs()),
      },
    };
  }
}
