// The pieces a sync plan is made of, and the rules both init and regular containers follow: when one is started, when a running one
// is ended.

import type { Container } from '@homeostat/api/types/core-v1';
import { probeSpecOf } from '../probes/probe-spec.ts';
import type { ContainerKind, ContainerView } from '../runtime/container-runtime.ts';
import type { PodEvent } from './pod-event.ts';
import { isSidecar, type PodFacts, specOf, type StartFailure } from './pod-facts.ts';
import { type BackOffMemory, decideStart } from './start-decision.ts';

export type SyncCommand =
  | { readonly type: 'create-sandbox'; readonly attempt: number }
  | {
      readonly type: 'start';
      readonly container: Container;
      readonly kind: ContainerKind;
      readonly attempt: number;
    }
  | {
      readonly type: 'kill';
      readonly container: Container;
      readonly kind: ContainerKind;
      readonly view: ContainerView;
      readonly message: string;
      /** Shorter than the Pod's. */
      readonly graceSeconds?: number;
    }
  /** An exit of one container starts all of them anew. */
  | { readonly type: 'restart-all'; readonly source: string }
  /** Nothing is left to run. */
  | { readonly type: 'kill-pod' };

export interface SyncPlan {
  readonly commands: readonly SyncCommand[];
  readonly events: readonly PodEvent[];
  /** Containers that have to wait, and why. */
  readonly failures: ReadonlyMap<string, StartFailure>;
  readonly memory: BackOffMemory;
  /** The earliest end of a wait, wall clock; Infinity when nothing waits. */
  readonly retryMs: number;
}

/** Collects what a plan is made of. */
export class PlanBuilder {
  readonly facts: PodFacts;
  readonly commands: SyncCommand[] = [];
  readonly events: PodEvent[] = [];
  readonly failures = new Map<string, StartFailure>();
  #memory: BackOffMemory;
  #retryMs = Infinity;

  constructor(facts: PodFacts, memory: BackOffMemory) {
    this.facts = facts;
    this.#memory = memory;
  }

  /** Starts a container, unless it has to wait. */
  start(container: Container, kind: ContainerKind): void {
    const decision = decideStart(container, kind, this.facts, this.#memory);
    if (decision.type === 'wait') {
      this.events.push(...decision.events);
      this.failures.set(container.name, decision.failure);
      this.#retryMs = Math.min(this.#retryMs, decision.untilMs);
      return;
    }
    this.commands.push({ type: 'start', container, kind, attempt: decision.attempt });
    if (decision.backOff === undefined) return;
    const containers = new Map(this.#memory.containers);
    containers.set(decision.key, decision.backOff);
    this.#memory = { ...this.#memory, containers };
  }

  /** Starts all containers anew, because of how one ended, unless that has to wait. */
  restartAll(source: Container, kind: ContainerKind): void {
    this.start(source, kind);
    const start = this.commands.pop();
    if (start !== undefined) this.commands.push({ type: 'restart-all', source: source.name });
  }

  /** Ends a running instance that can't go on, if so; whether it did. */
  killIfBroken(container: Container, kind: ContainerKind, view: ContainerView): boolean {
    const cause = findBreak(container, kind, view, this.facts);
    if (cause === undefined) return false;
    const { restartPolicy = specOf(this.facts.pod).restartPolicy } = container;
    const restarts = cause.always || restartPolicy !== 'Never';
    const message = restarts ? `${cause.message}, will be restarted` : cause.message;
    const grace = cause.graceSeconds === undefined ? {} : { graceSeconds: cause.graceSeconds };
    this.commands.push({ type: 'kill', container, kind, view, message, ...grace });
    if (restarts) this.start(container, kind);
    return true;
  }

  done(): SyncPlan {
    const { commands, events, failures } = this;
    return { commands, events, failures, memory: this.#memory, retryMs: this.#retryMs };
  }
}

interface Break {
  readonly message: string;
  /** Restarted whatever the policy says. */
  readonly always: boolean;
  readonly graceSeconds?: number;
}

function findBreak(container: Container, kind: ContainerKind, view: ContainerView, facts: PodFacts): Break | undefined {
  const label = `${kind === 'init' ? 'Init container' : 'Container'} ${container.name}`;
  if (view.specImage !== (container.image ?? '')) return { message: `${label} definition changed`, always: true };
  if (kind === 'init' && !isSidecar(container, kind)) return undefined;
  for (const type of ['liveness', 'startup'] as const) {
    if (facts.probes.of(container.name, type, view.id) !== 'failure') continue;
    const graceSeconds = probeSpecOf(container, type)?.terminationGraceSeconds;
    const message = `${label} failed ${type} probe`;
    return { message, always: false, ...(graceSeconds === undefined ? {} : { graceSeconds }) };
  }
  return undefined;
}
