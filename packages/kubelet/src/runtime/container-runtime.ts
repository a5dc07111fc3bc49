// The port to what runs containers. Simulated, process and CRI runtimes stand behind it. The kubelet keeps no picture of its own
// of containers: `view` is local and current, `onChange` says that it is worth another look (level, not edge).

import type { Container, EphemeralContainer, LifecycleHandler, Pod } from '@homeostat/api/types/core-v1';
import type { ProbeSpec, ProbeType } from '../probes/probe-spec.ts';

export type ContainerKind = 'regular' | 'init' | 'ephemeral';
export type AnyContainer = Container | EphemeralContainer;

/** One instance of a container, as the runtime knows it. Times are wall clock milliseconds. */
export interface ContainerView {
  /** Without the runtime's prefix. */
  readonly id: string;
  readonly name: string;
  /** 0 for the first instance; becomes `restartCount`. */
  readonly attempt: number;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  readonly createdMs: number;
  readonly startedMs?: number;
  readonly finishedMs?: number;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  /** The image's name as the runtime has resolved it, and what it stands for. */
  readonly image: string;
  readonly imageId: string;
  /** The image as the spec named it: another one means that the definition has changed. */
  readonly specImage: string;
}

export interface SandboxView {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly hostNetwork: boolean;
  /** The Pod's own addresses; empty on the host's network. */
  readonly ips: readonly string[];
}

/** What runs of one Pod. */
export interface PodView {
  readonly sandbox: SandboxView | undefined;
  /** Newest first; of one name at most two. */
  readonly containers: readonly ContainerView[];
}

export const emptyView: PodView = { sandbox: undefined, containers: [] };

export interface ImageInfo {
  readonly sizeBytes: number;
  /** How long the pull took. */
  readonly tookMs: number;
}

export interface ContainerRequest {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly kind: ContainerKind;
  readonly attempt: number;
}

export interface ProbeRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly view: ContainerView;
  readonly type: ProbeType;
  readonly spec: ProbeSpec;
}

/** `unknown`: the probe itself could not be carried out. `output` is for the event. */
export interface ProbeOutcome {
  readonly result: 'success' | 'warning' | 'failure' | 'unknown';
  readonly output: string;
}

export interface HookRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly view: ContainerView;
  readonly hook: 'postStart' | 'preStop';
  readonly handler: LifecycleHandler;
}

export interface LogRequest {
  readonly pod: Pod;
  /** Of the instance: `ContainerView.id`. */
  readonly containerId: string;
  readonly follow: boolean;
  readonly sinceMs: number | undefined;
  readonly tailLines: number | undefined;
}

export interface LogLine {
  /** Wall clock milliseconds. */
  readonly ms: number;
  readonly text: string;
}

/** Why a container could not be started; `reason` shows as the waiting reason. */
export class RuntimeFailure extends Error {
  override readonly name = 'RuntimeFailure';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Runs the containers of one node. */
export interface ContainerRuntime {
  /** Prefix of container ids in statuses: `<name>://<id>`. */
  readonly name: string;
  /** As `containerRuntimeVersion` tells it after the prefix. */
  readonly version: string;
  /** What runs of a Pod, from memory. */
  view(uid: string): PodView;
  /** Uids of all Pods of which something is left. */
  uids(): Iterable<string>;
  /** Hears which Pod's view has changed, until the returned function is called. */
  onChange(listener: (uid: string) => void): () => void;
  /** Makes the Pod's network and everything its containers share. @throws RuntimeFailure */
  createSandbox(pod: Pod, attempt: number, signal: AbortSignal): Promise<void>;
  stopSandbox(uid: string): Promise<void>;
  /** Whether the image is here already. @throws RuntimeFailure */
  hasImage(request: ContainerRequest): Promise<boolean>;
  /** @throws RuntimeFailure */
  pullImage(request: ContainerRequest, signal: AbortSignal): Promise<ImageInfo>;
  /** Returns the id of the new instance. @throws RuntimeFailure */
  createContainer(request: ContainerRequest, signal: AbortSignal): Promise<string>;
  /** @throws RuntimeFailure */
  startContainer(id: string, signal: AbortSignal): Promise<void>;
  /** Asks it to end, and ends it after `graceMs`; resolves when it has ended. A later call may shorten the time. */
  stopContainer(id: string, graceMs: number): Promise<void>;
  /** Forgets an instance that has ended. */
  removeContainer(id: string): Promise<void>;
  /** Forgets everything of a Pod, its logs too. */
  removePod(uid: string): Promise<void>;
  probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeOutcome>;
  /** A probe the container has though its spec names none. */
  impliedProbe(pod: Pod, container: Container, type: ProbeType): ProbeSpec | undefined;
  /** @throws RuntimeFailure when the hook failed; its message is that of the status */
  runHook(request: HookRequest, signal: AbortSignal): Promise<void>;
  /** What an instance has said; with `follow` until it ends. */
  logs(request: LogRequest, signal: AbortSignal): AsyncIterable<LogLine>;
}
