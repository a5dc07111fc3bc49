// `homeostat events`: what happened, oldest first, as `kubectl events` shows it.

import type { Event } from '@homeostat/api/types/core-v1';
import { parseTime, shortHumanDuration } from '@homeostat/machinery';
import type { DiscoveredResource } from '@homeostat/client';
import { events as eventResource } from '@homeostat/client/resources';
import { objectPrinter } from '../resources/output.ts';
import { type Session, type TargetOptions, withSession } from '../resources/session.ts';

export interface EventsOptions extends TargetOptions {
  readonly for?: string;
  readonly types?: string;
  readonly watch?: boolean;
  readonly output?: string;
  readonly headers?: boolean;
}

export async function events(options: EventsOptions): Promise<void> {
  const printer = objectPrinter(options.output);
  await withSession(options, async (session) => {
    const wanted = await filterOf(session, options);
    const namespace = options.allNamespaces === true ? undefined : session.namespace;
    const list = await session.client.list<Event>(eventResource, { namespace });
    const shown = list.items.filter(wanted).toSorted((a, b) => lastSeen(a) - lastSeen(b));
    const show = (event: Event): string => row(session, event, options.allNamespaces === true).join('\t');
    if (printer !== undefined) {
      const resource = await session.mapper.resourceFor('events');
      process.stdout.write(
        printer(
          shown.map((object) => ({ resource: resource as DiscoveredResource, object })),
          false,
        ),
      );
    } else if (shown.length === 0 && options.watch !== true) {
      process.stderr.write(
        namespace === undefined ? 'No events found.\n' : `No events found in ${namespace} namespace.\n`,
      );
    } else {
      const head = options.headers === false ? [] : [header(options.allNamespaces === true)];
      process.stdout.write(
        align([...head, ...shown.map((event) => row(session, event, options.allNamespaces === true))]),
      );
    }
    if (options.watch !== true) return;
    const changes = await session.client.watch<Event>(eventResource, {
      namespace,
      resourceVersion: list.metadata?.resourceVersion ?? '',
    });
    for await (const change of changes) {
      if (change.type === 'ADDED' || change.type === 'MODIFIED')
        if (wanted(change.object)) process.stdout.write(`${show(change.object)}\n`);
    }
  });
}

async function filterOf(session: Session, options: EventsOptions): Promise<(event: Event) => boolean> {
  const types = options.types?.split(',').map((type) => type.trim().toLowerCase());
  const [type = '', name] = options.for?.split('/') ?? [];
  const kind = options.for === undefined ? undefined : (await session.mapper.resourceFor(type)).kind;
  return (event) =>
    (types === undefined || types.includes((event.type ?? '').toLowerCase())) &&
    (kind === undefined || event.involvedObject.kind === kind) &&
    (name === undefined || event.involvedObject.name === name);
}

function lastSeen(event: Event): number {
  const time =
    event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp;
  return time === undefined || time === null ? 0 : parseTime(time);
}

function header(namespaces: boolean): readonly string[] {
  return [...(namespaces ? ['NAMESPACE'] : []), 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];
}

function row(session: Session, event: Event, namespaces: boolean): readonly string[] {
  const age = shortHumanDuration(Math.max(0, session.env.clock.nowMs() - lastSeen(event)));
  const { kind = '', name = '' } = event.involvedObject;
  const count = event.series?.count ?? event.count ?? 1;
  return [
    ...(namespaces ? [event.metadata?.namespace ?? ''] : []),
    count > 1 ? `${age} (x${count})` : age,
    event.type ?? '',
    event.reason ?? '',
    `${kind}/${name}`,
    (event.message ?? '').trim(),
  ];
}

function align(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const cells of rows)
    cells.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows
    .map(
      (cells) =>
        `${cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3))).join('')}\n`,
    )
    .join('');
}
