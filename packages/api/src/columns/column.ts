// Builders for the tables that kubectl prints (spec/apiserver.md §11): columns, the cells most kinds share, and the
// table of kinds that have no columns of their own. Descriptions are ours; the server sends every column, wide ones
// with priority 1, and the client hides those it does not want.

import type { KubeObject } from '@homeostat/machinery';

import type { TableColumn, TableStrategy } from '../strategy.ts';
import { formatAge } from './human-age.ts';

export type Cell = string | number | boolean | null;

/** An always visible column. */
export function column(name: string, description: string, type: TableColumn['type'] = 'string'): TableColumn {
  return { name, type, format: '', priority: 0, description };
}

/** A column that only `-o wide` shows. */
export function wideColumn(name: string, description: string): TableColumn {
  return { name, type: 'string', format: '', priority: 1, description };
}

/** A column that names an object. */
export function nameColumn(
  name = 'Name',
  description = 'Name of the object, unique among its kind in the namespace.',
): TableColumn {
  return { name, type: 'string', format: 'name', priority: 0, description };
}

export const AGE_COLUMN = column('Age', 'Time since the object was created.');

/** A table whose rows are only cells. */
export function table<T extends KubeObject>(
  columns: readonly TableColumn[],
  cells: (object: T, nowMs: number) => readonly Cell[],
): TableStrategy<T> {
  return { columns, row: (object, nowMs) => ({ cells: cells(object, nowMs) }) };
}

export function nameOf(object: KubeObject): string {
  return object.metadata?.name ?? '';
}

export function ageOf(object: KubeObject, nowMs: number): string {
  return formatAge(object.metadata?.creationTimestamp, nowMs);
}

/** At most `max` items joined, then how many were left out. */
export function joinSome(items: readonly string[], max: number, separator = ','): string {
  const shown = items.slice(0, max).join(separator);
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}

/** The text, or `placeholder` when there is none. */
export function orElse(text: string | undefined, placeholder: string): string {
  return text === undefined || text === '' ? placeholder : text;
}

/** Kinds without columns of their own show when they were made. */
export const DEFAULT_TABLE: TableStrategy = {
  ...table(
    [nameColumn(), column('Created At', 'When the server stored the object for the first time.', 'date')],
    (object) => [nameOf(object), object.metadata?.creationTimestamp ?? null],
  ),
  nullWhenEmpty: true,
};

/** Kinds that show nothing but their name and age. */
export const NAME_AGE_TABLE: TableStrategy = table([nameColumn(), AGE_COLUMN], (object, nowMs) => [
  nameOf(object),
  ageOf(object, nowMs),
]);
