// Runs the plugins of one profile, point by point, and makes of their answers one (spec/scheduler.md §7). It decides nothing itself and
// knows no plugin by name.

import { compareBytewise } from '@homeostat/machinery';
import type { NodeInfo } from '../cache/node-info.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { ProfilePlugins } from '../configuration/profile.ts';
import type { EventRegistration } from './cluster-event.ts';
import { actions } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import { Evaluations } from './evaluations.ts';
import type { NodeToStatus } from './node-to-status.ts';
import type {
  NominatedPods,
  NominatingInfo,
  Placement,
  Plugin,
  PodOnNode,
  PostFilterOutcome,
  SortedPod,
} from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { codeOf, Status, statusError, type Verdict } from './status.ts';
import { type ScoreResult, Scoring } from './scoring.ts';
import { named, refusal } from './verdicts.ts';
import { permitTimeoutMaxMs, type WaitingPods } from './waiting-pods.ts';

export interface FrameworkOptions {
  readonly schedulerName: string;
  readonly plugins: ProfilePlugins;
  readonly metrics: SchedulerMetrics;
  readonly nominated: NominatedPods;
  readonly waitingPods: WaitingPods;
}

export interface PreFilterResult {
  readonly verdict: Verdict;
  /** Nodes that are left; absent: all. */
  readonly nodeNames: ReadonlySet<string> | undefined;
  /** Who restricted them. */
  readonly restrictedBy: ReadonlySet<string>;
}

export interface PostFilterResult {
  readonly verdict: Verdict;
  readonly nominating: NominatingInfo | undefined;
}

export class Framework {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number | undefined;
  readonly #plugins: ProfilePlugins;
  readonly #metrics: SchedulerMetrics;
  readonly #nominated: NominatedPods;
  readonly #waitingPods: WaitingPods;
  readonly #evaluations: Evaluations;
  readonly #scoring: Scoring;
  /** By the name of the plugin. */
  readonly registrations: ReadonlyMap<string, readonly EventRegistration[]>;

