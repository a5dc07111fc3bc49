// The Pod's table row, whose Status cell sums up phase, reasons and container states in one word
// (spec/apiserver.md §11.1).

import type { ContainerStatus, Pod } from '@homeostat/api/types/core-v1';

import type { TableRowCells, TableStrategy } from '../strategy.ts';
import { AGE_COLUMN, ageOf, column, nameColumn, nameOf, orElse, wideColumn } from './column.ts';
import { formatAge } from './human-age.ts';

export const podTable: TableStrategy<Pod> = {
  columns: [
    nameColumn(),
    column('Ready', 'Ready containers out of all that should stay up.'),
    column('Status', 'The Pod in one word: its phase, or what keeps it from the next one.'),
    column('Restarts', 'How often its containers were started again, and when the last one ended.'),
    AGE_COLUMN,
    wideColumn('IP', 'First address of the Pod.'),
    wideColumn('Node', 'Node the Pod is bound to.'),
    wideColumn('Nominated Node', 'Node whose Pods are being preempted for this one.'),
    wideColumn('Readiness Gates', 'Extra conditions that hold, out of those required for readiness.'),
  ],
  row(pod, nowMs) {
    const { ready, total, reason, restarts, lastRestart } = summarize(pod);
    const restartText =
      restarts > 0 && lastRestart !== '' ? `${restarts} (${formatAge(lastRestart, nowMs)} ago)` : String(restarts);
    const cells = [
      nameOf(pod),
      `${ready}/${total}`,
      reason,
      restartText,
      ageOf(pod, nowMs),
      orElse(pod.status?.podIPs?.[0]?.ip, '<none>'),
      orElse(pod.spec?.nodeName, '<none>'),
      orElse(pod.status?.nominatedNodeName, '<none>'),
      readinessGates(pod),
    ];
    const conditions = endCondition(pod.status?.phase);
    return conditions === undefined ? { cells } : { cells, conditions };
  },
};

interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  /** When the latest of the counted restarts' predecessors ended; empty when unknown. */
  readonly lastRestart: string;
}

interface RestartCount {
  count: number;
  last: string;
}

function summarize(pod: Pod): PodSummary {
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name),
  );
  const init = summarizeInit(pod, sidecars);
  let reason = baseReason(pod);
  let ready = init.ready;
  let restarts = init.all;
  if (init.reason !== undefined) reason = init.reason;
  if (init.reason === undefined || hasCondition(pod, 'Initialized')) {
    const main = summarizeMain(pod, init.sidecars);
    restarts = main.restarts;
    ready += main.ready;
    reason = main.reason ?? reason;
    if (reason === 'Completed' && main.ready > 0) reason = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
  }
  if (pod.metadata?.deletionTimestamp !== undefined) {
    const phase = pod.status?.phase;
    if (pod.status?.reason === 'NodeLost') reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') reason = 'Terminating';
  }
  const total = (pod.spec?.containers?.length ?? 0) + sidecars.size;
  return { ready, total, reason, restarts: restarts.count, lastRestart: restarts.last };
}

function baseReason(pod: Pod): string {
  const gated = pod.status?.conditions?.some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated');
  if (gated === true) return 'SchedulingGated';
  return orElse(pod.status?.reason, pod.status?.phase ?? '');
}

/** Walks the init containers up to the first that is not done; `reason` is set when there is one. */
function summarizeInit(
  pod: Pod,
  sidecarNames: ReadonlySet<string>,
): { readonly ready: number; readonly reason?: string; readonly all: RestartCount; readonly sidecars: RestartCount } {
  const all: RestartCount = { count: 0, last: '' };
  const sidecars: RestartCount = { count: 0, last: '' };
  let ready = 0;
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecarNames.has(status.name);
    addRestarts(all, status);
    if (isSidecar) addRestarts(sidecars, status);
    const { terminated, waiting } = status.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isSidecar && status.started === true) {
      if (status.ready) ready += 1;
      continue;
    }
    let reason = `Init:${index}/${pod.spec?.initContainers?.length ?? 0}`;
    if (terminated !== undefined) reason = `Init:${exitReason(terminated)}`;
    else if (orElse(waiting?.reason, 'PodInitializing') !== 'PodInitializing') reason = `Init:${waiting?.reason}`;
    return { ready, reason, all, sidecars };
  }
  return { ready, all, sidecars };
}

/** From the last container to the first, so that the first one's trouble is what shows. */
function summarizeMain(
  pod: Pod,
  sidecars: RestartCount,
): { readonly ready: number; readonly reason: string | undefined; readonly restarts: RestartCount } {
  const restarts: RestartCount = { ...sidecars };
  let ready = 0;
  let reason: string | undefined;
  for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
    addRestarts(restarts, status);
    const { terminated, waiting, running } = status.state ?? {};
    if (waiting !== undefined && orElse(waiting.reason, '') !== '') reason = waiting.reason;
    else if (terminated !== undefined) reason = exitReason(terminated);
    else if (status.ready && running !== undefined) ready += 1;
  }
  return { ready, reason, restarts };
}

function exitReason(state: { readonly reason?: string; readonly signal?: number; readonly exitCode: number }): string {
  if (state.reason !== undefined && state.reason !== '') return state.reason;
  return (state.signal ?? 0) !== 0 ? `Signal:${state.signal}` : `ExitCode:${state.exitCode}`;
}

function addRestarts(sum: RestartCount, status: ContainerStatus): void {
  sum.count += status.restartCount;
  const finished = status.lastState?.terminated?.finishedAt ?? '';
  if (finished > sum.last) sum.last = finished;
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const met = gates.filter((gate) => hasCondition(pod, gate.conditionType)).length;
  return `${met}/${gates.length}`;
}

function hasCondition(pod: Pod, type: string): boolean {
  return pod.status?.conditions?.find((condition) => condition.type === type)?.status === 'True';
}

function endCondition(phase: string | undefined): TableRowCells['conditions'] {
  if (phase === 'Succeeded') {
    return [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }];
  }
  if (phase === 'Failed') {
    return [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];
  }
  return undefined;
}
