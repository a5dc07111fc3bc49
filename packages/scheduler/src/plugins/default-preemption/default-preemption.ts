// Makes room for a pod that fits nowhere by removing pods of lower priority from one node (spec/scheduler.md §12).

import { Pacer } from '@homeostat/base';
import { getPodCondition } from '@homeostat/api';
import { podDisruptionBudgets } from '@homeostat/client/resources';
import { actions, onPod } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import { Diagnosis, fitErrorText } from '../../framework/fit-error.ts';
import type { NodeToStatus } from '../../framework/node-to-status.ts';
import type { Plugin, PluginHandle, PostFilterOutcome } from '../../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import { pluginNames } from '../names.ts';
import { type Candidate, chooseCandidate } from './candidate.ts';
import { selectVictims } from './dry-run.ts';
import { Eviction } from './eviction.ts';

export interface DefaultPreemptionOptions {
  /** Share of the nodes to try at least, percent; default 10. */
  readonly minCandidateNodesPercentage?: number;
  /** Nodes to try at least; default 100. */
  readonly minCandidateNodesAbsolute?: number;
}

const name = pluginNames.defaultPreemption;
const busy = Status.unresolvable(name, 'waiting for the preemption for this pod to be finished');

export function createDefaultPreemption(handle: PluginHandle, options: DefaultPreemptionOptions = {}): Plugin {
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = options;
  const eviction = new Eviction(handle);
  const budgets = handle.informers.lister(podDisruptionBudgets);

  const countWanted = (nodes: number): number =>
    Math.min(nodes, Math.max(Math.trunc((nodes * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute));

  /** Tries nodes in thought, from a random one on, until there are enough that would do. */
  const findCandidates = async (state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Promise<Found> => {
    const { env } = handle;
    const pacer = new Pacer(env.clock);
    const offset = env.random.int(nodes.length);
    const wanted = countWanted(nodes.length);
    const run = { state, pod, budgets: budgets.list(), nowMs: env.clock.nowMs() };
    const clean: Candidate[] = [];
    const violating: Candidate[] = [];
    const diagnosis = notHelpful();
    let error: Status | undefined;
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[(offset + index) % nodes.length];
      if (node === undefined) continue;
      const result = selectVictims(handle, node, run);
      if (!(result instanceof Status)) (result.violations === 0 ? clean : violating).push(result);
      else if (result.isRejected) diagnosis.nodeToStatus.set(node.name, result);
      else error ??= result;
      if (clean.length > 0 && clean.length + violating.length >= wanted) break;
      if (pacer.due()) await pacer.yield();
    }
    return { candidates: [...clean, ...violating], diagnosis, error };
  };

  const preempt = async (state: CycleState, given: PodInfo, nodeToStatus: NodeToStatus): Promise<PostFilterOutcome> => {
    const { snapshot, env, metrics } = handle;
    metrics.preemptionAttempt();
    const live = handle.pods.get(given.namespace, given.name);
    if (live === undefined) return { verdict: Status.error(name, new Error(`pod "${given.name}" not found`)) };
    const pod = podInfoOf(live);
    const ineligible = whyIneligible(handle, pod, nodeToStatus);
    if (ineligible !== undefined) return refuse(ineligible);
    const nodes = nodeToStatus.nodesWith('Unschedulable', snapshot.nodes);
    const found: Found =
      nodes.length === 0
        ? { candidates: [], diagnosis: notHelpful(), error: undefined }
        : await findCandidates(state, pod, nodes);
    if (found.candidates.length === 0) {
      if (found.error !== undefined) return { verdict: found.error };
      return { ...refuse(fitErrorText(snapshot.nodes.length, found.diagnosis)), nominating: { nodeName: '' } };
    }
    const best = chooseCandidate(found.candidates, env.clock.nowMs());
    if (best === undefined) return refuse('no candidate node for preemption');
    eviction.start(pod, best);
    return { verdict: undefined, nominating: { nodeName: best.node.name } };
  };

  return {
    name,
    // Never brings a pod back by itself: the registration only lets its gate be asked again.
    events: [onPod(actions.delete, () => 'Skip')],
    preEnqueue: (pod) => (eviction.isPreempting(pod) ? busy : undefined),
    postFilter: preempt,
  };
}

interface Found {
  readonly candidates: readonly Candidate[];
  readonly diagnosis: Diagnosis;
  readonly error: Status | undefined;
}

function notHelpful(): Diagnosis {
  const diagnosis = new Diagnosis();
  diagnosis.nodeToStatus.absent = Status.unresolvable('', 'Preemption is not helpful for scheduling');
  return diagnosis;
}

function refuse(text: string): PostFilterOutcome {
  return { verdict: Status.unschedulable(name, `preemption: ${text}`) };
}

/** Why the pod may not preempt; undefined when it may. */
function whyIneligible(handle: PluginHandle, pod: PodInfo, nodeToStatus: NodeToStatus): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = pod.nominatedNodeName;
  if (nominated === '' || nodeToStatus.get(nominated).code === 'UnschedulableAndUnresolvable') return undefined;
  const waitsForVictim = handle.snapshot
    .get(nominated)
    ?.pods.some((other) => other.priority < pod.priority && isBeingPreempted(other));
  return waitsForVictim === true ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

function isBeingPreempted(info: PodInfo): boolean {
  const condition = getPodCondition(info.pod, 'DisruptionTarget');
  return info.isTerminating && condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}
