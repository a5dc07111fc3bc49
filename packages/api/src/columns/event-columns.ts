// The Event's table row. One table serves both groups that serve Events, so it reads the fields under either name.

import type { Event as CoreEvent, ObjectReference } from '@homeostat/api/types/core-v1';
import type { Event as NewEvent } from '@homeostat/api/types/events-v1';

import { column, nameColumn, nameOf, orElse, table, wideColumn } from './column.ts';
import { formatAge } from './human-age.ts';

export const eventTable = table<CoreEvent | NewEvent>(
  [
    column('Last Seen', 'Time since it was last observed.'),
    column('Type', 'Normal or Warning.'),
    column('Reason', 'Machine-readable cause.'),
    column('Object', 'What it is about.'),
    wideColumn('Subobject', 'Part of the object it is about.'),
    wideColumn('Source', 'Who reported it, and from where.'),
    column('Message', 'What happened, for people.'),
    wideColumn('First Seen', 'Time since it was first observed.'),
    wideColumn('Count', 'How often it was observed.'),
    { ...nameColumn('Name', 'Name of the Event object.'), priority: 1 },
  ],
  (object, nowMs) => {
    const event = readEvent(object);
    const first = formatAge(event.first ?? object.eventTime, nowMs);
    const last = event.last === undefined ? first : formatAge(event.last, nowMs);
    return [
      object.series === undefined ? last : formatAge(object.series.lastObservedTime, nowMs),
      object.type ?? '',
      object.reason ?? '',
      objectText(event.about),
      event.about?.fieldPath ?? '',
      event.source,
      event.message.trim(),
      first,
      object.series === undefined ? event.count || 1 : (object.series.count ?? 0),
      nameOf(object),
    ];
  },
);

interface EventFields {
  readonly about: ObjectReference | undefined;
  readonly source: string;
  readonly message: string;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly count: number;
}

function readEvent(event: CoreEvent | NewEvent): EventFields {
  if ('regarding' in event || 'note' in event || 'deprecatedSource' in event || 'reportingController' in event) {
    return {
      about: event.regarding,
      source: sourceText(event.deprecatedSource, event.reportingController, event.reportingInstance),
      message: event.note ?? '',
      first: event.deprecatedFirstTimestamp ?? undefined,
      last: event.deprecatedLastTimestamp ?? undefined,
      count: event.deprecatedCount ?? 0,
    };
  }
  const core = event as CoreEvent;
  return {
    about: core.involvedObject,
    source: sourceText(core.source, core.reportingComponent, core.reportingInstance),
    message: core.message ?? '',
    first: core.firstTimestamp ?? undefined,
    last: core.lastTimestamp ?? undefined,
    count: core.count ?? 0,
  };
}

function objectText(about: ObjectReference | undefined): string {
  const kind = (about?.kind ?? '').toLowerCase();
  const name = about?.name ?? '';
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceText(
  source: { readonly component?: string; readonly host?: string } | undefined,
  controller: string | undefined,
  instance: string | undefined,
): string {
  const component = orElse(source?.component, controller ?? '');
  const host = orElse(source?.host, instance ?? '');
  return host === '' ? component : `${component}, ${host}`;
}
