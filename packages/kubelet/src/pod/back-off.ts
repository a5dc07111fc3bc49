// How long a container waits before it is started again (spec/node.md §5.4), and an image before it is pulled again (§5.5).

import type { Container } from '@homeostat/api/types/core-v1';

export interface BackOff {
  readonly durationMs: number;
  readonly updatedMs: number;
}

export const backOffFirstMs = 10_000;
export const backOffMaxMs = 300_000;
/** A container that ran this long starts over. */
const forgiveMs = 600_000;

/** Another image or other resources are another attempt: the count starts anew. */
export function backOffKey(container: Container): string {
  return `${container.name}\u0000${container.image ?? ''}\u0000${JSON.stringify(container.resources ?? {})}`;
}

/** When the wait of a container that ended at `finishedMs` is over; undefined when there is none. */
export function backOffEndMs(entry: BackOff | undefined, finishedMs: number, nowMs: number): number | undefined {
  if (entry === undefined || finishedMs - entry.updatedMs > forgiveMs) return undefined;
  const endMs = finishedMs + entry.durationMs;
  return nowMs < endMs ? endMs : undefined;
}

/** The entry after one more start. */
export function nextBackOff(entry: BackOff | undefined, finishedMs: number, nowMs: number): BackOff {
  const fresh = entry === undefined || finishedMs - entry.updatedMs > forgiveMs;
  return { durationMs: fresh ? backOffFirstMs : Math.min(2 * entry.durationMs, backOffMaxMs), updatedMs: nowMs };
}

/** Of an image whose pull failed. */
export interface ImageBackOff extends BackOff {
  /** What went wrong last: `<reason>: <message>`. */
  readonly cause: string;
}

export function nextImageBackOff(entry: ImageBackOff | undefined, cause: string, nowMs: number): ImageBackOff {
  return { ...nextBackOff(entry, entry?.updatedMs ?? nowMs, nowMs), cause };
}
