// Records core/v1 Events: what controllers tell users (spec/infrastructure.md §3). Recording is synchronous and never fails;
// `run` writes.

import type { Env } from '@homeostat/base';
import type { Event } from '@homeostat/api/types/core-v1';
import { formatTime, type KubeObject } from '@homeostat/machinery';
import { type Client, isNotFound } from '@homeostat/client';
import { events } from '@homeostat/client/resources';
import type { EventAction, ObjectReference } from '../controller/plan.ts';
import { EventCorrelator } from './event-correlator.ts';
import { createEventNamer, toReference } from './event-reference.ts';
import { EventSink } from './event-sink.ts';

export interface EventRecorderOptions {
  readonly client: Client;
  readonly env: Env;
  /** Component of events that name none. */
  readonly component: string;
  /** Node name, for node agents. */
  readonly host?: string;
}

export interface EventInput {
  readonly regarding: KubeObject | ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, e.g. `SuccessfulCreate`. */
  readonly reason: string;
  readonly message: string;
  /** Of the Event object. Equal events are counted in the first one, whose annotations stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default the recorder's. */
  readonly component?: string;
}

/** Records events and writes them while it runs. */
export interface EventRecorder {
  record(input: EventInput): void;
  /** Records the event of a plan's action. */
  recordAction(action: EventAction, component: string): void;
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Creates a recorder; nothing is written before `run`. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, env, host = '' } = options;
  const nameFor = createEventNamer(env);
  const correlator = new EventCorrelator({ nameFor });
  const sink = new EventSink<Event>(env);

  const send = async (event: Event, cacheKey: string, signal: AbortSignal): Promise<void> => {
    const namespace = event.metadata.namespace ?? 'default';
    const { resourceVersion: _version, ...metadata } = event.metadata;
    const create = (): Promise<Event> => client.create(events, { namespace, object: { ...event, metadata }, signal });
    let stored: Event;
    if ((event.count ?? 1) > 1) {
      const { count, lastTimestamp, message } = event;
      const patch = { count: count ?? 1, lastTimestamp: lastTimestamp ?? null, message: message ?? '' };
      try {
        stored = await client.patch(events, { namespace, name: metadata.name ?? '', type: 'strategic', patch, signal });
      } catch (error) {
        // It has expired, or somebody deleted it.
        if (!isNotFound(error)) throw error;
        stored = await create();
      }
    } else {
      stored = await create();
    }
    correlator.written(cacheKey, stored);
  };

  const record = (input: EventInput): void => {
    const { type, reason, message, annotations, component = options.component } = input;
    const involvedObject = toReference(input.regarding);
    if (type !== 'Normal' && type !== 'Warning') {
      env.log.error('an event of an unknown type was dropped', { type, reason });
      return;
    }
    const time = formatTime(env.clock.nowMs());
    const event: Event = {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: {
        name: nameFor(involvedObject.name ?? ''),
        namespace: namespaceOf(involvedObject),
        ...(annotations === undefined ? {} : { annotations }),
      },
      involvedObject,
      reason,
      message,
      source: { component, ...(host === '' ? {} : { host }) },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host,
    };
    const correlated = correlator.correlate(event, env.clock.monotonicMs());
    if (correlated === undefined) return;
    sink.push({ event: correlated.event, send: (sent, signal) => send(sent, correlated.cacheKey, signal) });
  };

  return {
    record,
    recordAction: ({ regarding, event }, component) => {
      record({ regarding, type: event.type, reason: event.reason, message: event.message, component });
    },
    run: (runOptions) => sink.run(runOptions),
  };
}

function namespaceOf(reference: ObjectReference): string {
  return reference.namespace === undefined || reference.namespace === '' ? 'default' : reference.namespace;
}