  constructor(options: FrameworkOptions) {
    this.schedulerName = options.schedulerName;
    this.#plugins = options.plugins;
    this.percentageOfNodesToScore = options.plugins.percentageOfNodesToScore;
    this.#metrics = options.metrics;
    this.#nominated = options.nominated;
    this.#waitingPods = options.waitingPods;
    const namesOf = (plugins: readonly Plugin[]): readonly string[] => plugins.map(({ name }) => name);
    this.#evaluations = new Evaluations({
      PreFilter: namesOf(options.plugins.preFilter),
      Filter: namesOf(options.plugins.filter),
      PreScore: namesOf(options.plugins.preScore),
      Score: namesOf(options.plugins.score.map(({ plugin }) => plugin)),
    });
    this.#scoring = new Scoring({ ...options, evaluations: this.#evaluations });
    options.metrics.watchEvaluations(options.schedulerName, () => this.#evaluations.take());
    this.registrations = new Map(
      options.plugins.all.map((plugin) => [plugin.name, withTaintRule(plugin.events ?? [])] as const),
    );
  }

  get hasScoring(): boolean {
    return this.#plugins.score.length > 0;
  }

  get hasPostFilter(): boolean {
    return this.#plugins.postFilter.length > 0;
  }

  less(a: SortedPod, b: SortedPod): boolean {
    return this.#plugins.queueSort.less(a, b);
  }

  /** The first refusal; the plugin that gated the pod last time is asked first. */
  runPreEnqueue(pod: PodInfo, gatedBy: string): Verdict {
    const plugins = this.#plugins.preEnqueue;
    const last = gatedBy === '' ? undefined : plugins.find(({ name }) => name === gatedBy);
    const first = last === undefined ? undefined : named(last.preEnqueue(pod), last.name);
    if (first !== undefined) return first;
    for (const plugin of plugins) {
      if (plugin === last) continue;
      const verdict = plugin.preEnqueue(pod);
      if (verdict !== undefined) return named(verdict, plugin.name);
    }
    return undefined;
  }

  runPreFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult {
    const start = this.#metrics.now();
    const result = this.#preFilter(state, pod, nodes);
    this.#metrics.extensionPoint('PreFilter', codeOf(result.verdict), { start, profile: this.schedulerName });
    return result;
  }

  #preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult {
    const skipped = new Set<string>();
    const restrictedBy = new Set<string>();
    let nodeNames: ReadonlySet<string> | undefined;
    let rejection: Status | undefined;
    const answer = (verdict: Verdict): PreFilterResult => ({ verdict, nodeNames, restrictedBy });
    const counts = this.#evaluations.of('PreFilter');
    for (const [index, plugin] of this.#plugins.preFilter.entries()) {
      counts[index] = (counts[index] ?? 0) + 1;
      const timer = this.#metrics.pluginTimer(state.recordsPlugins, plugin.name, 'PreFilter');
      const outcome = plugin.preFilter(state, pod, nodes);
      const { verdict } = outcome;
      timer?.(codeOf(verdict));
      if (verdict !== undefined) {
        if (verdict.code === 'Skip') {
          skipped.add(plugin.name);
          continue;
        }
        if (verdict.code === 'UnschedulableAndUnresolvable') return answer(named(verdict, plugin.name));
        if (!verdict.isRejected) {
          const cause = statusError(verdict);
          return answer(
            Status.error(
              plugin.name,
              new Error(`running PreFilter plugin "${plugin.name}": ${cause.message}`, { cause }),
            ),
          );
        }
        // Later plugins still run: preemption needs their state.
        rejection ??= named(verdict, plugin.name);
        continue;
      }
      if (outcome.nodeNames === undefined) continue;
      restrictedBy.add(plugin.name);
      nodeNames = nodeNames === undefined ? outcome.nodeNames : nodeNames.intersection(outcome.nodeNames);
      if (nodeNames.size === 0) {
        const names = [...restrictedBy].sort(compareBytewise);
        const text =
          names.length === 1
            ? `node(s) didn't satisfy plugin ${names[0]}`
            : `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
        return answer(new Status({ code: 'UnschedulableAndUnresolvable', reasons: [text] }));
      }
    }
    state.skipFilter = skipped;
    return answer(rejection);
  }

  /** The first refusal of a node. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict {
    const { skipFilter } = state;
    const plugins = this.#plugins.filter;
    const counts = this.#evaluations.of('Filter');
    for (let index = 0; index < plugins.length; index++) {
      const plugin = plugins[index];
      if (plugin === undefined || (skipFilter.size > 0 && skipFilter.has(plugin.name))) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      const verdict = plugin.filter(state, pod, node);
      if (verdict === undefined) continue;
      if (verdict.isRejected) return named(verdict, plugin.name);
      const cause = statusError(verdict);
      return Status.error(
        plugin.name,
        new Error(`running "${plugin.name}" filter plugin: ${cause.message}`, { cause }),
      );
    }
    return undefined;
  }

  /**
   * A node must take the pod both with the pods nominated to it, as far as they don't yield to this one, and without them: they may
   * never come, and what they'd make true must not be relied on.
   */
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict {
    const known = this.#nominated.nominatedPodsFor(node.name);
    if (known.length === 0) return this.runFilters(state, pod, node);
    const nominated = known.filter((other) => other.priority >= pod.priority && other.uid !== pod.uid);
    if (nominated.length > 0) {
      const copy = node.clone();
      const what = state.clone();
      for (const other of nominated) {
        copy.addPod(other);
        const added = this.runAddPod(what, pod, { pod: other, node: copy });
        if (added !== undefined) return added;
      }
      const verdict = this.runFilters(what, pod, copy);
      if (verdict !== undefined) return verdict;
    }
    return this.runFilters(state, pod, node);
  }

  runAddPod(state: CycleState, pod: PodInfo, change: PodOnNode): Verdict {
    return this.#runExtensions(state, (plugin) => plugin.preFilterExtensions?.addPod(state, pod, change), 'AddPod');
  }

  runRemovePod(state: CycleState, pod: PodInfo, change: PodOnNode): Verdict {
    return this.#runExtensions(
      state,
      (plugin) => plugin.preFilterExtensions?.removePod(state, pod, change),
      'RemovePod',
    );
  }

  #runExtensions(state: CycleState, run: (plugin: Plugin) => Verdict, what: string): Verdict {
    for (const plugin of this.#plugins.preFilter) {
      if (plugin.preFilterExtensions === undefined || state.skipFilter.has(plugin.name)) continue;
      const verdict = run(plugin);
      if (verdict === undefined) continue;
      const cause = statusError(verdict);
      return Status.error(
        plugin.name,
        new Error(`running ${what} on PreFilter plugin "${plugin.name}": ${cause.message}`, { cause }),
      );
    }
    return undefined;
  }

  async runPostFilter(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): Promise<PostFilterResult> {
    const start = this.#metrics.now();
    const result = await this.#postFilter(state, pod, nodeToStatus);
    this.#metrics.extensionPoint('PostFilter', codeOf(result.verdict), { start, profile: this.schedulerName });
    return result;
  }

  async #postFilter(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): Promise<PostFilterResult> {
    const reasons: string[] = [];
    let nominating: NominatingInfo | undefined;
    let rejector = '';
    for (const plugin of this.#plugins.postFilter) {
      const outcome: PostFilterOutcome = await plugin.postFilter(state, pod, nodeToStatus);
      const { verdict } = outcome;
      if (verdict === undefined) return { verdict, nominating: outcome.nominating };
      if (verdict.code === 'UnschedulableAndUnresolvable')
        return { verdict: named(verdict, plugin.name), nominating: outcome.nominating };
      if (!verdict.isRejected)
        return { verdict: Status.error(plugin.name, statusError(verdict)), nominating: undefined };
      reasons.push(...verdict.reasons);
      if (outcome.nominating !== undefined) nominating = outcome.nominating;
      rejector ||= plugin.name;
    }
    return { verdict: Status.unschedulable(rejector, ...reasons), nominating };
  }

  /** Scores nodes with every plugin that has not skipped the pod; totals by position. */
  runScoring(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): ScoreResult {
    return this.#scoring.run(state, pod, nodes);
  }

  runReserve(state: CycleState, placement: Placement): Verdict {
    for (const plugin of this.#plugins.reserve) {
      if (plugin.reserve === undefined) continue;
      const verdict = plugin.reserve(state, placement);
      if (verdict !== undefined) return refusal(verdict, plugin.name, 'running Reserve plugin');
    }
    return undefined;
  }

  /** Takes reservations back, the latest first; also where nothing was reserved. */
  runUnreserve(state: CycleState, placement: Placement): void {
    for (const plugin of this.#plugins.reserve.toReversed()) plugin.unreserve?.(state, placement);
  }

  /** Success, a refusal, or `Wait`: then the pod has been put among the waiting ones. */
  runPermit(state: CycleState, placement: Placement): Verdict {
    const timeoutsMs = new Map<string, number>();
    for (const plugin of this.#plugins.permit) {
      const { verdict, timeoutMs = 0 } = plugin.permit(state, placement);
      if (verdict === undefined) continue;
      if (verdict.code !== 'Wait') return refusal(verdict, plugin.name, 'running Permit plugin');
      timeoutsMs.set(plugin.name, Math.min(timeoutMs, permitTimeoutMaxMs));
    }
    if (timeoutsMs.size === 0) return undefined;
    this.#waitingPods.add(placement.pod, timeoutsMs);
    return new Status({
      code: 'Wait',
      reasons: [`one or more plugins asked to wait and no plugin rejected pod "${placement.pod.name}"`],
    });
  }

  async waitOnPermit(pod: PodInfo): Promise<Verdict> {
    if (this.#waitingPods.get(pod.uid) === undefined) return undefined;
    const start = this.#metrics.now();
    const verdict = await this.#waitingPods.wait(pod.uid);
    this.#metrics.permitWait(codeOf(verdict), start);
    if (verdict === undefined || verdict.isRejected) return verdict;
    const cause = statusError(verdict);
    return Status.error(verdict.plugin, new Error(`waiting on permit for pod: ${cause.message}`, { cause }));
  }

  /** The PreBind plugins that have something to do for the pod, or what broke. */
  runPreBindPreFlight(
    state: CycleState,
    placement: Placement,
  ): { readonly verdict: Verdict; readonly plugins: readonly string[] } {
    const plugins: string[] = [];
    for (const plugin of this.#plugins.preBind) {
      const verdict = plugin.preBindPreFlight?.(state, placement);
      if (verdict === undefined) plugins.push(plugin.name);
      else if (verdict.code !== 'Skip')
        return { verdict: refusal(verdict, plugin.name, 'running PreBindPreFlight'), plugins };
    }
    return { verdict: undefined, plugins };
  }

  /** Runs the PreBind plugins named, together. */
  async runPreBind(state: CycleState, placement: Placement, names: readonly string[]): Promise<Verdict> {
    const start = this.#metrics.now();
    const plugins = this.#plugins.preBind.filter(({ name }) => names.includes(name));
    const verdicts = await Promise.all(
      plugins.map(async (plugin) => {
        const verdict = await plugin.preBind(state, placement);
        return verdict === undefined ? undefined : refusal(verdict, plugin.name, 'running PreBind plugin');
      }),
    );
    const failure = verdicts.find((verdict) => verdict !== undefined);
    this.#metrics.extensionPoint('PreBind', codeOf(failure), { start, profile: this.schedulerName });
    return failure;
  }

  /** The first Bind plugin that takes the pod decides. */
  async runBind(state: CycleState, placement: Placement): Promise<Verdict> {
    const start = this.#metrics.now();
    let result: Verdict = Status.error('', new Error('no Bind plugin took the pod'));
    for (const plugin of this.#plugins.bind) {
      const verdict = await plugin.bind(state, placement);
      if (verdict?.code === 'Skip') continue;
      result = verdict === undefined ? undefined : refusal(verdict, plugin.name, 'running Bind plugin');
      break;
    }
    this.#metrics.extensionPoint('Bind', codeOf(result), { start, profile: this.schedulerName });
    return result;
  }

  runPostBind(state: CycleState, placement: Placement): void {
    for (const plugin of this.#plugins.postBind) plugin.postBind(state, placement);
  }
}

/** Who asked for new nodes hears of changed taints too: a node that was new once may have been hidden by a taint. */
function withTaintRule(events: readonly EventRegistration[]): readonly EventRegistration[] {
  const covers = (bit: number): boolean =>
    events.some(({ resource, action }) => resource === 'Node' && (action & bit) !== 0);
  if (!covers(actions.add) || covers(actions.updateNodeTaint)) return events;
  return [...events, { resource: 'Node', action: actions.updateNodeTaint }];
}
