// The options of a connection (`PodExecOptions` and the like), read from the query by their schema: the object that
// admission sees for CONNECT.

import { schemaOf } from '@homeostat/api';
import { type Json, type KubeObject, type Mutable, type Schema, toApiVersion } from '@homeostat/machinery';
import type { EndpointRequest } from './endpoint-request.ts';
import { queryBool, queryInt } from './query-values.ts';

export function connectOptions({ context, subresource, entry }: EndpointRequest): Mutable<KubeObject> {
  const kind = subresource?.kind ?? entry.info;
  const options: Record<string, Json> = { kind: kind.kind, apiVersion: toApiVersion(kind) };
  for (const { name, schema } of schemaOf(kind)?.fields ?? []) {
    if (name === 'kind' || name === 'apiVersion') continue;
    const value = valueOf(context.query, name, schema);
    if (value !== undefined) options[name] = value;
  }
  // What follows `/proxy` is the path to ask for.
  const [, , , ...rest] = context.info.parts;
  if (subresource?.name === 'proxy') options['path'] = rest.join('/');
  return options as Mutable<KubeObject>;
}

function valueOf(query: URLSearchParams, name: string, schema: Schema): Json | undefined {
  if (!query.has(name)) return undefined;
  if (schema.kind === 'list') {
    const isNumbers = schema.items.kind === 'scalar' && schema.items.type !== 'string';
    const values = query.getAll(name);
    return isNumbers ? values.map(Number).filter(Number.isInteger) : values;
  }
  if (schema.kind !== 'scalar') return undefined;
  switch (schema.type) {
    case 'bool':
      return queryBool(query, name);
    case 'int32':
    case 'int64':
      return queryInt(query, name);
    default:
      return query.get(name) ?? undefined;
  }
}
