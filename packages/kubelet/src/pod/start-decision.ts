// Whether a container that should run may be started now, or has to wait for a back-off (spec/node.md §5.2, §5.4, §5.5).

import type { Container, Pod } from '@homeostat/api/types/core-v1';
import { formatDurationMs } from '@homeostat/machinery';
import type { ContainerKind } from '../runtime/container-runtime.ts';
import { type BackOff, backOffEndMs, backOffKey, type ImageBackOff, nextBackOff } from './back-off.ts';
import type { PodEvent } from './pod-event.ts';
import { newestOf, type PodFacts, type StartFailure, statusesOf, viewsOf } from './pod-facts.ts';

/** What a pod worker remembers of failures. */
export interface BackOffMemory {
  readonly containers: ReadonlyMap<string, BackOff>;
  /** By image. */
  readonly images: ReadonlyMap<string, ImageBackOff>;
}

export type StartDecision =
  | { readonly type: 'start'; readonly attempt: number; readonly key: string; readonly backOff: BackOff | undefined }
  | {
      readonly type: 'wait';
      readonly untilMs: number;
      readonly failure: StartFailure;
      readonly events: readonly PodEvent[];
    };

export function decideStart(
  container: Container,
  kind: ContainerKind,
  facts: PodFacts,
  memory: BackOffMemory,
): StartDecision {
  const { nowMs, pod } = facts;
  const key = backOffKey(container);
  const known = memory.containers.get(key);
  const exited = viewsOf(facts.view, container.name).find(({ state }) => state === 'exited');
  const finishedMs = exited?.finishedMs ?? nowMs;
  const untilMs = exited === undefined ? undefined : backOffEndMs(known, finishedMs, nowMs);
  if (untilMs !== undefined) {
    const wait = formatDurationMs(known?.durationMs ?? 0);
    return {
      type: 'wait',
      untilMs,
      failure: {
        reason: 'CrashLoopBackOff',
        message: `back-off ${wait} restarting failed container=${container.name} pod=${fullName(pod)}`,
      },
      events: [
        {
          type: 'Warning',
          reason: 'BackOff',
          message: `Back-off restarting failed container ${container.name} in pod ${fullName(pod)}`,
          container: { name: container.name, kind },
        },
      ],
    };
  }
  const imageWait = waitForImage(container, kind, memory, nowMs);
  if (imageWait !== undefined) return imageWait;
  return {
    type: 'start',
    attempt: nextAttempt(container, kind, facts),
    key,
    backOff: exited === undefined ? undefined : nextBackOff(known, finishedMs, nowMs),
  };
}

/** `name_namespace(uid)` */
export function fullName({ metadata }: Pod): string {
  return `${metadata?.name ?? ''}_${metadata?.namespace ?? ''}(${metadata?.uid ?? ''})`;
}

function waitForImage(
  { name, image = '' }: Container,
  kind: ContainerKind,
  memory: BackOffMemory,
  nowMs: number,
): StartDecision | undefined {
  const entry = memory.images.get(image);
  if (entry === undefined || nowMs >= entry.updatedMs + entry.durationMs) return undefined;
  const container = { name, kind };
  const message = `Back-off pulling image "${image}"`;
  return {
    type: 'wait',
    untilMs: entry.updatedMs + entry.durationMs,
    failure: { reason: 'ImagePullBackOff', message: `${message}: ${entry.cause}` },
    events: [
      { type: 'Normal', reason: 'BackOff', message, container },
      { type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff', container },
    ],
  };
}

/** One more than the newest instance; where the runtime has forgotten all, what the status remembers. */
function nextAttempt({ name }: Container, kind: ContainerKind, { view, previous }: PodFacts): number {
  const newest = newestOf(view, name);
  if (newest !== undefined) return newest.attempt + 1;
  const old = statusesOf(previous, kind).find((status) => status.name === name);
  if (old === undefined) return 0;
  return old.restartCount + (old.state?.terminated?.containerID === undefined ? 0 : 1);
}
