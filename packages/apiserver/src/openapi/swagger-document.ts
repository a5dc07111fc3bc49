// OpenAPI 2 (`/openapi/v2`) made from the OpenAPI 3 documents: one document with all paths, for clients that validate or
// generate from it (spec/apiserver.md §19). Version 2 has no defaults, no wrapped references and no typed request bodies.

import { versionInfo } from '../discovery/version-route.ts';
import type { JsonObject, OpenApiDocument, PathItem } from './openapi-types.ts';

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);
/** Order in which patch types are listed: clients take the first they know. */
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** What OpenAPI 2 says of types that OpenAPI 3 describes by alternatives. */
const scalarDefinitions: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
};

export function swaggerDocument(documents: readonly OpenApiDocument[]): JsonObject {
  const paths: Record<string, PathItem> = {};
  const definitions: Record<string, JsonObject> = {};
  for (const document of documents) {
    for (const [path, item] of Object.entries(document.paths)) paths[path] = swaggerPath(item);
    const { schemas = {} } = document.components as { readonly schemas?: Readonly<Record<string, JsonObject>> };
    for (const [name, schema] of Object.entries(schemas)) {
      definitions[name] = withKinds(swaggerDefinition(name, schema), definitions[name]);
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: `v${versionInfo.major}.${versionInfo.minor}` },
    paths: sortKeys(paths),
    definitions: sortKeys(definitions),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

function swaggerPath(item: PathItem): PathItem {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    if (methods.has(key)) converted[key] = swaggerOperation(value as JsonObject);
    else if (key === 'parameters') converted[key] = (value as readonly JsonObject[]).map(swaggerParameter);
    else converted[key] = value;
  }
  return converted;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonObject }>>;
}

function swaggerOperation(operation: JsonObject): JsonObject {
  const { tags, operationId, parameters, requestBody, responses, ...extensions } = operation as {
    readonly tags?: unknown;
    readonly operationId?: unknown;
    readonly parameters?: readonly JsonObject[];
    readonly requestBody?: Content & { readonly required?: boolean };
    readonly responses: Readonly<Record<string, Content & { readonly description?: string }>>;
  };
  const body = requestBody === undefined ? [] : [bodyParameter(requestBody)];
  const all = [...body, ...(parameters ?? []).map(swaggerParameter)];
  const given = operation['x-kubernetes-action'] === undefined ? plainConsumes(responses) : consumes(requestBody);
  return {
    ...(given === undefined ? {} : { consumes: given }),
    produces: produces(responses),
    schemes: ['https'],
    tags,
    operationId,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, response]) => {
        const [first] = Object.values(response.content ?? {});
        const description = response.description ?? '';
        return [
          code,
          first?.schema === undefined ? { description } : { description, schema: swaggerSchema(first.schema) },
        ];
      }),
    ),
    ...extensions,
  };
}

function consumes(body: Content | undefined): readonly string[] {
  const types = Object.keys(body?.content ?? {});
  if (types.length === 0) return ['*/*'];
  return types.every((type) => patchTypes.includes(type)) ? patchTypes.filter((type) => types.includes(type)) : types;
}

/** Operations that are about no resource say they take what they give, unless that is plain text. */
function plainConsumes(responses: Readonly<Record<string, Content>>): readonly string[] | undefined {
  const [first] = Object.values(responses['200']?.content ?? {});
  return first?.schema?.['type'] === 'string' ? undefined : produces(responses);
}

function produces(responses: Readonly<Record<string, Content>>): readonly string[] {
  const types = Object.keys(responses['200']?.content ?? {});
  const order = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  const plain = order.filter((type) => types.includes(type));
  return [...types.filter((type) => !order.includes(type)).sort(), ...plain];
}

function bodyParameter(body: Content & { readonly required?: boolean }): JsonObject {
  const [first] = Object.values(body.content ?? {});
  return {
    name: 'body',
    in: 'body',
    ...(body.required === true ? { required: true } : {}),
    schema: swaggerSchema(first?.schema ?? {}),
  };
}

function swaggerParameter(parameter: JsonObject): JsonObject {
  const { schema, ...rest } = parameter as { readonly schema?: JsonObject };
  return { ...rest, ...schema };
}

function swaggerDefinition(name: string, schema: JsonObject): JsonObject {
  return scalarDefinitions[name] ?? swaggerSchema(schema);
}

/** What OpenAPI 2 has no words for; kubectl refuses documents that use them. */
const unspeakable = new Set(['nullable', 'oneOf', 'anyOf', 'not', 'x-kubernetes-validations']);

/** Without defaults; references bare and into `definitions`. */
function swaggerSchema(schema: JsonObject): JsonObject {
  const { allOf } = schema as { readonly allOf?: readonly JsonObject[] };
  if (allOf?.length === 1 && allOf[0] !== undefined && '$ref' in allOf[0]) {
    const { allOf: _wrapped, default: _default, ...rest } = schema;
    return { ...swaggerSchema(allOf[0]), ...rest };
  }
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'default' || unspeakable.has(key)) continue;
    if (key === '$ref') converted[key] = String(value).replace('#/components/schemas/', '#/definitions/');
    else if (key === 'properties')
      converted[key] = mapValues(value as Readonly<Record<string, JsonObject>>, swaggerSchema);
    else if (key === 'items' || key === 'additionalProperties') converted[key] = swaggerSchema(value as JsonObject);
    else converted[key] = value;
  }
  return converted;
}

const kindsKey = 'x-kubernetes-group-version-kind';

/** A type used by several group versions is a kind of each. */
function withKinds(definition: JsonObject, earlier: JsonObject | undefined): JsonObject {
  const before = (earlier?.[kindsKey] ?? []) as readonly JsonObject[];
  if (before.length === 0) return definition;
  const kinds = [...before, ...((definition[kindsKey] ?? []) as readonly JsonObject[])];
  const unique = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
  return { ...definition, [kindsKey]: unique };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function sortKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
