// Turns objects into the Table that kubectl prints (spec/apiserver.md §2.7). Columns and cells come from the kind's
// table strategy; this adds the envelope, the row objects and what `includeObject` asks for.

import type { TableStrategy } from '@homeostat/api';
import type { KubeObject, ListMeta } from '@homeostat/machinery';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly table: TableStrategy;
  readonly includeObject: IncludeObject;
  readonly version: 'v1' | 'v1beta1';
  readonly nowMs: number;
}

export interface TableEntry {
  /** As the table strategy reads it: the storage version. */
  readonly stored: KubeObject;
  /** As a row shows it with `includeObject=Object`: the served version. */
  readonly served: KubeObject;
}

export function buildTable(entries: readonly TableEntry[], metadata: ListMeta, options: TableOptions): KubeObject {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: columnDefinitions(options.table),
    rows:
      entries.length === 0 && options.table.nullWhenEmpty === true
        ? null
        : entries.map((entry) => tableRow(entry, options)),
  } as KubeObject;
}

export function columnDefinitions(table: TableStrategy): readonly unknown[] {
  return table.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority,
  }));
}

export function tableRow(entry: TableEntry, options: TableOptions): unknown {
  const { cells, conditions } = options.table.row(entry.stored, options.nowMs);
  return {
    cells,
    ...(conditions === undefined || conditions.length === 0 ? {} : { conditions }),
    object:
      options.includeObject === 'Metadata' ? rowMetadata(entry.stored, options) : rowObject(entry.served, options),
  };
}

/** What a row shows of an object's metadata: that of the storage version, whatever version was asked for. */
function rowMetadata(stored: KubeObject, { table, version }: TableOptions): KubeObject {
  const metadata = table.rowMetadata?.(stored) ?? stored.metadata ?? {};
  return partialObject({ metadata }, version);
}

export function rowObject(object: KubeObject, options: Pick<TableOptions, 'includeObject' | 'version'>): unknown {
  switch (options.includeObject) {
    case 'None':
      return null;
    case 'Object':
      return object;
    case 'Metadata':
      return partialObject(object, options.version);
  }
}

/** `PartialObjectMetadata`: the object's whole metadata and nothing else. */
export function partialObject(object: KubeObject, version: 'v1' | 'v1beta1'): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata ?? {} };
}
