// Whether a cluster is at rest: caches hold what the store holds, no controller would do anything, the garbage collector has nothing to look at.
// Judged by state, not by silence: a key that backs off for a quarter of an hour makes no noise either.

import { type Controller, isIdle } from '@homeostat/runtime';
import { checkCaches } from './checkers/caches.ts';
import type { ControllerManagerProcess } from './controller-manager-process.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { StoreState } from './store-state.ts';

/** Controllers whose plans rest on a memory of their own: asking them for a plan would change it. They act in passes, for ever. */
const rememberingControllers: ReadonlySet<string> = new Set([
  'node-lifecycle-controller',
  'node-lifecycle-pods',
  'pod-garbage-collector-controller',
  'taint-eviction-controller',
]);

/** What is still to be done, one sentence each; none at rest. Processes that do not lead only have to have true caches. */
export function unrest(
  state: StoreState,
  processes: readonly ControllerManagerProcess[],
  operators: readonly OperatorProcess[] = [],
): readonly string[] {
  const problems = operators.flatMap((process) => unrestOfOperator(state, process));
  for (const process of processes) {
    if (!process.alive) continue;
    problems.push(...checkCaches(process.parts.informers, state));
    if (!process.leading) continue;
    for (const controller of process.parts.controllers) {
      if (controller.queueLength > 0) problems.push(`${controller.name} has ${controller.queueLength} keys to look at`);
      if (rememberingControllers.has(controller.name)) continue;
      problems.push(...unfinished(controller));
    }
    for (const runnable of process.parts.runnables)
      if (runnable.pending > 0) problems.push(`${runnable.name} has ${runnable.pending} objects to look at`);
  }
  return problems;
}

/** Keys that wait for their time (`requeueAfterMs`) are at rest; those that are ready, under work or unseen are not. */
function unrestOfOperator(state: StoreState, { alive, leading, operator }: OperatorProcess): readonly string[] {
  if (!alive) return [];
  const problems = [...checkCaches(operator.informers, state)];
  if (!leading) return problems;
  for (const controller of operator.controllers) {
    const { queue, fencedKeys } = controller.status();
    const busy = queue.ready.length + queue.processing.length + fencedKeys;
    if (busy > 0) problems.push(`${controller.name} has ${busy} keys to look at`);
    problems.push(...unfinished(controller));
  }
  return problems;
}

/** Keys whose plans are not idle. A plan that cannot be made is a problem like others: its key is retried, and may do better. */
function unfinished(controller: Pick<Controller, 'name' | 'keys' | 'plan'>): readonly string[] {
  return controller.keys().flatMap((key) => {
    try {
      const plan = controller.plan(key);
      return plan === undefined || isIdle(plan) ? [] : [`${controller.name} has something to do for ${key}`];
    } catch (error) {
      return [`${controller.name} makes no plan for ${key}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}
