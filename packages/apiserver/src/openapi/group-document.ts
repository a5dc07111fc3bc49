// Whole OpenAPI 3 documents: of a group version, and of the few paths beside resources (spec/apiserver.md §19). Definitions
// are those the paths refer to, and what these refer to.

import { schemaOf, structByName } from '@homeostat/api';
import { toApiVersion } from '@homeostat/machinery';
import type { DiscoveredVersion } from '../discovery/discovery-index.ts';
import { versionInfo } from '../discovery/version-route.ts';
import { kindsOfType } from './kinds-of-type.ts';
import type { JsonObject, OpenApiDocument, PathItem } from './openapi-types.ts';
import { groupTag, groupTitle, versionTitle } from './operation-names.ts';
import { resourcePaths } from './resource-paths.ts';
import { SchemaDefinitions } from './schema-definitions.ts';

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const objectMedia = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The document of one version of a group. */
export function groupVersionDocument(group: string, { version, resources }: DiscoveredVersion): OpenApiDocument {
  const definitions = new SchemaDefinitions((name) => kindsOfType(name, [{ group, version }]));
  const own = new Map(resources.map((info) => [info.kind, info]));
  const context = {
    definitions,
    refer: (gvk: { readonly group: string; readonly version: string; readonly kind: string }) => {
      const served = gvk.group === group && gvk.version === version ? own.get(gvk.kind) : undefined;
      const schema = served?.schema ?? schemaOf(gvk);
      return schema === undefined ? undefined : definitions.refer(schema);
    },
  };
  const base = `${group === '' ? '/api' : '/apis'}/${toApiVersion({ group, version })}/`;
  const list = metaOperation('APIResourceList', definitions, {
    operationId: `get${groupTitle(group)}${versionTitle(version)}APIResources`,
    tag: groupTag(group, version),
  });
  const paths: Record<string, PathItem> = { [base]: { get: list } };
  for (const info of resources) Object.assign(paths, resourcePaths(info, context));
  return document(paths, definitions);
}

/** `/apis/<group>/`. */
export function groupDocument(group: string): OpenApiDocument {
  return metaDocument(`/apis/${group}/`, 'APIGroup', {
    operationId: `get${groupTitle(group)}APIGroup`,
    tag: groupTag(group),
  });
}

/** The documents of paths that are no group: by the name the index knows them by. */
export const otherDocuments: Readonly<Record<string, () => OpenApiDocument>> = {
  api: () => metaDocument('/api/', 'APIVersions', { operationId: 'getCoreAPIVersions', tag: 'core' }),
  apis: () => metaDocument('/apis/', 'APIGroupList', { operationId: 'getAPIVersions', tag: 'apis' }),
  version: versionDocument,
  '.well-known/openid-configuration': () =>
    textDocument('/.well-known/openid-configuration/', 'application/json', {
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
    }),
  'openid/v1/jwks': () =>
    textDocument('/openid/v1/jwks/', 'application/jwk-set+json', {
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
    }),
};

interface OperationTitle {
  readonly operationId: string;
  readonly tag: string;
}

function metaDocument(path: string, kind: string, title: OperationTitle): OpenApiDocument {
  const definitions = new SchemaDefinitions(kindsOfType);
  return document({ [path]: { get: metaOperation(kind, definitions, title) } }, definitions);
}

function metaOperation(kind: string, definitions: SchemaDefinitions, title: OperationTitle): JsonObject {
  const struct = structByName(metaPrefix + kind);
  const schema = struct === undefined ? { type: 'object' } : definitions.refer(struct);
  return operation(title, Object.fromEntries(objectMedia.map((type) => [type, { schema }])));
}

function textDocument(path: string, media: string, title: OperationTitle): OpenApiDocument {
  return document({ [path]: { get: operation(title, { [media]: { schema: { type: 'string' } } }) } });
}

function operation({ operationId, tag }: OperationTitle, content: JsonObject): JsonObject {
  return {
    tags: [tag],
    operationId,
    responses: { 200: { description: 'OK', content }, 401: { description: 'Unauthorized' } },
  };
}

function versionDocument(): OpenApiDocument {
  const definitions = new SchemaDefinitions(kindsOfType);
  const optional = new Set(['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor']);
  const names = Object.keys(versionInfo);
  const schema = definitions.add('io.k8s.apimachinery.pkg.version.Info', {
    type: 'object',
    required: names.filter((name) => !optional.has(name)),
    properties: Object.fromEntries(
      names.map((name) => [name, { type: 'string', ...(optional.has(name) ? {} : { default: '' }) }]),
    ),
  });
  const content = { 'application/json': { schema } };
  const get = operation({ operationId: 'getCodeVersion', tag: 'version' }, content);
  return document({ '/version/': { get } }, definitions);
}

function document(paths: Readonly<Record<string, PathItem>>, definitions?: SchemaDefinitions): OpenApiDocument {
  const schemas = definitions?.toJson() ?? {};
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: `v${versionInfo.major}.${versionInfo.minor}` },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}
