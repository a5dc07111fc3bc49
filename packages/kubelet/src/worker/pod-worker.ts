// The worker of one Pod: syncing → terminating → finished (spec/node.md §3). It joins the pure half (what the status is, what is to be
// done) with the runtime. It never runs twice at a time: its node's queue sees to that. The API server hears of it through the
// status writer only.

import type { Pod, PodStatus } from '@homeostat/api/types/core-v1';
import { deepEqual, parseTime } from '@homeostat/machinery';
import { isNewerResourceVersion } from '@homeostat/client';
import { terminatedStatus } from '../pod/final-status.ts';
import { generateStatus, stampConditions } from '../pod/generate-status.ts';
import type { SyncCommand } from '../pod/plan-builder.ts';
import { podFindings } from '../pod/pod-conditions.ts';
import { isKubeletCondition, isTerminalPhase, type PodFacts, type PodVerdict } from '../pod/pod-facts.ts';
import { withReadiness } from '../pod/readiness.ts';
import { planSync } from '../pod/sync-plan.ts';
import type { PodView } from '../runtime/container-runtime.ts';
import { CommandRunner } from './command-runner.ts';
import { PodAllotment } from './pod-allotment.ts';
import { PodProbes } from './pod-probes.ts';
import { StartMemory } from './start-memory.ts';
import type { WorkerHost } from './worker-host.ts';

export type Stage = 'syncing' | 'terminating' | 'finished';

const deadlineReason = 'DeadlineExceeded';
const deadlineMessage = 'Pod was active on the node longer than the specified deadline';
/** After a failure the Pod is looked at again this soon, so that its status says why. */
const afterFailureMs = 1_000;
const retryLongestMs = 60_000;
/** A Pod is looked at now and then even if nothing happens. */
const resyncMs = 600_000;

export class PodWorker {
  readonly uid: string;
  readonly #host: WorkerHost;
  readonly #probes: PodProbes;
  readonly #starts: StartMemory;
  readonly #commands: CommandRunner;
  readonly #allotment: PodAllotment;
  #pod: Pod;
  #stage: Stage = 'syncing';
  #status: PodStatus | undefined;
  #version = 0;
  #rejected = false;
  #removed = false;
  #graceSeconds: number | undefined;
  #verdict: PodVerdict | undefined;
  /** Of the commands under way. */
  #abort: AbortController | undefined;

