// The container runtime of simulated nodes: containers live by the clock and the Pod's annotations. No processes, no network; what a real
// runtime would take time for takes none unless told so.

import { parseImageName } from '@homeostat/api';
import type { Container, Pod } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import type { ProbeSpec, ProbeType } from '../probes/probe-spec.ts';
import {
  type ContainerRequest,
  type ContainerRuntime,
  emptyView,
  type HookRequest,
  type ImageInfo,
  type LogLine,
  type LogRequest,
  type PodView,
  type ProbeOutcome,
  type ProbeRequest,
  RuntimeFailure,
  type SandboxView,
} from '../runtime/container-runtime.ts';
import type { AddressPool } from './address-pool.ts';
import { type Behavior, BehaviorError, behaviorOf } from './behavior.ts';
import { fingerprint } from './fingerprint.ts';
import { followLog } from './follow-log.ts';
import { hookFailure, probeFailureText, probeLabel } from './probe-texts.ts';
import { SimulatedContainer } from './simulated-container.ts';

export interface SimulatedRuntimeOptions {
  readonly env: Env;
  /** Of the Pods' network. */
  readonly addresses: AddressPool;
}

interface SimulatedPod {
  sandbox: SandboxView | undefined;
  /** Newest first. */
  containers: SimulatedContainer[];
  /** Made on demand; undefined after a change. */
  view: PodView | undefined;
}

const impliedPeriodMs = 1_000;

export class SimulatedRuntime implements ContainerRuntime {
  readonly name = 'homeostat';
  readonly version = 'simulated';
  readonly #env: Env;
  readonly #addresses: AddressPool;
  readonly #pods = new Map<string, SimulatedPod>();
  readonly #byId = new Map<string, { readonly uid: string; readonly container: SimulatedContainer }>();
  readonly #listeners = new Set<(uid: string) => void>();

  constructor(options: SimulatedRuntimeOptions) {
    this.#env = options.env;
    this.#addresses = options.addresses;
  }

  view(uid: string): PodView {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return emptyView;
    pod.view ??= { sandbox: pod.sandbox, containers: pod.containers.map((container) => container.view) };
    return pod.view;
  }

  uids(): Iterable<string> {
    return this.#pods.keys();
  }

