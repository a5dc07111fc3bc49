// What is to be done to bring a Pod's containers to what its spec says (spec/node.md §5.1). Pure: commands are carried out by the
// pod worker, in order.

import { restartActionOf } from '@homeostat/api';
import type { Container } from '@homeostat/api/types/core-v1';
import type { ContainerKind } from '../runtime/container-runtime.ts';
import { wantsStart } from './container-statuses.ts';
import { planInit } from './init-plan.ts';
import { PlanBuilder, type SyncPlan } from './plan-builder.ts';
import { hasNetwork } from './pod-conditions.ts';
import { containersOf, newestOf, type PodFacts, specOf } from './pod-facts.ts';
import type { BackOffMemory } from './start-decision.ts';

export function planSync(facts: PodFacts, memory: BackOffMemory): SyncPlan {
  const plan = new PlanBuilder(facts, memory);
  const { pod, view } = facts;
  const spec = specOf(pod);
  if (!hasNetwork(pod, view)) {
    planSandbox(plan);
    return plan.done();
  }
  const source = findRestartAll(facts);
  if (source !== undefined) {
    plan.restartAll(source.container, source.kind);
    if (plan.commands.length > 0) return plan.done();
  }
  for (const container of spec.ephemeralContainers ?? []) {
    if (newestOf(view, container.name) === undefined) plan.start(container, 'ephemeral');
  }
  if (!planInit(plan)) return plan.done();
  let kept = 0;
  let starting = 0;
  for (const container of spec.containers) {
    const newest = newestOf(view, container.name);
    if (newest?.state === 'running') {
      if (!plan.killIfBroken(container, 'regular', newest)) kept++;
      else starting++;
      continue;
    }
    if (!wantsStart(container, facts)) continue;
    starting++;
    if (container === source?.container) continue;
    plan.start(container, 'regular');
  }
  if (kept === 0 && starting === 0) plan.commands.push({ type: 'kill-pod' });
  return plan.done();
}

/** The container whose end, by its own rules, starts all containers anew. */
function findRestartAll({
  pod,
  view,
}: PodFacts): { readonly container: Container; readonly kind: ContainerKind } | undefined {
  for (const kind of ['regular', 'init'] as const) {
    for (const container of containersOf(pod.spec, kind)) {
      if ((container.restartPolicyRules ?? []).length === 0) continue;
      const newest = newestOf(view, container.name);
      if (newest?.state !== 'exited') continue;
      if (restartActionOf(container, newest.exitCode ?? 0) === 'RestartAllContainers') return { container, kind };
    }
  }
  return undefined;
}

/** A Pod without a network gets one, and all its containers start over. */
function planSandbox(plan: PlanBuilder): void {
  const { pod, view } = plan.facts;
  const spec = specOf(pod);
  const { sandbox } = view;
  if (sandbox !== undefined) {
    const ranBefore = view.containers.length > 0;
    const left = spec.containers.some((container) => wantsStart(container, plan.facts));
    if (!left || (spec.restartPolicy === 'Never' && ranBefore)) {
      plan.commands.push({ type: 'kill-pod' });
      return;
    }
    plan.events.push({
      type: 'Normal',
      reason: 'SandboxChanged',
      message: 'Pod sandbox changed, it will be killed and re-created.',
    });
    plan.commands.push({ type: 'kill-pod' });
  }
  plan.commands.push({ type: 'create-sandbox', attempt: sandbox === undefined ? 0 : sandbox.attempt + 1 });
  const init = spec.initContainers ?? [];
  if (init[0] !== undefined) {
    plan.start(init[0], 'init');
    return;
  }
  for (const container of spec.ephemeralContainers ?? []) plan.start(container, 'ephemeral');
  for (const container of spec.containers) if (wantsStart(container, plan.facts)) plan.start(container, 'regular');
}