  constructor(pod: Pod, host: WorkerHost) {
    this.uid = pod.metadata?.uid ?? '';
    this.#pod = pod;
    this.#host = host;
    this.#starts = new StartMemory(host.env);
    this.#commands = new CommandRunner(host);
    this.#allotment = new PodAllotment(pod, host);
    this.#probes = new PodProbes(host, ({ type }) => {
      this.#applyProbes();
      if (type !== 'readiness') host.requestPass(this.uid);
    });
  }

  /** The newest state of the object that is known, from the watch or from our own writes. */
  get pod(): Pod {
    return this.#pod;
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** What the API server is to be told; undefined before the first pass. `version` counts its changes. */
  get status(): PodStatus | undefined {
    return this.#status;
  }

  get version(): number {
    return this.#version;
  }

  /** The object is gone from the API server. */
  get removed(): boolean {
    return this.#removed;
  }

  /** Commands are under way: the status is about to change. */
  get busy(): boolean {
    return this.#abort !== undefined;
  }

  /** Some container may still be running. */
  get mayRun(): boolean {
    return this.#stage !== 'finished';
  }

  /** The object may be deleted for good. */
  get deletable(): boolean {
    return this.#stage === 'finished' && !this.#removed && this.#pod.metadata?.deletionTimestamp !== undefined;
  }

  /** The node does not take the Pod in. */
  reject(status: PodStatus): void {
    this.#rejected = true;
    this.#stage = 'finished';
    this.#setStatus(status, true);
    this.#host.finished(this.uid);
  }

  /** Takes in a state of the object; an old one changes nothing. Returns whether it was news. */
  observe(pod: Pod): boolean {
    const before = this.#pod;
    const version = pod.metadata?.resourceVersion ?? '';
    if (!isNewerResourceVersion(version, before.metadata?.resourceVersion ?? '')) return false;
    this.#pod = pod;
    if (this.#wantsPass(before, pod)) this.#host.requestPass(this.uid);
    if (this.#mustInterrupt()) this.#interrupt();
    return true;
  }

  /** The object is gone: whatever runs is ended. */
  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    if (this.#stage === 'syncing') this.#interrupt();
    this.#host.requestPass(this.uid);
  }

  /** Ends what is under way, without an end of the Pod. */
  suspend(): void {
    this.#interrupt();
  }

  /** Looks at everything anew and does what is to be done. */
  async pass(): Promise<void> {
    if (this.#stage === 'syncing' && this.#mustEnd()) this.#stage = 'terminating';
    switch (this.#stage) {
      case 'syncing':
        return this.#sync();
      case 'terminating':
        return this.#terminate();
      case 'finished':
        return this.#afterwards();
    }
  }

  tickProbes(): void {
    this.#probes.tick(this.#pod);
  }

  async #sync(): Promise<void> {
    this.#checkDeadline();
    const restarts = this.#allotment.check(this.#pod);
    const facts = this.#facts(false);
    const status = generateStatus(facts);
    this.#setStatus(status);
    if (isTerminalPhase(status.phase)) {
      this.#stage = 'terminating';
      return this.#terminate();
    }
    this.#probes.ensure(this.#pod);
    this.#probes.tick(this.#pod);
    const plan = planSync({ ...facts, previous: status }, this.#starts.backOffs);
    for (const event of plan.events) this.#host.emit(this.#pod, event);
    this.#scheduleNext(this.#starts.plan(plan.memory, plan.failures), plan.retryMs);
    const commands = [...restarts, ...plan.commands];
    if (commands.length > 0) await this.#execute(commands);
  }

  async #execute(commands: readonly SyncCommand[]): Promise<void> {
    const publish = (restartingAll: boolean): void =>
      this.#setStatus(generateStatus({ ...this.#facts(false), restartingAll }));
    await this.#interruptibly((signal) =>
      this.#commands.run(
        commands,
        {
          pod: this.#pod,
          graceSeconds: this.#grace(),
          starts: this.#starts,
          sandboxReady: () => this.#applyProbes(),
          startFailed: () => publish(false),
          allRemoved: () => publish(true),
        },
        signal,
      ),
    );
  }

  /** False when something more urgent has come. */
  async #interruptibly(task: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      await task(abort.signal);
      return true;
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      return false;
    } finally {
      this.#abort = undefined;
    }
  }

  async #terminate(): Promise<void> {
    const view = this.#host.runtime.view(this.uid);
    this.#starts.clear();
    if (!this.#removed) this.#setStatus(generateStatus(this.#facts(false)));
    this.#probes.tick(this.#pod);
    if (isRunning(view) || view.sandbox?.ready === true) {
      const done = await this.#interruptibly((signal) =>
        this.#commands.stopEverything(this.#pod, this.#grace(), signal),
      );
      if (!done) {
        this.#host.requestPass(this.uid);
        return;
      }
    }
    this.#finish();
  }

  #finish(): void {
    this.#probes.stop();
    this.#stage = 'finished';
    if (this.#removed) {
      this.#host.finished(this.uid);
      return;
    }
    this.#setStatus(terminatedStatus(this.#pod, generateStatus(this.#facts(true))), true);
    this.#host.finished(this.uid);
  }

  /** A Pod that is over is deleted: its status says that the node has seen it. */
  async #afterwards(): Promise<void> {
    if (this.#removed) {
      this.#host.finished(this.uid);
      return;
    }
    if (!this.deletable) return;
    if (!this.#rejected) this.#setStatus(terminatedStatus(this.#pod, generateStatus(this.#facts(true))), true);
    else this.#host.requestWrite(this.uid);
  }

  /** The grace period can only become shorter. */
  #grace(): number {
    const { metadata, spec } = this.#pod;
    const asked = metadata?.deletionTimestamp === undefined ? undefined : metadata.deletionGracePeriodSeconds;
    const wanted = asked ?? spec?.terminationGracePeriodSeconds ?? 30;
    if (this.#stage === 'syncing') return Math.max(1, Number(wanted));
    this.#graceSeconds = Math.max(1, Math.min(Number(wanted), this.#graceSeconds ?? Infinity));
    return this.#graceSeconds;
  }

  #mustEnd(): boolean {
    return (
      this.#removed || this.#pod.metadata?.deletionTimestamp !== undefined || isTerminalPhase(this.#pod.status?.phase)
    );
  }

  #mustInterrupt(): boolean {
    if (this.#abort === undefined) return false;
    if (this.#stage === 'syncing') return this.#mustEnd();
    const before = this.#graceSeconds;
    return this.#stage === 'terminating' && before !== undefined && this.#grace() < before;
  }

  #interrupt(): void {
    this.#abort?.abort(new Error('there is something more urgent'));
  }

  #wantsPass(before: Pod, now: Pod): boolean {
    const a = before.metadata;
    const b = now.metadata;
    if (a?.generation !== b?.generation || a?.deletionTimestamp !== b?.deletionTimestamp) return true;
    if (a?.deletionGracePeriodSeconds !== b?.deletionGracePeriodSeconds) return true;
    if (this.#stage === 'finished') return false;
    if (!deepEqual(a?.annotations ?? {}, b?.annotations ?? {}) || !deepEqual(a?.labels ?? {}, b?.labels ?? {}))
      return true;
    if (isTerminalPhase(now.status?.phase)) return true;
    // Readiness gates are conditions that others set.
    return (now.spec?.readinessGates ?? []).length > 0 && before.status !== now.status;
  }

  #checkDeadline(): void {
    const seconds = this.#pod.spec?.activeDeadlineSeconds;
    const since = this.#status?.startTime ?? this.#pod.status?.startTime;
    if (seconds === undefined || this.#verdict !== undefined) return;
    const { clock } = this.#host.env;
    const leftMs =
      since === undefined ? Number(seconds) * 1000 : parseTime(since) + Number(seconds) * 1000 - clock.nowMs();
    if (leftMs > 0) {
      this.#host.requestPass(this.uid, leftMs);
      return;
    }
    this.#verdict = { reason: deadlineReason, message: deadlineMessage };
    this.#host.emit(this.#pod, { type: 'Normal', reason: deadlineReason, message: deadlineMessage });
  }

  #facts(stopped: boolean): PodFacts {
    const { env, runtime, hostIPs } = this.#host;
    return {
      pod: this.#allotment.apply(this.#pod),
      view: runtime.view(this.uid),
      previous: this.#status ?? this.#pod.status ?? {},
      failures: this.#starts.failures,
      probes: this.#probes,
      hostIPs,
      runtimeName: runtime.name,
      stopped,
      verdict: this.#verdict,
      restartingAll: false,
      resize: this.#allotment.pending,
      nowMs: env.clock.nowMs(),
    };
  }

  /** Readiness and the conditions that follow from it, at once and without a pass: a pass may be under way. */
  #applyProbes(): void {
    const status = this.#status;
    if (status === undefined || this.#stage === 'finished') return;
    const { runtime, env } = this.#host;
    const pod = this.#pod;
    const probed = withReadiness(status, pod, this.#probes, runtime.name);
    const foreign = (probed.conditions ?? []).filter((condition) => !isKubeletCondition(condition));
    const draft = { ...probed, conditions: foreign };
    const findings = podFindings(pod, draft, { ...this.#facts(false), previous: status });
    this.#setStatus(stampConditions(draft, findings, { pod, previous: status, nowMs: env.clock.nowMs() }));
  }

  #setStatus(status: PodStatus, force = false): void {
    if (!force && this.#status !== undefined && deepEqual(this.#status, status)) return;
    this.#status = status;
    this.#version++;
    this.#host.requestWrite(this.uid);
  }

  #scheduleNext(failed: boolean, retryMs: number): void {
    const waitMs = Math.min(retryMs - this.#host.env.clock.nowMs(), retryLongestMs);
    const delayMs = failed ? afterFailureMs : retryMs === Infinity ? resyncMs : waitMs;
    this.#host.requestPass(this.uid, failed ? delayMs : this.#spread(delayMs));
  }

  #spread(delayMs: number): number {
    return delayMs * (1 + this.#host.env.random.float() / 2);
  }
}

function isRunning(view: PodView): boolean {
  return view.containers.some(({ state }) => state === 'running');
}
