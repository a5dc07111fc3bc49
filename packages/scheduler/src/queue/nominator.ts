// Which pods are nominated to which node: by their status, or by a decision whose write has not come back yet (spec/scheduler.md §4.7).

import type { NominatedPods, NominatingInfo } from '../framework/plugin.ts';
import { PodInfo } from '../framework/pod-info.ts';

const nobody: readonly PodInfo[] = [];

export interface NominatorOptions {
  /** The pod as the informer has it; nothing is nominated that is not there any more. */
  livePod(info: PodInfo): PodInfo | undefined;
  /** The pod as the queue has it. */
  queuedPod(key: string): PodInfo | undefined;
}

export class Nominator implements NominatedPods {
  readonly #options: NominatorOptions;
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  constructor(options: NominatorOptions) {
    this.#options = options;
  }

  /** Enters a pod under the node given, or else its status', replacing what was known. */
  add(info: PodInfo, nominating?: NominatingInfo): void {
    this.delete(info.uid);
    const node = nominating?.nodeName ?? info.nominatedNodeName;
    if (node === '') return;
    const live = this.#options.livePod(info);
    if (live === undefined || live.nodeName !== '') return;
    let pods = this.#byNode.get(node);
    if (pods === undefined) this.#byNode.set(node, (pods = new Map()));
    pods.set(info.uid, info);
    this.#nodeOf.set(info.uid, node);
  }

  /** The pod has changed. What its status says wins, unless it says nothing before and after. */
  update(old: PodInfo, now: PodInfo): void {
    const known = this.#nodeOf.get(now.uid);
    // The write of a nomination made just now has not come back yet.
    const keeps = known !== undefined && old.nominatedNodeName === '' && now.nominatedNodeName === '';
    this.delete(old.uid);
    this.add(now, keeps ? { nodeName: known } : undefined);
  }

  delete(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  nominatedPodsFor(nodeName: string): readonly PodInfo[] {
    if (this.#byNode.size === 0) return nobody;
    const pods = this.#byNode.get(nodeName);
    if (pods === undefined) return nobody;
    return Array.from(pods.values(), (info) => {
      const queued = this.#options.queuedPod(info.key);
      return queued !== undefined && queued.uid === info.uid ? queued : bareReference(info);
    });
  }
}

// A pod that is in no queue is known by name only: it takes no room.
function bareReference({ name, namespace, uid }: PodInfo): PodInfo {
  return new PodInfo({ metadata: { name, namespace, uid } });
}
