// One instance of a simulated container: created → running → exited, by the clock. It never runs anything.

import { createDeferred, type Env, type Timer } from '@homeostat/base';
import type { ContainerRequest, ContainerView, LogLine } from '../runtime/container-runtime.ts';
import type { Behavior } from './behavior.ts';
import { ContainerLog } from './container-log.ts';

export interface InstanceOptions {
  readonly env: Env;
  readonly id: string;
  readonly request: ContainerRequest;
  readonly behavior: Behavior;
  readonly image: string;
  readonly imageId: string;
  readonly onChange: () => void;
}

const killedCode = 137;
const notStartedCode = 128;

export class SimulatedContainer {
  readonly behavior: Behavior;
  readonly log = new ContainerLog();
  readonly #options: InstanceOptions;
  readonly #ended = createDeferred<void>();
  #view: ContainerView;
  #end: Timer | undefined;
  #endMs = Infinity;

  constructor(options: InstanceOptions) {
    const { env, id, request, image, imageId } = options;
    this.#options = options;
    this.behavior = options.behavior;
    this.#view = {
      id,
      name: request.container.name,
      attempt: request.attempt,
      state: 'created',
      createdMs: env.clock.nowMs(),
      image,
      imageId,
      specImage: request.container.image ?? '',
    };
  }

  get view(): ContainerView {
    return this.#view;
  }

  /** Runs, and ends by itself when its time has come. */
  start(): void {
    if (this.#view.state !== 'created') return;
    const { env, request } = this.#options;
    const nowMs = env.clock.nowMs();
    this.#change({ state: 'running', startedMs: nowMs });
    this.log.say(
      nowMs,
      `container ${request.container.name} (image ${request.container.image ?? ''}) started, attempt ${request.attempt}`,
    );
    for (const line of this.behavior.logLines) this.log.say(nowMs, line);
    const { runForMs, exitCodes } = this.behavior;
    if (runForMs === Infinity) return;
    this.#endAfter(runForMs, () => this.#exit(exitCodes[Math.min(request.attempt, exitCodes.length - 1)] ?? 0));
  }

  /** It never ran, and never will. */
  failToStart(message: string): void {
    const nowMs = this.#options.env.clock.nowMs();
    this.#change({ state: 'exited', finishedMs: nowMs, exitCode: notStartedCode, reason: 'StartError', message });
    this.#ended.resolve();
  }

  /** TERM now, KILL after `graceMs`. Resolves when it has ended. */
  stop(graceMs: number): Promise<void> {
    if (this.#view.state !== 'running') return Promise.resolve();
    const { env } = this.#options;
    const { stopDelayMs, stopExitCode } = this.behavior;
    this.log.say(env.clock.nowMs(), 'received TERM');
    if (stopDelayMs < graceMs) this.#endAfter(stopDelayMs, () => this.#exit(stopExitCode));
    else this.#endAfter(graceMs, () => this.#kill());
    return this.#ended.promise;
  }

  /** Lines from number `from` on, those it repeats included, and the number to go on from. */
  lines(fromMs: number, from: number): { readonly lines: readonly LogLine[]; readonly next: number } {
    const said = this.log.since(from);
    const { logEveryMs } = this.behavior;
    const { startedMs, finishedMs } = this.#view;
    if (logEveryMs === Infinity || logEveryMs <= 0 || startedMs === undefined)
      return { lines: said, next: this.log.length };
    const untilMs = finishedMs ?? this.#options.env.clock.nowMs();
    const first = Math.max(1, Math.floor((fromMs - startedMs) / logEveryMs) + 1);
    const last = Math.floor((untilMs - startedMs) / logEveryMs);
    const repeated: LogLine[] = [];
    for (let beat = Math.max(first, last - 499); beat <= last; beat++) {
      repeated.push({ ms: startedMs + beat * logEveryMs, text: `${this.#view.name}: line ${beat}` });
    }
    const lines = [...said, ...repeated].sort((a, b) => a.ms - b.ms);
    return { lines, next: this.log.length };
  }

  /** Milliseconds until it repeats itself again; Infinity when it does not. */
  nextLineMs(): number {
    const { logEveryMs } = this.behavior;
    const { startedMs, state } = this.#view;
    if (logEveryMs === Infinity || logEveryMs <= 0 || startedMs === undefined || state !== 'running') return Infinity;
    return logEveryMs - ((this.#options.env.clock.nowMs() - startedMs) % logEveryMs);
  }

  /** Ends without a word: the node is gone, or the Pod is forgotten. */
  discard(): void {
    this.#end?.cancel();
    this.#end = undefined;
    this.#ended.resolve();
    this.log.wake();
  }

  #endAfter(delayMs: number, end: () => void): void {
    const { clock } = this.#options.env;
    if (delayMs <= 0) {
      end();
      return;
    }
    const atMs = clock.monotonicMs() + delayMs;
    // It may end of itself before it is made to.
    if (atMs >= this.#endMs) return;
    this.#end?.cancel();
    this.#endMs = atMs;
    this.#end = clock.setTimer(delayMs, end);
  }

  #kill(): void {
    this.#exit(killedCode, 'killed');
  }

  #exit(exitCode: number, how = 'exited'): void {
    if (this.#view.state !== 'running') return;
    this.#end?.cancel();
    const { exitReason, exitMessage } = this.behavior;
    const nowMs = this.#options.env.clock.nowMs();
    this.log.say(nowMs, `${how} with code ${exitCode}`);
    this.#change({
      state: 'exited',
      finishedMs: nowMs,
      exitCode,
      reason: exitReason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      ...(exitMessage === undefined ? {} : { message: exitMessage }),
    });
    this.#ended.resolve();
  }

  #change(change: Partial<ContainerView>): void {
    this.#view = { ...this.#view, ...change };
    this.#options.onChange();
  }
}
