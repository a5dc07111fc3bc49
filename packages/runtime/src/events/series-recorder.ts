// Records events.k8s.io/v1 Events with series, as the scheduler does (spec/infrastructure.md §3.5): the first of a kind is created, the
// second starts a series, later ones are counted in memory and written now and then.

import { type Env, Scope } from '@homeostat/base';
import type { Event } from '@homeostat/api/types/events-v1';
import { formatMicroTime, type KubeObject } from '@homeostat/machinery';
import { type Client, isNotFound, resourceType } from '@homeostat/client';
import type { EventAction, ObjectReference } from '../controller/plan.ts';
import { createEventNamer, toReference } from './event-reference.ts';
import { EventSink } from './event-sink.ts';
import { LruMap } from '@homeostat/base';

export interface SeriesRecorderOptions {
  readonly client: Client;
  readonly env: Env;
  /** e.g. `default-scheduler`. */
  readonly controller: string;
  /** e.g. `default-scheduler-<host>`. */
  readonly instance: string;
}

export interface SeriesEventInput {
  readonly regarding: KubeObject | ObjectReference;
  readonly related?: KubeObject | ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** What was done, e.g. `Binding`, `Preempting`. */
  readonly action: string;
  /** Of 1 KiB the rest is cut off. */
  readonly note: string;
}

export interface SeriesRecorder {
  record(input: SeriesEventInput): void;
  recordAction(action: EventAction): void;
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

interface Series {
  event: Event;
  /** Monotonic. */
  lastMs: number;
}

const events = resourceType<Event>({
  group: 'events.k8s.io',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
});
const seriesMax = 4096;
/** Writes at once; those of one event keep their order. */
const workers = 8;
const refreshMs = 30 * 60_000;
const finishMs = 6 * 60_000;

/** Bytes of a note that the server takes. */
const noteBytesMax = 1024;

/** A note that is too long says so at its end, and is not refused. */
function cut(note: string): string {
  const bytes = new TextEncoder().encode(note);
  if (bytes.length <= noteBytesMax) return note;
  // Without the pieces of a character that was cut in two.
  return `${new TextDecoder().decode(bytes.subarray(0, noteBytesMax - 4)).replace(/\uFFFD+$/u, '')} ...`;
}

/** Creates a recorder; nothing is written before `run`. */
export function createSeriesRecorder(options: SeriesRecorderOptions): SeriesRecorder {
  const { client, env, controller, instance } = options;
  const nameFor = createEventNamer(env);
  const known = new LruMap<string, Series>(seriesMax);
  const sink = new EventSink<Event>(env, { workers });

  const write = (event: Event): void => {
    const namespace = event.metadata.namespace ?? 'default';
    const name = event.metadata.name ?? '';
    const send = async (sent: Event, signal: AbortSignal): Promise<void> => {
      if (sent.series === undefined) {
        await client.create(events, { namespace, object: sent, signal });
        return;
      }
      try {
        const { count, lastObservedTime } = sent.series;
        await client.patch(events, {
          namespace,
          name,
          type: 'strategic',
          patch: { series: { count, lastObservedTime } },
          signal,
        });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await client.create(events, { namespace, object: sent, signal });
      }
    };
    sink.push({ event, send });
  };

  const record = (input: SeriesEventInput): void => {
    const regarding = toReference(input.regarding);
    const related = input.related === undefined ? undefined : toReference(input.related);
    const nowMs = env.clock.nowMs();
    const key = isomorphicKey([input.type, input.action, input.reason], regarding, related);
    const series = known.get(key);
    if (series !== undefined) {
      const first = series.event.series === undefined;
      const count = first ? 2 : (series.event.series?.count ?? 1) + 1;
      series.event = { ...series.event, series: { count, lastObservedTime: formatMicroTime(nowMs) } };
      series.lastMs = env.clock.monotonicMs();
      if (first) write(series.event);
      return;
    }
    const namespace = regarding.namespace === undefined || regarding.namespace === '' ? 'default' : regarding.namespace;
    const event: Event = {
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: nameFor(regarding.name ?? ''), namespace },
      eventTime: formatMicroTime(nowMs),
      reportingController: controller,
      reportingInstance: instance,
      action: input.action,
      reason: input.reason,
      regarding,
      ...(related === undefined ? {} : { related }),
      note: cut(input.note),
      type: input.type,
    };
    known.set(key, { event, lastMs: env.clock.monotonicMs() });
    write(event);
  };

  const every = async (periodMs: number, signal: AbortSignal, run: () => void): Promise<void> => {
    for (;;) {
      await env.clock.sleep(periodMs, signal);
      run();
    }
  };

  const refresh = (): void => {
    for (const [, { event }] of known.entries()) if (event.series !== undefined) write(event);
  };

  /** Series and single events that were not seen for a while are over; a later one starts anew. */
  const finish = (): void => {
    const nowMs = env.clock.monotonicMs();
    for (const [key, series] of known.entries()) {
      if (nowMs - series.lastMs < finishMs) continue;
      if (series.event.series !== undefined) write(series.event);
      known.delete(key);
    }
  };

  return {
    record,
    recordAction: ({ regarding, related, event }) => {
      const { type, reason, message, action = reason } = event;
      record({ regarding, type, reason, action, note: message, ...(related === undefined ? {} : { related }) });
    },
    async run({ signal }) {
      const scope = new Scope({ signal });
      scope.spawn('events', (inner) => sink.run({ signal: inner }));
      scope.spawn('refresh series', (inner) => every(refreshMs, inner, refresh));
      scope.spawn('finish series', (inner) => every(finishMs, inner, finish));
      await scope.join();
    },
  };
}

function isomorphicKey(
  parts: readonly string[],
  regarding: ObjectReference,
  related: ObjectReference | undefined,
): string {
  return [...parts, ...referenceParts(regarding), ...(related === undefined ? [] : referenceParts(related))].join(
    '\u0000',
  );
}

function referenceParts({
  kind,
  namespace,
  name,
  uid,
  apiVersion,
  resourceVersion,
  fieldPath,
}: ObjectReference): readonly string[] {
  return [kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath].map((part) => part ?? '');
}
