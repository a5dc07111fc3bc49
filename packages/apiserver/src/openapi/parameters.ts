// The query and path parameters of API operations (spec/apiserver.md §19): kubectl reads from them what the server can do
// (`dryRun`, `fieldValidation`).

import type { StructSchema } from '@homeostat/machinery';
import type { JsonObject } from './openapi-types.ts';

type ParameterType = 'string' | 'integer' | 'boolean';

/** Types of the query parameters that occur in operations. */
const queryTypes = {
  allowWatchBookmarks: 'boolean',
  continue: 'string',
  dryRun: 'string',
  fieldManager: 'string',
  fieldSelector: 'string',
  fieldValidation: 'string',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  labelSelector: 'string',
  limit: 'integer',
  orphanDependents: 'boolean',
  path: 'string',
  pretty: 'string',
  propagationPolicy: 'string',
  resourceVersion: 'string',
  resourceVersionMatch: 'string',
  sendInitialEvents: 'boolean',
  shardSelector: 'string',
  timeoutSeconds: 'integer',
  watch: 'boolean',
} as const satisfies Readonly<Record<string, ParameterType>>;

export type QueryName = keyof typeof queryTypes;

const list = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
] as const;
const remove = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
] as const;

/** Names of the query parameters each action takes. */
export const queryOf = {
  get: [],
  list: ['allowWatchBookmarks', ...list, 'watch'],
  post: ['dryRun', 'fieldManager', 'fieldValidation'],
  put: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  delete: remove,
  deletecollection: [...list, ...remove],
  watch: ['allowWatchBookmarks', ...list, 'watch'],
} as const satisfies Readonly<Record<string, readonly QueryName[]>>;

export function queryParameters(names: readonly QueryName[]): readonly JsonObject[] {
  return names.toSorted().map((name) => parameter('query', name, queryTypes[name]));
}

export function pathParameter(name: 'name' | 'namespace' | 'path'): JsonObject {
  return { in: 'path', name, required: true, schema: { type: 'string', uniqueItems: true } };
}

/** The parameters an options type of a connection (`PodExecOptions`) is passed as. */
export function optionParameters(options: StructSchema): readonly JsonObject[] {
  return options.fields
    .filter(
      ({ name, schema }) =>
        name !== 'kind' && name !== 'apiVersion' && !(schema.kind === 'scalar' && schema.type === 'time'),
    )
    .map(({ name, schema }) => {
      const value = schema.kind === 'list' ? schema.items : schema;
      const type = value.kind === 'scalar' ? value.type : 'string';
      return parameter('query', name, type === 'bool' ? 'boolean' : /int/.test(type) ? 'integer' : 'string');
    });
}

export function sortParameters(parameters: readonly JsonObject[]): readonly JsonObject[] {
  return parameters.toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1));
}

function parameter(place: 'query', name: string, type: ParameterType): JsonObject {
  return { in: place, name, schema: { type, uniqueItems: true } };
}
