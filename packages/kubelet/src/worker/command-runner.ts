// Carries out what a plan asks for, one command after the other (spec/node.md §5.1, last point; §5.2). It decides nothing but when to try
// again what failed.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { SyncCommand } from '../pod/plan-builder.ts';
import { RuntimeFailure } from '../runtime/container-runtime.ts';
import { startContainer, uidOf } from './start-container.ts';
import type { StartMemory } from './start-memory.ts';
import { stopAll, stopContainer } from './stop-container.ts';
import type { WorkerHost } from './worker-host.ts';

export interface CommandSubject {
  readonly pod: Pod;
  readonly graceSeconds: number;
  readonly starts: StartMemory;
  /** The network is there: told before images are pulled. */
  sandboxReady(): void;
  /** A container could not be started: the status says why. */
  startFailed(): void;
  /** All containers were removed to start anew. */
  allRemoved(): void;
}

/** Between tries to mount a volume. */
const mountFirstMs = 500;
const mountMaxMs = 122_000;
const retryMs = 10_000;
const retryPullMs = 1_000;

export class CommandRunner {
  readonly #host: WorkerHost;
  #mountFailures = 0;

  constructor(host: WorkerHost) {
    this.#host = host;
  }

  /** Stops at the first command after which the others make no sense. @throws the signal's reason */
  async run(commands: readonly SyncCommand[], subject: CommandSubject, signal: AbortSignal): Promise<void> {
    for (const command of commands) {
      const goesOn = await this.#one(command, subject, signal);
      if (!goesOn) return;
    }
  }

  /** Ends all containers in their order, and takes the network away. */
  async stopEverything(pod: Pod, graceSeconds: number, signal: AbortSignal): Promise<void> {
    await stopAll(this.#host, pod, graceSeconds, signal);
    await this.#host.runtime.stopSandbox(uidOf(pod));
  }

  async #one(command: SyncCommand, subject: CommandSubject, signal: AbortSignal): Promise<boolean> {
    const { pod, graceSeconds } = subject;
    switch (command.type) {
      case 'kill-pod':
        await this.stopEverything(pod, graceSeconds, signal);
        this.#host.requestPass(uidOf(pod));
        return true;
      case 'kill': {
        const { container, kind, view, message } = command;
        const grace = Math.min(graceSeconds, command.graceSeconds ?? Infinity);
        await stopContainer(this.#host, { pod, container, kind, view, message, graceSeconds: grace }, signal);
        return true;
      }
      case 'restart-all':
        await this.#removeContainers(command.source, subject, signal);
        return true;
      case 'create-sandbox':
        return this.#createSandbox(command.attempt, subject, signal);
      case 'start':
        return this.#start(command, subject, signal);
    }
  }

  async #start(
    { container, kind, attempt }: SyncCommand & { readonly type: 'start' },
    { pod, starts, startFailed }: CommandSubject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const result = await startContainer(this.#host, { pod, container, kind, attempt }, signal);
    starts.note(container.name, container.image ?? '', result);
    if (result.ok) return true;
    startFailed();
    this.#host.requestPass(uidOf(pod), result.pullFailed ? retryPullMs : this.#retryMs());
    // Nothing after an init container may start without it.
    return kind !== 'init';
  }

  async #createSandbox(attempt: number, { pod, sandboxReady }: CommandSubject, signal: AbortSignal): Promise<boolean> {
    const problem = await this.#host.references.volumeProblem(pod, signal);
    if (problem !== undefined) {
      this.#host.emit(pod, { type: 'Warning', reason: 'FailedMount', message: problem });
      this.#host.requestPass(uidOf(pod), Math.min(mountFirstMs * 2 ** this.#mountFailures++, mountMaxMs));
      return false;
    }
    this.#mountFailures = 0;
    try {
      await this.#host.runtime.createSandbox(pod, attempt, signal);
    } catch (error) {
      if (!(error instanceof RuntimeFailure)) throw error;
      const message = `Failed to create pod sandbox: ${error.message}`;
      this.#host.emit(pod, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
      this.#host.requestPass(uidOf(pod), this.#retryMs());
      return false;
    }
    sandboxReady();
    return true;
  }

  /** Ends and forgets all containers, the one that caused it last; then they start from the first on. */
  async #removeContainers(source: string, { pod, allRemoved }: CommandSubject, signal: AbortSignal): Promise<void> {
    const { runtime, env } = this.#host;
    await stopAll(this.#host, pod, 0, signal, () => 'killing');
    const { containers } = runtime.view(uidOf(pod));
    const others = containers.filter(({ name }) => name !== source);
    const last = containers.filter(({ name }) => name === source);
    for (const { id } of [...others, ...last]) await runtime.removeContainer(id);
    allRemoved();
    // What follows comes at once; this is worth being seen.
    await env.clock.yield();
  }

  #retryMs(): number {
    return retryMs * (1 + this.#host.env.random.float() / 2);
  }
}
