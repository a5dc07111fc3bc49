// Pods being scheduled, and what has happened since each was taken from the queue, in one list (spec/scheduler.md §4.1): an event that
// comes while a pod is tried must count when it comes back.

import type { KubeObject } from '@homeostat/machinery';
import type { ClusterEvent } from '../framework/cluster-event.ts';

/** Something that happened. */
export interface HappenedEvent {
  readonly event: ClusterEvent;
  readonly old: KubeObject | undefined;
  readonly now: KubeObject | undefined;
}

interface Link {
  /** A pod taken from the queue, or an event. */
  readonly item: { readonly uid: string } | HappenedEvent;
  previous: Link | undefined;
  next: Link | undefined;
}

/** Memory: the events since the oldest pod in it was taken. */
export class InFlight {
  readonly #pods = new Map<string, Link>();
  #first: Link | undefined;
  #last: Link | undefined;
  #events = 0;

  get podCount(): number {
    return this.#pods.size;
  }

  get eventCount(): number {
    return this.#events;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** A pod is taken from the queue. */
  add(uid: string): void {
    this.#pods.set(uid, this.#append({ uid }));
  }

  /** Keeps an event, if any pod is being scheduled. */
  note(event: HappenedEvent): void {
    if (this.#pods.size === 0) return;
    this.#append(event);
    this.#events++;
  }

  /** What has happened since the pod was taken. */
  *eventsSince(uid: string): Iterable<HappenedEvent> {
    for (let link = this.#pods.get(uid)?.next; link !== undefined; link = link.next) {
      if ('event' in link.item) yield link.item;
    }
  }

  /** The pod needs no events any more. */
  done(uid: string): void {
    const link = this.#pods.get(uid);
    if (link === undefined) return;
    this.#pods.delete(uid);
    this.#unlink(link);
    // Events before the first pod concern nobody.
    while (this.#first !== undefined && 'event' in this.#first.item) {
      this.#unlink(this.#first);
      this.#events--;
    }
  }

  /** Kept events, counted by label. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (let link = this.#first; link !== undefined; link = link.next) {
      const label = 'event' in link.item ? link.item.event.label : 'PodPopped';
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return counts;
  }

  #append(item: Link['item']): Link {
    const link: Link = { item, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    return link;
  }

  #unlink(link: Link): void {
    if (link.previous === undefined) this.#first = link.next;
    else link.previous.next = link.next;
    if (link.next === undefined) this.#last = link.previous;
    else link.next.previous = link.previous;
  }
}
