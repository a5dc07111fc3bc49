// The resources one Pod has been allotted, and its resize if one is pending (spec/node.md §11).

import type { Container, Pod } from '@homeostat/api/types/core-v1';
import type { SyncCommand } from '../pod/plan-builder.ts';
import { newestOf } from '../pod/pod-facts.ts';
import {
  type Allotment,
  allotAll,
  type PendingResize,
  resizedContainers,
  resizeRestarts,
  resizeText,
  withAllotment,
} from '../pod/resize.ts';
import type { ContainerKind } from '../runtime/container-runtime.ts';
import type { WorkerHost } from './worker-host.ts';

/** A resize that found no room is tried again this often, and whenever room comes about. */
const retryMs = 180_000;

export class PodAllotment {
  readonly #host: WorkerHost;
  readonly #uid: string;
  #allotment: Allotment;
  #pending: PendingResize | undefined;

  constructor(pod: Pod, host: WorkerHost) {
    this.#host = host;
    this.#uid = pod.metadata?.uid ?? '';
    this.#allotment = allotAll(pod);
  }

  get pending(): PendingResize | undefined {
    return this.#pending;
  }

  /** The Pod as it runs. */
  apply(pod: Pod): Pod {
    return withAllotment(pod, this.#allotment);
  }

  /** Takes up resources that the spec asks for anew; returns what has to end to start again with them. */
  check(pod: Pod): readonly SyncCommand[] {
    const resized = resizedContainers(pod, this.#allotment);
    if (resized.length === 0) {
      this.#pending = undefined;
      return [];
    }
    const verdict = this.#host.allot(this.#uid, pod);
    if (verdict !== undefined) {
      const news = this.#pending?.message !== verdict.message;
      this.#pending = { reason: 'Deferred', message: verdict.message };
      const message = `Pod resize ${verdict.reason}: ${resizeText(pod, verdict.message)}`;
      if (news) this.#host.emit(pod, { type: 'Warning', reason: 'ResizeDeferred', message });
      this.#host.requestPass(this.#uid, retryMs);
      return [];
    }
    const restarts = resized.flatMap((container) => this.#restart(pod, container));
    this.#allotment = allotAll(pod);
    this.#pending = undefined;
    const text = resizeText(pod);
    this.#host.emit(pod, { type: 'Normal', reason: 'ResizeStarted', message: `Pod resize started: ${text}` });
    this.#host.emit(pod, { type: 'Normal', reason: 'ResizeCompleted', message: `Pod resize completed: ${text}` });
    return restarts;
  }

  #restart(pod: Pod, container: Container): readonly SyncCommand[] {
    const view = newestOf(this.#host.runtime.view(this.#uid), container.name);
    const before = this.#allotment.get(container.name) ?? {};
    if (view?.state !== 'running' || !resizeRestarts(container, before)) return [];
    const message = `Container ${container.name} resize requires restart`;
    return [{ type: 'kill', container, kind: kindOf(pod, container), view, message }];
  }
}

function kindOf(pod: Pod, { name }: Container): ContainerKind {
  return (pod.spec?.initContainers ?? []).some((container) => container.name === name) ? 'init' : 'regular';
}
