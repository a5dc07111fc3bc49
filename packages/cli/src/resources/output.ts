// Objects in the forms of -o: json, yaml, name, jsonpath.

import type { DiscoveredResource } from '@homeostat/client';
import { encodeYaml, type Json, JsonPath, type KubeObject, stringifyPrettyJson } from '@homeostat/machinery';
import { CliError } from '../cli-error.ts';
import { shownType } from './resource-arguments.ts';

/** One object and the resource it is of. */
export interface Shown {
  readonly resource: DiscoveredResource;
  readonly object: KubeObject;
}

export type Printer = (shown: readonly Shown[], single: boolean) => string;

/**
 * The printer of a format that shows whole objects; undefined for tables.
 * @throws CliError for a format nobody knows, and for a jsonpath that does not parse
 */
export function objectPrinter(format: string | undefined): Printer | undefined {
  if (format === undefined || format === '' || format === 'wide') return undefined;
  if (format === 'json') return (shown, single) => `${stringifyPrettyJson(document(shown, single))}\n`;
  if (format === 'yaml') return (shown, single) => encodeYaml(document(shown, single));
  if (format === 'name')
    return (shown) =>
      shown.map(({ resource, object }) => `${shownType(resource)}/${object.metadata?.name ?? ''}\n`).join('');
  const template = /^jsonpath=(.*)$/s.exec(format)?.[1];
  if (template === undefined) {
    throw new CliError(
      `unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json,jsonpath,name,wide,yaml`,
    );
  }
  try {
    const path = JsonPath.parse(template.startsWith('{') ? template : `{${template}}`, { allowMissingKeys: true });
    return (shown, single) => path.print(document(shown, single));
  } catch (error) {
    throw new CliError(
      `error parsing jsonpath ${template}, ${error instanceof Error ? error.message : String(error)}`,
      1,
      { cause: error },
    );
  }
}

function document(shown: readonly Shown[], single: boolean): Json {
  const objects = shown.map(({ object }) => withoutManagedFields(object));
  if (single && objects.length === 1) return objects[0] ?? null;
  return { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } };
}

// As kubectl: who owns which field is shown only on demand.
function withoutManagedFields(object: KubeObject): Json {
  const { managedFields: _fields, ...metadata } = object.metadata ?? {};
  return { ...object, metadata } as unknown as Json;
}
