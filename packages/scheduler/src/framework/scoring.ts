// Runs the PreScore and Score plugins of a profile over the nodes that fit (spec/scheduler.md §7.6). Its loops are the scheduler's hottest.

import type { ProfilePlugins } from '../configuration/profile.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { CycleState } from './cycle-state.ts';
import type { Evaluations } from './evaluations.ts';
import type { PodInfo } from './pod-info.ts';
import { codeOf, Status, type StatusCode, statusError } from './status.ts';

/** Total scores, or what kept plugins from scoring. */
export type ScoreResult = { readonly scores: Float64Array } | { readonly failure: Status };

const scoreMax = 100;

export interface ScoringOptions {
  readonly schedulerName: string;
  readonly plugins: ProfilePlugins;
  readonly metrics: SchedulerMetrics;
  readonly evaluations: Evaluations;
}

export class Scoring {
  readonly #plugins: ProfilePlugins;
  readonly #metrics: SchedulerMetrics;
  readonly #evaluations: Evaluations;
  readonly #schedulerName: string;

  constructor({ schedulerName, plugins, metrics, evaluations }: ScoringOptions) {
    this.#schedulerName = schedulerName;
    this.#plugins = plugins;
    this.#metrics = metrics;
    this.#evaluations = evaluations;
  }

  /** Scores nodes with every plugin that has not skipped the pod; totals by position. */
  run(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): ScoreResult {
    const preScored = this.#preScore(state, pod, nodes);
    if (preScored !== undefined) return { failure: preScored };
    const start = this.#metrics.now();
    const totals = new Float64Array(nodes.length);
    const counts = this.#evaluations.of('Score');
    for (const [index, { plugin, weight }] of this.#plugins.score.entries()) {
      if (state.skipScore.has(plugin.name)) continue;
      counts[index] = (counts[index] ?? 0) + nodes.length;
      const failure = this.#scoreWith(state, pod, { plugin, weight, nodes, totals });
      if (failure === undefined) continue;
      this.#metrics.extensionPoint('Score', failure.code, { start, profile: this.#schedulerName });
      return { failure };
    }
    this.#metrics.extensionPoint('Score', 'Success', { start, profile: this.#schedulerName });
    return { scores: totals };
  }

  #preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    const start = this.#metrics.now();
    const skipped = new Set<string>();
    let code: StatusCode = 'Success';
    let failure: Status | undefined;
    const counts = this.#evaluations.of('PreScore');
    for (const [index, plugin] of this.#plugins.preScore.entries()) {
      counts[index] = (counts[index] ?? 0) + 1;
      const timer = this.#metrics.pluginTimer(state.recordsPlugins, plugin.name, 'PreScore');
      const verdict = plugin.preScore(state, pod, nodes);
      timer?.(codeOf(verdict));
      if (verdict === undefined) continue;
      if (verdict.code === 'Skip') {
        skipped.add(plugin.name);
        continue;
      }
      const cause = statusError(verdict);
      failure = Status.error(
        plugin.name,
        new Error(`running PreScore plugin "${plugin.name}": ${cause.message}`, { cause }),
      );
      code = failure.code;
      break;
    }
    state.skipScore = skipped;
    this.#metrics.extensionPoint('PreScore', code, { start, profile: this.#schedulerName });
    return failure;
  }

  #scoreWith(state: CycleState, pod: PodInfo, turn: ScoreTurn): Status | undefined {
    const { plugin, weight, nodes, totals } = turn;
    const timer = this.#metrics.pluginTimer(state.recordsPlugins, plugin.name, 'Score');
    const scores = new Float64Array(nodes.length);
    try {
      for (let index = 0; index < nodes.length; index++) {
        const node = nodes[index];
        if (node !== undefined) scores[index] = plugin.score(state, pod, node);
      }
      plugin.normalizeScores?.(state, pod, { nodes, scores });
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      timer?.('Error');
      return Status.error(plugin.name, new Error(`plugin "${plugin.name}" failed with: ${text}`, { cause }));
    }
    timer?.('Success');
    for (let index = 0; index < scores.length; index++) {
      const score = scores[index] ?? 0;
      if (!(score >= 0 && score <= scoreMax)) {
        const text = `plugin "${plugin.name}" returns an invalid score ${score}, it should in the range of [0, ${scoreMax}] after normalizing`;
        return Status.error(plugin.name, new Error(text));
      }
      totals[index] = (totals[index] ?? 0) + score * weight;
    }
    return undefined;
  }
}

interface ScoreTurn {
  readonly plugin: ProfilePlugins['score'][number]['plugin'];
  readonly weight: number;
  readonly nodes: readonly NodeInfo[];
  readonly totals: Float64Array;
}
