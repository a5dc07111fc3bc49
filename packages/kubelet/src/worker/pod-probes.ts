// The probes of one Pod: who has which, when they run, and what they found. Carries out what `probe-worker.ts` decides.

import type { Container, Pod } from '@homeostat/api/types/core-v1';
import { newestOf, type ProbeResults, specOf } from '../pod/pod-facts.ts';
import { type ProbeResult, type ProbeSpec, probeSpecOf, type ProbeType, probeTypes } from '../probes/probe-spec.ts';
import { applyOutcome, dueProbe, newProbeState, type ProbeState } from '../probes/probe-worker.ts';
import type { ContainerView, ProbeOutcome } from '../runtime/container-runtime.ts';
import type { WorkerHost } from './worker-host.ts';

interface Entry {
  container: Container;
  spec: ProbeSpec;
  state: ProbeState;
  running: boolean;
}

export interface ProbeChange {
  readonly type: ProbeType;
  readonly result: ProbeResult;
}

const labels: Readonly<Record<ProbeType, string>> = {
  startup: 'Startup',
  liveness: 'Liveness',
  readiness: 'Readiness',
};

export class PodProbes implements ProbeResults {
  readonly #host: WorkerHost;
  readonly #onChange: (change: ProbeChange) => void;
  readonly #entries = new Map<string, Entry>();
  #abort: AbortController | undefined;
  #stopped = false;

  /** @param onChange hears when a result has changed */
  constructor(host: WorkerHost, onChange: (change: ProbeChange) => void) {
    this.#host = host;
    this.#onChange = onChange;
  }

  of(container: string, type: ProbeType, containerId: string): ProbeResult | undefined {
    const entry = this.#entries.get(`${container}/${type}`);
    if (entry === undefined) return undefined;
    return entry.state.containerId === containerId ? entry.state.result : newProbeState(type, container).result;
  }

  /** Takes up the probes of a Pod's containers; those it has already go on. */
  ensure(pod: Pod): void {
    const spec = specOf(pod);
    for (const container of spec.containers) this.#ensure(pod, container);
    for (const container of spec.initContainers ?? []) {
      if (container.restartPolicy === 'Always') this.#ensure(pod, container);
    }
  }

  /** Runs what is due and asks to be called for what is next. */
  tick(pod: Pod): void {
    if (this.#stopped || this.#entries.size === 0) return;
    const { env, runtime } = this.#host;
    const nowMs = env.clock.nowMs();
    const uid = pod.metadata?.uid ?? '';
    const view = runtime.view(uid);
    let nextMs = Infinity;
    for (const entry of this.#entries.values()) {
      if (entry.running) continue;
      const newest = newestOf(view, entry.container.name);
      const { state, due } = dueProbe(
        entry.state,
        {
          spec: entry.spec,
          view: newest,
          started: newest !== undefined && this.#isStarted(entry.container.name, newest),
          deleting: pod.metadata?.deletionTimestamp !== undefined,
        },
        nowMs,
      );
      entry.state = state;
      if (due && newest !== undefined) void this.#run(pod, entry, newest);
      else nextMs = Math.min(nextMs, state.nextMs);
    }
    if (nextMs !== Infinity) this.#host.requestProbes(uid, nextMs - nowMs);
  }

  /** Nothing is probed any more. */
  stop(): void {
    this.#stopped = true;
    this.#abort?.abort();
  }

  #ensure(pod: Pod, container: Container): void {
    for (const type of probeTypes) {
      const key = `${container.name}/${type}`;
      const known = this.#entries.get(key);
      if (known?.container === container) continue;
      const spec = probeSpecOf(container, type) ?? this.#host.runtime.impliedProbe(pod, container, type);
      if (spec === undefined) continue;
      if (known === undefined) {
        this.#entries.set(key, { container, spec, state: newProbeState(type, container.name), running: false });
      } else {
        known.container = container;
        known.spec = spec;
      }
    }
  }

  #isStarted(container: string, view: ContainerView): boolean {
    const result = this.of(container, 'startup', view.id);
    return result === undefined || result === 'success';
  }

  async #run(pod: Pod, entry: Entry, view: ContainerView): Promise<void> {
    const { runtime } = this.#host;
    const { container, spec, state } = entry;
    const { type } = state;
    entry.running = true;
    this.#abort ??= new AbortController();
    let outcome: ProbeOutcome;
    try {
      outcome = await runtime.probe({ pod, container, view, type, spec }, this.#abort.signal);
    } catch (error) {
      outcome = { result: 'unknown', output: error instanceof Error ? error.message : String(error) };
    }
    entry.running = false;
    if (this.#stopped) return;
    this.#tell(pod, entry, outcome);
    const before = entry.state;
    entry.state = applyOutcome(before, view.id, outcome.result, spec);
    if (entry.state.result !== before.result) this.#onChange({ type, result: entry.state.result });
    this.tick(pod);
  }

  #tell(pod: Pod, { container, spec, state }: Entry, { result, output }: ProbeOutcome): void {
    if (result === 'success' || spec.silent === true) return;
    const label = `${labels[state.type]} probe`;
    const about = {
      name: container.name,
      kind:
        container.restartPolicy === 'Always' &&
        (pod.spec?.initContainers ?? []).some(({ name }) => name === container.name)
          ? 'init'
          : 'regular',
    } as const;
    const message =
      result === 'failure'
        ? `${label} failed: ${output}`
        : result === 'warning'
          ? `${label} warning: ${output}`
          : `${label} errored and resulted in unknown state: ${output}`;
    const reason = result === 'warning' ? 'ProbeWarning' : 'Unhealthy';
    this.#host.emit(pod, { type: 'Warning', reason, message, container: about });
  }
}
