// What a plugin can be: any of the points at which a pod's way from the queue to its node can be influenced (spec/scheduler.md §6 to §8).
// Synchronous points read the snapshot and memory only; PostFilter, PreBind, Bind and Permit's waits may talk to the API server.

import type { Env } from '@homeostat/base';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { Client } from '@homeostat/client';
import type { InformerFactory, Lister } from '@homeostat/runtime';
import type { NodeInfo } from '../cache/node-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { EventRegistration } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { NodeToStatus } from './node-to-status.ts';
import type { PodInfo } from './pod-info.ts';
import type { Verdict } from './status.ts';

/** A pod in the queue, as QueueSort sees it. */
export interface SortedPod {
  readonly info: PodInfo;
  /** When it entered the queue or last failed, epoch milliseconds. */
  readonly timestampMs: number;
}

export interface PreFilterOutcome {
  readonly verdict: Verdict;
  /** Only these nodes can do; absent: all may. */
  readonly nodeNames?: ReadonlySet<string>;
}

/** What becomes of `status.nominatedNodeName`. */
export interface NominatingInfo {
  /** Empty: cleared. */
  readonly nodeName: string;
}

export interface PostFilterOutcome {
  readonly verdict: Verdict;
  /** Absent: the nomination stays as it is. */
  readonly nominating?: NominatingInfo;
}

export interface PermitOutcome {
  /** `Wait` with {@link timeoutMs}: the binding waits until all plugins allow it. */
  readonly verdict: Verdict;
  readonly timeoutMs?: number;
}

/** Keeps a plugin's state of the cycle right while pods are added to and taken from nodes in thought. */
export interface PreFilterExtensions {
  addPod(state: CycleState, pod: PodInfo, change: PodOnNode): Verdict;
  removePod(state: CycleState, pod: PodInfo, change: PodOnNode): Verdict;
}

export interface PodOnNode {
  readonly pod: PodInfo;
  readonly node: NodeInfo;
}

/** The node chosen for a pod. */
export interface Placement {
  readonly pod: PodInfo;
  readonly nodeName: string;
  /** Aborts when the process stops; waits end then. */
  readonly signal: AbortSignal;
  /** Aborts when no time is left, or another process may act: requests under way are given up then. */
  readonly kill: AbortSignal;
}

/** A plugin; every point is optional. Names are upstream's: configuration, messages and metrics show them. */
export interface Plugin {
  readonly name: string;
  /** Events after which pods this plugin turned down may be worth another try. */
  readonly events?: readonly EventRegistration[];
  /** Anything but success keeps the pod out of the queue, without a word. */
  preEnqueue?(pod: PodInfo): Verdict;
  /** Whether `a` comes before `b`. */
  less?(a: SortedPod, b: SortedPod): boolean;
  preFilter?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome;
  readonly preFilterExtensions?: PreFilterExtensions;
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict;
  postFilter?(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): Promise<PostFilterOutcome>;
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Verdict;
  /** A raw score; `normalizeScores` brings all of a pod into 0 to 100. @throws what ends the cycle as an error */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Changes `scores` in place. */
  normalizeScores?(state: CycleState, pod: PodInfo, scored: ScoredNodes): void;
  reserve?(state: CycleState, placement: Placement): Verdict;
  unreserve?(state: CycleState, placement: Placement): void;
  permit?(state: CycleState, placement: Placement): PermitOutcome;
  /** Success: there is something to do before binding. Skip: not for this pod. */
  preBindPreFlight?(state: CycleState, placement: Placement): Verdict;
  preBind?(state: CycleState, placement: Placement): Promise<Verdict>;
  /** Skip passes the pod on to the next one. */
  bind?(state: CycleState, placement: Placement): Promise<Verdict>;
  postBind?(state: CycleState, placement: Placement): void;
}

export interface ScoredNodes {
  readonly nodes: readonly NodeInfo[];
  /** By position in {@link nodes}. */
  readonly scores: Float64Array;
}

/** A pod that waits for leave to be bound. */
export interface WaitingPod {
  readonly pod: PodInfo;
  /** Plugins it waits for. */
  pendingPlugins(): readonly string[];
  allow(plugin: string): void;
  /** Turns the pod down. @returns whether it was still waiting */
  reject(plugin: string, message: string): boolean;
  /** Ends the binding as broken: the pod is tried again after a back-off. @returns whether it was still waiting */
  fail(error: Error): boolean;
}

/** Pods nominated to nodes: room is kept for them. */
export interface NominatedPods {
  /** The pods nominated to a node, as the queue knows them. */
  nominatedPodsFor(nodeName: string): readonly PodInfo[];
}

export interface SchedulerEvent {
  readonly regarding: PodInfo;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** What plugins may use of the scheduler. */
export interface PluginHandle extends NominatedPods {
  readonly env: Env;
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly metrics: SchedulerMetrics;
  /** Pods that have not finished, as the informer has them. */
  readonly pods: Lister<Pod>;
  /** The state of the present cycle. */
  readonly snapshot: Snapshot;
  /** The name pods give as `spec.schedulerName`. */
  readonly schedulerName: string;
  recordEvent(event: SchedulerEvent): void;
  /** Runs the filters on a node, with nominated pods counted in and without. */
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict;
  /** Adds a pod to a node in thought; `change.node` is a copy. */
  runAddPod(state: CycleState, pod: PodInfo, change: PodOnNode): Verdict;
  runRemovePod(state: CycleState, pod: PodInfo, change: PodOnNode): Verdict;
  waitingPod(uid: string): WaitingPod | undefined;
  waitingPods(): Iterable<WaitingPod>;
  /** Ends the binding of a pod that is between reservation and bind. @returns whether there was one to end */
  cancelBinding(uid: string, cause: Error): boolean;
  /** Puts a pod at once into the active queue. */
  activate(pod: Pod): void;
  /** Writes `nominatedNodeName: null` to the status of a pod. */
  clearNomination(pod: PodInfo): Promise<void>;
  /** Runs a task that outlives the cycle. */
  spawn(name: string, task: (signal: AbortSignal) => Promise<void>): void;
}

/** Makes a plugin; nothing is read before the scheduler runs. */
export type PluginFactory = (handle: PluginHandle) => Plugin;
