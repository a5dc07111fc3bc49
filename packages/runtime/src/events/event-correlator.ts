// Keeps events from flooding the API server (spec/infrastructure.md §3.3): many messages of one kind are aggregated, equal
// events are counted, and one source can't spam about one object. State without I/O; the recorder does the writing.

import type { Event } from '@homeostat/api/types/core-v1';
import { LruMap } from '@homeostat/base';

/** An event as it is about to be written, and where its count is kept. */
export interface CorrelatedEvent {
  readonly event: Event;
  /** Pass it to {@link EventCorrelator.written} after the write. */
  readonly cacheKey: string;
}

interface Group {
  messages: Set<string>;
  lastMs: number;
}

interface Seen {
  readonly count: number;
  readonly name: string;
  readonly firstTimestamp: string | null | undefined;
  readonly resourceVersion: string | undefined;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export interface EventCorrelatorOptions {
  /** A fresh name for an event about an object. */
  nameFor(objectName: string): string;
}

const cacheSize = 4096;
const groupMessagesMax = 10;
const groupWindowMs = 600_000;
const spamBurst = 25;
const spamRefillMs = 300_000;

/** Aggregates, counts and filters the events of one recorder. */
export class EventCorrelator {
  readonly #options: EventCorrelatorOptions;
  readonly #groups = new LruMap<string, Group>(cacheSize);
  readonly #seen = new LruMap<string, Seen>(cacheSize);
  readonly #buckets = new LruMap<string, Bucket>(cacheSize);

  constructor(options: EventCorrelatorOptions) {
    this.#options = options;
  }

  /** What to write for `event`; undefined when it is one too many. `nowMs` is monotonic: wall clocks are set back. */
  correlate(event: Event, nowMs: number): CorrelatedEvent | undefined {
    const aggregated = this.#aggregate(event, nowMs);
    const counted = this.#count(aggregated.event, aggregated.cacheKey);
    return this.#allow(event, nowMs) ? { event: counted, cacheKey: aggregated.cacheKey } : undefined;
  }

  /** Takes over what the server stored. */
  written(cacheKey: string, stored: Event): void {
    const seen = seenOf(stored);
    // More of them may have been counted while this one was on its way.
    const count = Math.max(seen.count, this.#seen.get(cacheKey)?.count ?? 0);
    this.#seen.set(cacheKey, { ...seen, count });
  }

  #aggregate(event: Event, nowMs: number): CorrelatedEvent {
    const groupKey = groupKeyOf(event);
    let group = this.#groups.get(groupKey);
    if (group === undefined || nowMs - group.lastMs > groupWindowMs) group = { messages: new Set(), lastMs: nowMs };
    group.messages.add(event.message ?? '');
    group.lastMs = nowMs;
    this.#groups.set(groupKey, group);
    if (group.messages.size < groupMessagesMax) return { event, cacheKey: eventKeyOf(event) };
    for (const any of group.messages) {
      group.messages.delete(any);
      break;
    }
    const combined: Event = {
      ...event,
      metadata: { ...event.metadata, name: this.#options.nameFor(event.involvedObject.name ?? '') },
      message: `(combined from similar events): ${event.message ?? ''}`,
      // It speaks of several, and names no reporter.
      reportingComponent: '',
      reportingInstance: '',
    };
    return { event: combined, cacheKey: groupKey };
  }

  #count(event: Event, cacheKey: string): Event {
    const seen = this.#seen.get(cacheKey);
    let counted = event;
    if (seen !== undefined) {
      const { resourceVersion } = seen;
      counted = {
        ...event,
        metadata: { ...event.metadata, name: seen.name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
        ...(seen.firstTimestamp === undefined ? {} : { firstTimestamp: seen.firstTimestamp }),
        count: seen.count + 1,
      };
    }
    this.#seen.set(cacheKey, seenOf(counted));
    return counted;
  }

  #allow(event: Event, nowMs: number): boolean {
    const key = spamKeyOf(event);
    const bucket = this.#buckets.get(key) ?? { tokens: spamBurst, atMs: nowMs };
    bucket.tokens = Math.min(spamBurst, bucket.tokens + (nowMs - bucket.atMs) / spamRefillMs);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

function seenOf(event: Event): Seen {
  return {
    count: event.count ?? 1,
    name: event.metadata.name ?? '',
    firstTimestamp: event.firstTimestamp,
    resourceVersion: event.metadata.resourceVersion,
  };
}

function objectOf({ source, involvedObject }: Event): readonly (string | undefined)[] {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion];
}

function groupKeyOf(event: Event): string {
  return keyFrom('group', [
    ...objectOf(event),
    event.type,
    event.reason,
    event.reportingComponent,
    event.reportingInstance,
  ]);
}

function eventKeyOf(event: Event): string {
  return keyFrom('event', [
    ...objectOf(event),
    event.involvedObject.fieldPath,
    event.type,
    event.reason,
    event.message,
  ]);
}

function spamKeyOf(event: Event): string {
  return keyFrom('spam', [...objectOf(event), event.type]);
}

function keyFrom(kind: string, parts: readonly (string | undefined)[]): string {
  return `${kind}\u0000${parts.map((part) => part ?? '').join('\u0000')}`;
}
