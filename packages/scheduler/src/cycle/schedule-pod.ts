// Finds a node for one pod: filter, then score (spec/scheduler.md §6.2, §6.3). Reads the snapshot alone and gives way to other tasks
// when it takes long. Reserving, binding and failing are not its business.

import { type Env, Pacer } from '@homeostat/base';
import { compareBytewise } from '@homeostat/machinery';
import type { NodeInfo } from '../cache/node-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { CycleState } from '../framework/cycle-state.ts';
import { Diagnosis, FitError, noNodesText } from '../framework/fit-error.ts';
import type { Framework } from '../framework/framework.ts';
import type { PodInfo } from '../framework/pod-info.ts';
import { Status, statusError } from '../framework/status.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import { countNodesToFind } from './nodes-to-find.ts';
import { selectHost, selectHostAtRandom } from './select-host.ts';

export interface AlgorithmOptions {
  readonly env: Env;
  readonly snapshot: Snapshot;
  readonly metrics: SchedulerMetrics;
  /** Of profiles that give none of their own; 0: adaptive. */
  readonly percentageOfNodesToScore: number;
  /** How to choose among nodes of equal score. */
  readonly ties: 'first' | 'random';
}

/** There is not a single node. */
export class NoNodesError extends Error {
  override readonly name = 'NoNodesError';
  constructor() {
    super(noNodesText);
  }
}

export class Algorithm {
  readonly #options: AlgorithmOptions;
  readonly #pacer: Pacer;
  /** Where the next look begins: all nodes get their turn. */
  #nextStart = 0;

  constructor(options: AlgorithmOptions) {
    this.#options = options;
    this.#pacer = new Pacer(options.env.clock);
  }

  /** The name of the chosen node. @throws NoNodesError, FitError, or what broke */
  async schedule(framework: Framework, state: CycleState, pod: PodInfo): Promise<string> {
    const start = this.#options.metrics.now();
    this.#pacer.restart();
    const { nodes } = this.#options.snapshot;
    if (nodes.length === 0) throw new NoNodesError();
    const diagnosis = new Diagnosis();
    const feasible = await this.#findNodes(framework, state, { pod, diagnosis });
    const [first] = feasible;
    if (first === undefined) throw new FitError(nodes.length, diagnosis);
    const host = feasible.length === 1 ? first : this.#best(framework, state, { pod, feasible });
    this.#options.metrics.algorithm(start);
    return host.name;
  }

  async #findNodes(framework: Framework, state: CycleState, { pod, diagnosis }: Search): Promise<readonly NodeInfo[]> {
    const { snapshot } = this.#options;
    const preFilter = framework.runPreFilter(state, pod, snapshot.nodes);
    for (const plugin of preFilter.restrictedBy) diagnosis.unschedulablePlugins.add(plugin);
    if (preFilter.verdict !== undefined) {
      if (!preFilter.verdict.isRejected) throw statusError(preFilter.verdict);
      diagnosis.nodeToStatus.absent = preFilter.verdict;
      diagnosis.preFilterMessage = preFilter.verdict.message;
      diagnosis.addRejector(preFilter.verdict);
      return [];
    }
    const nominated = this.#evaluateNominated(framework, state, { pod, diagnosis });
    if (nominated !== undefined) return [nominated];
    let nodes = snapshot.nodes;
    if (preFilter.nodeNames !== undefined) {
      nodes = Array.from(preFilter.nodeNames, (name) => snapshot.get(name)).filter((node) => node !== undefined);
      const names = [...preFilter.restrictedBy].sort(compareBytewise).join(' ');
      diagnosis.nodeToStatus.absent = Status.unresolvable('', `node(s) didn't satisfy plugin(s) [${names}]`);
    }
    const feasible = await this.#filter(framework, state, { pod, diagnosis, nodes });
    this.#nextStart = (this.#nextStart + feasible.length + diagnosis.nodeToStatus.size) % snapshot.nodes.length;
    return feasible;
  }

  /** A nominated node that fits is taken without looking at others. */
  #evaluateNominated(framework: Framework, state: CycleState, { pod, diagnosis }: Search): NodeInfo | undefined {
    const { env, snapshot } = this.#options;
    if (pod.nominatedNodeName === '') return undefined;
    const node = snapshot.get(pod.nominatedNodeName);
    if (node === undefined) return undefined;
    const verdict = framework.runFiltersWithNominatedPods(state, pod, node);
    if (verdict === undefined) return node;
    if (verdict.isRejected) {
      diagnosis.nodeToStatus.set(node.name, verdict);
      diagnosis.addRejector(verdict);
    } else {
      env.log.error('evaluating the nominated node failed', { pod: pod.key, node: node.name, error: verdict.error });
    }
    return undefined;
  }

  async #filter(
    framework: Framework,
    state: CycleState,
    { pod, diagnosis, nodes }: Search & { readonly nodes: readonly NodeInfo[] },
  ): Promise<readonly NodeInfo[]> {
    const percentage = framework.percentageOfNodesToScore ?? this.#options.percentageOfNodesToScore;
    const wanted = framework.hasScoring ? countNodesToFind(nodes.length, percentage) : 1;
    const feasible: NodeInfo[] = [];
    for (let index = 0; index < nodes.length && feasible.length < wanted; index++) {
      const node = nodes[(this.#nextStart + index) % nodes.length];
      if (node === undefined) continue;
      const verdict = framework.runFiltersWithNominatedPods(state, pod, node);
      if (verdict === undefined) {
        feasible.push(node);
      } else if (verdict.isRejected) {
        diagnosis.nodeToStatus.set(node.name, verdict);
        diagnosis.addRejector(verdict);
      } else {
        throw statusError(verdict);
      }
      if (this.#pacer.due()) await this.#pacer.yield();
    }
    return feasible;
  }

  #best(
    framework: Framework,
    state: CycleState,
    { pod, feasible }: { readonly pod: PodInfo; readonly feasible: readonly NodeInfo[] },
  ): NodeInfo {
    const { env, ties } = this.#options;
    const result = framework.runScoring(state, pod, feasible);
    if ('failure' in result) throw statusError(result.failure);
    const position =
      ties === 'first'
        ? selectHost(result.scores)
        : selectHostAtRandom(result.scores, (bound) => env.random.int(bound));
    const best = feasible[position];
    if (best === undefined) throw new Error(`no node at position ${position} of ${feasible.length}`);
    return best;
  }
}

interface Search {
  readonly pod: PodInfo;
  readonly diagnosis: Diagnosis;
}