  onChange(listener: (uid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async createSandbox(pod: Pod, attempt: number): Promise<void> {
    const uid = uidOf(pod);
    const hostNetwork = pod.spec?.hostNetwork === true;
    const known = this.#pods.get(uid);
    this.#release(known);
    const sandbox: SandboxView = {
      id: fingerprint(`${uid}/sandbox/${attempt}`),
      attempt,
      ready: true,
      hostNetwork,
      ips: hostNetwork ? [] : [this.#addresses.take()],
    };
    if (known === undefined) this.#pods.set(uid, { sandbox, containers: [], view: undefined });
    else known.sandbox = sandbox;
    this.#changed(uid);
  }

  async stopSandbox(uid: string): Promise<void> {
    const pod = this.#pods.get(uid);
    if (pod?.sandbox?.ready !== true) return;
    this.#release(pod);
    pod.sandbox = { ...pod.sandbox, ready: false };
    this.#changed(uid);
  }

  async hasImage(request: ContainerRequest): Promise<boolean> {
    const { pullDelayMs, imageError } = this.#behavior(request);
    return pullDelayMs === undefined && imageError === undefined;
  }

  async pullImage(request: ContainerRequest, signal: AbortSignal): Promise<ImageInfo> {
    const { pullDelayMs = 0, imageError } = this.#behavior(request);
    if (pullDelayMs > 0) await this.#env.clock.sleep(pullDelayMs, signal);
    if (imageError !== undefined) throw new RuntimeFailure(imageError.reason, imageError.message);
    const size = parseInt(fingerprint(request.container.image ?? '').slice(0, 7), 16);
    return { tookMs: pullDelayMs, sizeBytes: 2_000_000 + size };
  }

  async createContainer(request: ContainerRequest): Promise<string> {
    const { pod, container, attempt } = request;
    const uid = uidOf(pod);
    const home = this.#pods.get(uid);
    if (home?.sandbox?.ready !== true)
      throw new RuntimeFailure('CreateContainerError', `the sandbox of pod ${uid} is not ready`);
    const behavior = this.#behavior(request);
    const { startError } = behavior;
    if (startError?.reason.startsWith('CreateContainer') === true)
      throw new RuntimeFailure(startError.reason, startError.message);
    const id = fingerprint(`${uid}/${container.name}/${attempt}`);
    const instance = new SimulatedContainer({
      env: this.#env,
      id,
      request,
      behavior,
      ...resolveImage(container.image ?? ''),
      onChange: () => this.#changed(uid),
    });
    // Of earlier instances one is kept.
    const earlier = home.containers.filter(({ view }) => view.name === container.name).slice(1);
    for (const old of earlier) this.#byId.delete(old.view.id);
    home.containers = [instance, ...home.containers.filter((kept) => !earlier.includes(kept))];
    this.#byId.set(id, { uid, container: instance });
    this.#changed(uid);
    return id;
  }

  async startContainer(id: string, signal: AbortSignal): Promise<void> {
    const { container } = this.#find(id);
    const { startDelayMs, startError } = container.behavior;
    if (startDelayMs > 0) await this.#env.clock.sleep(startDelayMs, signal);
    if (startError !== undefined) {
      container.failToStart(startError.message);
      throw new RuntimeFailure(startError.reason, startError.message);
    }
    container.start();
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    await this.#byId.get(id)?.container.stop(graceMs);
  }

  async removeContainer(id: string): Promise<void> {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    known.container.discard();
    this.#byId.delete(id);
    const pod = this.#pods.get(known.uid);
    if (pod !== undefined) pod.containers = pod.containers.filter((container) => container !== known.container);
    this.#changed(known.uid);
  }

  async removePod(uid: string): Promise<void> {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.#release(pod);
    for (const container of pod.containers) {
      container.discard();
      this.#byId.delete(container.view.id);
    }
  }

  async probe(request: ProbeRequest): Promise<ProbeOutcome> {
    const { pod, container, view, type } = request;
    const { probes } = this.#behavior({ pod, container, kind: 'regular' });
    const behavior = probes[type];
    const ageMs = this.#env.clock.nowMs() - (view.startedMs ?? 0);
    const passes = behavior === undefined || (ageMs >= behavior.passAfterMs && ageMs < behavior.failAfterMs);
    const instance = this.#byId.get(view.id)?.container;
    instance?.log.note(type, this.#env.clock.nowMs(), `${probeLabel(container, type)}: ${passes ? 'ok' : 'failed'}`);
    return passes
      ? { result: 'success', output: '' }
      : { result: 'failure', output: probeFailureText(container, type, this.view(uidOf(pod)).sandbox?.ips[0] ?? '') };
  }

  impliedProbe(pod: Pod, container: Container, type: ProbeType): ProbeSpec | undefined {
    let behavior: Behavior;
    try {
      behavior = behaviorOf(pod, container, 'regular');
    } catch {
      // The container does not start with such an annotation, and says why.
      return undefined;
    }
    const probe = behavior.probes[type];
    if (probe === undefined) return undefined;
    return {
      initialDelayMs: probe.passAfterMs === Infinity ? 0 : probe.passAfterMs,
      periodMs: impliedPeriodMs,
      timeoutMs: impliedPeriodMs,
      successThreshold: 1,
      failureThreshold: 1,
      silent: type === 'readiness',
    };
  }

  async runHook({ pod, container, hook, handler, view }: HookRequest, signal: AbortSignal): Promise<void> {
    const behavior = this.#behavior({ pod, container, kind: 'regular' });
    const { takesMs, fails } = hook === 'postStart' ? behavior.postStart : behavior.preStop;
    const sleepMs = handler.sleep === undefined ? takesMs : Number(handler.sleep.seconds) * 1000;
    const log = this.#byId.get(view.id)?.container.log;
    log?.say(this.#env.clock.nowMs(), `${hook} hook started`);
    if (sleepMs > 0) await this.#env.clock.sleep(sleepMs, signal);
    if (fails) throw hookFailure(pod, container, hook, handler);
  }

  logs(request: LogRequest, signal: AbortSignal): AsyncIterable<LogLine> {
    return followLog(this.#find(request.containerId).container, request, this.#env, signal);
  }

  #behavior({ pod, container, kind }: Omit<ContainerRequest, 'attempt'>): Behavior {
    try {
      return behaviorOf(pod, container, kind);
    } catch (error) {
      if (error instanceof BehaviorError) throw new RuntimeFailure('CreateContainerConfigError', error.message);
      throw error;
    }
  }

  #find(id: string): { readonly uid: string; readonly container: SimulatedContainer } {
    const known = this.#byId.get(id);
    if (known === undefined) throw new RuntimeFailure('RunContainerError', `container ${id} is not known`);
    return known;
  }

  #release(pod: SimulatedPod | undefined): void {
    if (pod?.sandbox?.ready !== true) return;
    for (const ip of pod.sandbox.ips) this.#addresses.release(ip);
  }

  #changed(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod !== undefined) pod.view = undefined;
    for (const listener of this.#listeners) listener(uid);
  }
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

interface ResolvedImage {
  readonly image: string;
  readonly imageId: string;
}

const resolvedMax = 1_000;
const resolved = new Map<string, ResolvedImage>();

/** The image as a runtime tells it: name resolved, and a digest that always stands for the same name. */
function resolveImage(image: string): ResolvedImage {
  let known = resolved.get(image);
  if (known === undefined) {
    known = computeImage(image);
    if (resolved.size >= resolvedMax) resolved.clear();
    resolved.set(image, known);
  }
  return known;
}

function computeImage(image: string): ResolvedImage {
  const name = parseImageName(image);
  if (name === undefined) return { image, imageId: image };
  const { repository, tag, digest } = name;
  const full = tag === '' ? `${repository}@${digest}` : `${repository}:${tag}`;
  return { image: full, imageId: `${repository}@${digest === '' ? `sha256:${fingerprint(full)}` : digest}` };
}
