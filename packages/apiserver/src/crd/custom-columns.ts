// Tables of custom resources: the name, and the columns their definition states, or their age (spec/apiserver.md §14.7).

import type { TableStrategy } from '@homeostat/api';
import type { CustomResourceColumnDefinition } from '@homeostat/api/types/apiextensions-v1';
import { humanDuration, type Json, JsonPath, JsonPathError, type KubeObject } from '@homeostat/machinery';
import { canonicalMetadata } from './version-schema.ts';

type Cell = string | number | boolean | null;
type Column = CustomResourceColumnDefinition;

const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};

export function customTable(stated: readonly Column[]): TableStrategy {
  const columns = readable(stated.length === 0 ? [ageColumn] : stated);
  const cells = columns.map(({ column, path }) => cellReader(column.type, path));
  return {
    columns: [
      {
        name: 'Name',
        type: 'string',
        format: 'name',
        priority: 0,
        description: 'Name of the object, unique in its namespace.',
      },
      ...columns.map(({ column: { name, type, format, priority, description, jsonPath } }) => ({
        name,
        type: type as 'string',
        format: format ?? '',
        priority: priority ?? 0,
        description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      })),
    ],
    row: (object, nowMs) => ({ cells: [object.metadata?.name ?? '', ...cells.map((cell) => cell(object, nowMs))] }),
    rowMetadata: (object) => canonicalMetadata(object.metadata),
  };
}

/** The columns before the first whose path can't be read: upstream shows no more, and refuses no definition for it. */
function readable(columns: readonly Column[]): { readonly column: Column; readonly path: JsonPath }[] {
  const found: { readonly column: Column; readonly path: JsonPath }[] = [];
  for (const column of columns) {
    try {
      found.push({ column, path: JsonPath.parse(`{${column.jsonPath}}`, { allowMissingKeys: true }) });
    } catch (error) {
      if (error instanceof JsonPathError) break;
      throw error;
    }
  }
  return found;
}

function cellReader(type: string, path: JsonPath): (object: KubeObject, nowMs: number) => Cell {
  return (object, nowMs) => {
    try {
      const [values] = path.find(object as Json);
      const value = values?.[0];
      if (value === undefined) return null;
      return type === 'string' ? textOf(value) : cellOf(value, type, nowMs);
    } catch (error) {
      if (error instanceof JsonPathError) return null;
      throw error;
    }
  };
}

/** The first value as JSONPath prints it. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : identity.print(value);
}

const identity = JsonPath.parse('{@}');

function cellOf(value: Json, type: string, nowMs: number): Cell {
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value as unknown as number;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      if (typeof value !== 'string') return null;
      if (value === '' || value === 'null') return '<unknown>';
      const at = isTime(value) ? Date.parse(value) : Number.NaN;
      return Number.isNaN(at) ? '<invalid>' : humanDuration(nowMs - at);
    }
    default:
      return null;
  }
}

function isTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text);
}
