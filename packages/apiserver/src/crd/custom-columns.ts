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
  const columns = stated.length === 0 ? [ageColumn] : stated;
  const cells = columns.map(({ type, jsonPath }) => cellReader(type as Column['type'], jsonPath));
  return {
    columns: [
      {
        name: 'Name',
        type: 'string',
        format: 'name',
        priority: 0,
        description: 'Name of the object, unique in its namespace.',
      },
      ...columns.map(({ name, type, format, priority, description, jsonPath }) => ({
        name,
        type: type as 'string',
        format: format ?? '',
        priority: priority ?? 0,
        description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      })),
    ],
    row: (object, nowMs) => ({ cells: [object.metadata?.name ?? '', ...cells.map((cell) => cell(object, nowMs))] }),
    rowMetadata: (object) => canonicalMetadata(object.metadata),
  };
}

function cellReader(type: string, jsonPath: string): (object: KubeObject, nowMs: number) => Cell {
  let path: JsonPath;
  try {
    path = JsonPath.parse(`{${jsonPath}}`, { allowMissingKeys: true });
  } catch (error) {
    // Paths are checked when a definition is written; of one that cannot be read there is nothing to show.
    if (error instanceof JsonPathError) return () => null;
    throw error;
  }
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
