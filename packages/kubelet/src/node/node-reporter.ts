// Registers the node once and keeps its status true (spec/node.md §1.1, §1.4, §1.6). A node that is deleted while its agent runs is not
// made again before the next start.

import type { Node } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import { type Client, isAlreadyExists, isForbidden, isNewerResourceVersion } from '@homeostat/client';
import { nodes } from '@homeostat/client/resources';
import { schemaFor } from '../schemas.ts';
import type { NodeIdentity } from './node-definition.ts';
import { defaultLabels, initialNode, nodeStatus, ownLabels } from './node-object.ts';
import { nodePatch, nodeStatusDiffers, reconcileNode } from './node-write.ts';

export interface NodeReporterOptions {
  readonly env: Env;
  readonly identity: NodeIdentity;
  /** The node's own. */
  readonly client: Client;
  /** An administrator's, for labels that a node may not give itself; absent: those are left out. */
  readonly adminClient?: Client;
  /** The node as the cache has it. */
  readonly cached: () => Node | undefined;
  emit(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

const updatePeriodMs = 10_000;
const reportPeriodMs = 300_000;
const registerFirstMs = 100;
const registerMaxMs = 7_000;
const triesMax = 5;

export class NodeReporter {
  readonly #options: NodeReporterOptions;
  #registered = false;
  #announced = false;
  #failures = 0;
  #last: Node | undefined;
  #reportAtMs = 0;
  #checkedVersion: string | undefined;
  #unschedulable: boolean | undefined;

  constructor(options: NodeReporterOptions) {
    this.#options = options;
  }

  get registered(): boolean {
    return this.#registered;
  }

  /** The newest state of the node that is known. */
  get node(): Node | undefined {
    const cached = this.#options.cached();
    const last = this.#last;
    if (cached === undefined || last === undefined) return cached ?? last;
    return isNewerResourceVersion(versionOf(last), versionOf(cached)) ? last : cached;
  }

  /** Registers, or looks at the status and writes it if need be; returns after how many milliseconds to call again. */
  async pass(signal: AbortSignal): Promise<number> {
    return this.#registered ? this.#update(signal) : this.#register(signal);
  }

  /** Begins anew, as a process that has just started. */
  reset(): void {
    this.#registered = false;
    this.#announced = false;
    this.#failures = 0;
    this.#checkedVersion = undefined;
  }

  async #register(signal: AbortSignal): Promise<number> {
    const { env, identity, emit } = this.#options;
    const { name } = identity.definition;
    if (!this.#announced) {
      this.#announced = true;
      emit('Normal', 'Starting', 'Starting kubelet.');
      for (const reason of ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID']) {
        emit('Normal', reason, `Node ${name} status is now: ${reason}`);
      }
      emit('Normal', 'NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
    }
    try {
      await this.#createOrReconcile(signal);
    } catch (error) {
      signal.throwIfAborted();
      env.log.warn('the node could not be registered', { node: name, error });
      return Math.min(registerFirstMs * 2 ** this.#failures++, registerMaxMs);
    }
    this.#registered = true;
    this.#failures = 0;
    return this.#update(signal);
  }

  async #createOrReconcile(signal: AbortSignal): Promise<void> {
    const { env, identity, client } = this.#options;
    const initial = initialNode(identity, env.clock.nowMs());
    try {
      this.#last = await client.create(nodes, { object: initial, signal });
      await this.#giveLabels(signal);
    } catch (error) {
      if (!isAlreadyExists(error) && !isForbidden(error)) throw error;
      const existing = await client.get(nodes, { name: identity.definition.name, signal });
      await this.#reconcile(existing, initial, signal);
    }
  }

  /** What of the user's labels only an administrator may set. */
  async #giveLabels(signal: AbortSignal): Promise<void> {
    const { identity, adminClient } = this.#options;
    const { name, labels = {} } = identity.definition;
    const own = ownLabels(labels);
    const foreign = Object.entries(labels).filter(([key]) => own[key] === undefined);
    if (adminClient === undefined || foreign.length === 0) return;
    const patch = { metadata: { labels: Object.fromEntries(foreign) } };
    this.#last = await adminClient.patch<Node>(nodes, { name, type: 'merge', patch, signal });
  }

  async #reconcile(existing: Node, initial: Node, signal: AbortSignal): Promise<void> {
    const { identity, client, emit } = this.#options;
    const { name, labels = {} } = identity.definition;
    this.#last = existing;
    const bootId = existing.status?.nodeInfo?.bootID;
    if (bootId !== undefined && bootId !== '' && bootId !== identity.bootId) {
      emit('Warning', 'Rebooted', `Node ${name} has been rebooted, boot id: ${identity.bootId}`);
    }
    const owned = Object.entries(labels).filter(([key]) =>
      /^(topology|failure-domain\.beta|node|beta)\.kubernetes\.io\//.test(key),
    );
    const wanted = reconcileNode(existing, initial, { ...Object.fromEntries(owned), ...defaultLabels(identity) });
    const patch = nodePatch(existing, wanted, schemaFor('Node'));
    if (patch === undefined) return;
    this.#last = await client.patch<Node>(nodes, { name, subresource: 'status', type: 'strategic', patch, signal });
  }

