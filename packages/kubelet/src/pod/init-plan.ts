// Init containers: one after the other, sidecars among them stay (spec/node.md §6). Looks at the runtime's view alone, so it may be asked
// again at any point.

import { shouldContainerRestart } from '@homeostat/api';
import type { Container } from '@homeostat/api/types/core-v1';
import type { ContainerView } from '../runtime/container-runtime.ts';
import { isSidecar, newestOf, type PodFacts, specOf } from './pod-facts.ts';
import type { PlanBuilder } from './plan-builder.ts';

/** Plans the next step of initialization and the upkeep of sidecars. True when regular containers may run. */
export function planInit(plan: PlanBuilder): boolean {
  const { pod, view } = plan.facts;
  const spec = specOf(pod);
  const containers = spec.initContainers ?? [];
  const initialized = spec.containers.some(({ name }) => newestOf(view, name) !== undefined);
  const furthest = containers.findLastIndex(({ name }) => newestOf(view, name) !== undefined);
  for (const [index, container] of containers.entries()) {
    const newest = newestOf(view, container.name);
    if (isSidecar(container, 'init')) {
      const passed = keepSidecar(plan, container, newest);
      // Once the next one has been started, this one goes its own way.
      if (!passed && !initialized && index >= furthest) return false;
      continue;
    }
    if (initialized || index < furthest) continue;
    if (newest?.state === 'exited' && newest.exitCode === 0) continue;
    runInit(plan, container, newest);
    return false;
  }
  return true;
}

/** Starts or ends a sidecar if need be; whether it is up and started. */
function keepSidecar(plan: PlanBuilder, container: Container, newest: ContainerView | undefined): boolean {
  if (newest?.state !== 'running') {
    plan.start(container, 'init');
    return false;
  }
  if (plan.killIfBroken(container, 'init', newest)) return false;
  return isStarted(container, newest, plan.facts);
}

function runInit(plan: PlanBuilder, container: Container, newest: ContainerView | undefined): void {
  if (newest?.state === 'running') {
    plan.killIfBroken(container, 'init', newest);
    return;
  }
  const failed = newest?.state === 'exited';
  if (failed && !shouldContainerRestart(container, specOf(plan.facts.pod), newest.exitCode ?? 0)) {
    // It will not get better: nothing else of the Pod goes on either.
    plan.commands.push({ type: 'kill-pod' });
    return;
  }
  plan.start(container, 'init');
}

function isStarted(container: Container, view: ContainerView, { probes }: PodFacts): boolean {
  const result = probes.of(container.name, 'startup', view.id);
  return result === undefined || result === 'success';
}
