// What would have to go from a node for a pod to fit, tried in thought (spec/scheduler.md §12.3): everything of lower priority goes, then
// as much as possible comes back.

import type { PodDisruptionBudget } from '@homeostat/api/types/policy-v1';
import type { NodeInfo } from '../../cache/node-info.ts';
import { parseSelector } from '../../framework/affinity-term.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { PluginHandle } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import { pluginNames } from '../names.ts';
import { type Candidate, compareImportance } from './candidate.ts';

export type DryRunHandle = Pick<PluginHandle, 'runFiltersWithNominatedPods' | 'runAddPod' | 'runRemovePod'>;

export interface DryRun {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: readonly PodDisruptionBudget[];
  readonly nowMs: number;
}

const name = pluginNames.defaultPreemption;
const noVictims = Status.unresolvable(name, 'No preemption victims found for incoming pod');

/** The victims on a node, or why there is no point. Changes nothing. */
export function selectVictims(handle: DryRunHandle, original: NodeInfo, run: DryRun): Candidate | Status {
  const { pod, budgets, nowMs } = run;
  const state = run.state.clone();
  const node = original.clone();
  const potential = original.pods.filter(({ priority }) => priority < pod.priority);
  if (potential.length === 0) return noVictims;
  const remove = (victim: PodInfo): Status | undefined => {
    node.removePod(victim.uid);
    return handle.runRemovePod(state, pod, { pod: victim, node });
  };
  for (const victim of potential) {
    const failure = remove(victim);
    if (failure !== undefined) return failure;
  }
  const unfit = handle.runFiltersWithNominatedPods(state, pod, node);
  if (unfit !== undefined) return unfit;

  const { violating, others } = splitByBudgets([...potential].sort(compareImportance(nowMs)), budgets);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const group of [violating, others]) {
    for (const reprieved of group) {
      node.addPod(reprieved);
      const failure = handle.runAddPod(state, pod, { pod: reprieved, node });
      if (failure !== undefined) return failure;
      if (handle.runFiltersWithNominatedPods(state, pod, node) === undefined) continue;
      const failed = remove(reprieved);
      if (failed !== undefined) return failed;
      victims.push(reprieved);
      if (group === violating) violations++;
    }
  }
  if (victims.length === 0)
    return Status.error(name, new Error(`expected at least one victim pod on node "${node.name}"`));
  return { node: original, victims: victims.sort(compareImportance(nowMs)), violations };
}

/** Pods that budgets would not let go come first: they are the first to be spared. */
function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const parsed = budgets.map((budget) => ({
    namespace: budget.metadata?.namespace,
    selector: parseSelector(budget.spec?.selector),
    disrupted: budget.status?.disruptedPods ?? {},
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    if (Object.keys(pod.labels ?? {}).length > 0) {
      for (const budget of parsed) {
        if (budget.namespace !== pod.namespace || budget.selector.isEmpty || !budget.selector.matches(pod.labels))
          continue;
        // Counted already by the API server.
        if (Object.hasOwn(budget.disrupted, pod.name)) continue;
        budget.allowed--;
        if (budget.allowed < 0) violates = true;
      }
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}