  async #update(signal: AbortSignal): Promise<number> {
    const { env, identity, client } = this.#options;
    const { name } = identity.definition;
    for (let tries = 1; tries <= triesMax; tries++) {
      try {
        const node = tries === 1 ? this.node : await client.get(nodes, { name, signal });
        if (node === undefined) continue;
        await this.#report(node, signal);
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (tries === triesMax) env.log.warn('the node status could not be written', { node: name, error });
      }
    }
    return updatePeriodMs * (1 + 0.04 * env.random.float());
  }

  async #report(node: Node, signal: AbortSignal): Promise<void> {
    const { env, identity, client } = this.#options;
    const nowMs = env.clock.nowMs();
    const due = env.clock.monotonicMs() >= this.#reportAtMs;
    // Nothing has changed since it was found to be right.
    if (!due && this.#checkedVersion === versionOf(node)) return;
    this.#tellSchedulable(node);
    const wanted: Node = {
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata?.labels, ...platformLabels(identity) } },
      status: nodeStatus(identity, node.status, { ready: true }, nowMs),
    };
    const differs = nodeStatusDiffers(node, wanted) || !hasLabels(node, platformLabels(identity));
    if (!differs && !due) {
      this.#checkedVersion = versionOf(node);
      return;
    }
    const patch = nodePatch(node, wanted, schemaFor('Node'));
    if (patch !== undefined) {
      this.#last = await client.patch<Node>(nodes, {
        name: identity.definition.name,
        subresource: 'status',
        type: 'strategic',
        patch,
        signal,
      });
      this.#checkedVersion = versionOf(this.#last);
    }
    this.#tellReady(node);
    const spread = differs ? (env.random.float() - 0.5) * reportPeriodMs : 0;
    this.#reportAtMs = env.clock.monotonicMs() + reportPeriodMs + spread;
  }

  #tellReady(before: Node): void {
    const { identity, emit } = this.#options;
    const ready = before.status?.conditions?.find(({ type }) => type === 'Ready');
    if (ready === undefined || ready.status === 'True') return;
    emit('Normal', 'NodeReady', `Node ${identity.definition.name} status is now: NodeReady`);
  }

  #tellSchedulable(node: Node): void {
    const { identity, emit } = this.#options;
    const unschedulable = node.spec?.unschedulable === true;
    if (this.#unschedulable !== undefined && this.#unschedulable !== unschedulable) {
      const reason = unschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable';
      emit('Normal', reason, `Node ${identity.definition.name} status is now: ${reason}`);
    }
    this.#unschedulable = unschedulable;
  }
}

function versionOf(node: Node): string {
  return node.metadata?.resourceVersion ?? '';
}

function platformLabels({ operatingSystem, architecture }: NodeIdentity): Record<string, string> {
  return { 'kubernetes.io/os': operatingSystem, 'kubernetes.io/arch': architecture };
}

function hasLabels(node: Node, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => node.metadata?.labels?.[key] === value);
}
