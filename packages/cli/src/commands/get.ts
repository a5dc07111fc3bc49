// `homeostat get`: resources as tables, as the server lays them out, or whole in the forms of -o; with --watch also what
// changes afterwards.

import { resourcePath } from '@homeostat/client';
import { isApiError } from '@homeostat/base';
import type { KubeList, KubeObject } from '@homeostat/machinery';
import { CliError } from '../cli-error.ts';
import { objectPrinter, type Printer, type Shown } from '../resources/output.ts';
import {
  namespaceFor,
  readResourceArguments,
  type ResourceArgument,
  shownType,
} from '../resources/resource-arguments.ts';
import { type Session, type TargetOptions, withSession } from '../resources/session.ts';
import { type Table, tableAccept, TablePrinter } from '../resources/table.ts';

export interface GetOptions extends TargetOptions {
  readonly output?: string;
  readonly watch?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly headers?: boolean;
  readonly showLabels?: boolean;
  readonly ignoreNotFound?: boolean;
}

export async function get(words: readonly string[], options: GetOptions): Promise<void> {
  const printer = objectPrinter(options.output);
  await withSession(options, async (session) => {
    const chosen = await readResourceArguments(session, words);
    if (options.watch === true) {
      const [only] = chosen;
      if (only === undefined || chosen.length > 1 || only.names.length > 1)
        throw new CliError('you may only specify a single resource type and name to watch');
      return watch(session, only, options, printer);
    }
    if (printer !== undefined) return printObjects(session, chosen, options, printer);
    return printTables(session, chosen, options);
  });
}

interface Query {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

function queryOf(options: GetOptions): Query {
  return { labelSelector: options.selector, fieldSelector: options.fieldSelector };
}

async function printObjects(
  session: Session,
  chosen: readonly ResourceArgument[],
  options: GetOptions,
  printer: Printer,
): Promise<void> {
  const shown: Shown[] = [];
  for (const { resource, names } of chosen) {
    const namespace = namespaceFor(session, resource, options.allNamespaces);
    const typed = (object: KubeObject): Shown => ({
      resource,
      object: {
        apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
        kind: resource.kind,
        ...object,
      },
    });
    if (names.length === 0) {
      const list = await session.client.list(resource, { namespace, ...defined(queryOf(options)) });
      shown.push(...list.items.map(typed));
    }
    for (const name of names) {
      const found = await unlessIgnored(options, () => session.client.get(resource, { namespace, name }));
      if (found !== undefined) shown.push(typed(found));
    }
  }
  const single = chosen.length === 1 && chosen[0]?.names.length === 1;
  if (shown.length > 0 || !single) process.stdout.write(printer(shown, single));
}

async function printTables(session: Session, chosen: readonly ResourceArgument[], options: GetOptions): Promise<void> {
  let printed = 0;
  for (const argument of chosen) {
    const tables = await tablesOf(session, argument, options);
    const rows = tables.flatMap((table) => table.rows ?? []);
    if (rows.length === 0) continue;
    const first = tables[0] ?? {};
    const lines = new TablePrinter(layoutOf(argument, options, chosen.length > 1)).lines({ ...first, rows });
    process.stdout.write(`${printed > 0 ? '\n' : ''}${lines.join('\n')}\n`);
    printed++;
  }
  if (printed === 0 && options.ignoreNotFound !== true) {
    const scoped = chosen.some(({ resource }) => resource.namespaced) && options.allNamespaces !== true;
    process.stderr.write(scoped ? `No resources found in ${session.namespace} namespace.\n` : 'No resources found\n');
  }
}

function layoutOf(
  { resource }: ResourceArgument,
  options: GetOptions,
  several: boolean,
): ConstructorParameters<typeof TablePrinter>[0] {
  return {
    wide: options.output === 'wide',
    headers: options.headers !== false,
    namespaces: options.allNamespaces === true && resource.namespaced,
    labels: options.showLabels === true,
    prefix: several ? `${shownType(resource)}/` : '',
  };
}

async function tablesOf(
  session: Session,
  { resource, names }: ResourceArgument,
  options: GetOptions,
): Promise<readonly Table[]> {
  const namespace = namespaceFor(session, resource, options.allNamespaces);
  const read = async (name: string | undefined): Promise<Table> =>
    (await session.client.request({
      method: 'GET',
      path: resourcePath(resource, { namespace, name }),
      query: name === undefined ? { ...queryOf(options) } : {},
      headers: { accept: tableAccept },
    })) as Table;
  if (names.length === 0) return [await read(undefined)];
  const tables: Table[] = [];
  for (const name of names) {
    const table = await unlessIgnored(options, () => read(name));
    if (table !== undefined) tables.push(table);
  }
  return tables;
}

async function unlessIgnored<T>(options: GetOptions, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (options.ignoreNotFound === true && isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

// First what is there, then each change. A watch that the server ends is opened again where it stopped.
async function watch(
  session: Session,
  argument: ResourceArgument,
  options: GetOptions,
  printer: Printer | undefined,
): Promise<void> {
  const { resource, names } = argument;
  const namespace = namespaceFor(session, resource, options.allNamespaces);
  const byName = names[0] === undefined ? undefined : `metadata.name=${names[0]}`;
  const fieldSelector = [options.fieldSelector, byName].filter((part) => part !== undefined).join(',');
  const table = new TablePrinter(layoutOf(argument, options, false));
  const show = async (object: KubeObject): Promise<void> => {
    if (printer !== undefined) process.stdout.write(printer([{ resource, object }], true));
    else process.stdout.write(`${table.lines(await rowOf(session, argument, object)).join('\n')}\n`);
  };
  const list = (await session.client.list(resource, {
    namespace,
    ...defined({ labelSelector: options.selector, fieldSelector }),
  })) as KubeList;
  for (const object of list.items) await show(object);
  let resourceVersion = list.metadata?.resourceVersion ?? '';
  for (;;) {
    const events = await session.client.watch(resource, {
      namespace,
      resourceVersion,
      ...defined({ labelSelector: options.selector, fieldSelector }),
    });
    for await (const event of events) {
      resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
      if (event.type !== 'BOOKMARK') await show(event.object);
    }
  }
}

// The row of one object, laid out by the server as it is at this moment; a deleted one shows as it last was.
async function rowOf(session: Session, { resource }: ResourceArgument, object: KubeObject): Promise<Table> {
  const { namespace, name } = object.metadata ?? {};
  try {
    return (await session.client.request({
      method: 'GET',
      path: resourcePath(resource, { namespace, name }),
      headers: { accept: tableAccept },
    })) as Table;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    return { columnDefinitions: [{ name: 'Name' }], rows: [{ cells: [name ?? '', '<deleted>'], object }] };
  }
}

function defined<T extends object>(record: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== '')) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
