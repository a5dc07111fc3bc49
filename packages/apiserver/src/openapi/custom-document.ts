// OpenAPI 3 of custom resources: their definitions' own schemas, completed by what every resource has, and the paths they are
// served at (spec/apiserver.md §14.9). Version 2 is made from this, without what it cannot say.

import { type ResourceInfo, schemaOf, structByName } from '@homeostat/api';
import type { GroupVersionKind } from '@homeostat/machinery';
import type { DiscoveredVersion } from '../discovery/discovery-index.ts';
import { kindsOfType } from './kinds-of-type.ts';
import type { JsonObject, OpenApiDocument, PathItem } from './openapi-types.ts';
import { resourcePaths } from './resource-paths.ts';
import { refTo, SchemaDefinitions } from './schema-definitions.ts';

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** The `openAPIV3Schema` of a served resource; undefined for resources that are no custom ones. */
export type CustomSchemaOf = (info: ResourceInfo) => JsonObject | undefined;

/** Undefined when a resource of the group version is no custom one. */
export function customGroupDocument(
  { resources }: DiscoveredVersion,
  customSchemaOf: CustomSchemaOf,
): OpenApiDocument | undefined {
  const definitions = new SchemaDefinitions(kindsOfType);
  const paths: Record<string, PathItem> = {};
  for (const info of resources) {
    const schema = customSchemaOf(info);
    if (schema === undefined) return undefined;
    const own = addKinds(info, schema, definitions);
    const refer = (gvk: GroupVersionKind): JsonObject | undefined => {
      if (gvk.group === info.group && own[gvk.kind] !== undefined) return own[gvk.kind];
      const known = schemaOf(gvk);
      return known === undefined ? undefined : definitions.refer(known);
    };
    Object.assign(paths, resourcePaths(info, { definitions, refer }));
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: definitions.toJson() },
  };
}

/** References to a kind and its list, by kind. */
function addKinds(
  info: ResourceInfo,
  schema: JsonObject,
  definitions: SchemaDefinitions,
): Readonly<Record<string, JsonObject>> {
  const { group, version, kind, listKind, resource } = info;
  const prefix = `${group.split('.').toReversed().join('.')}.${version}.`;
  const gvk = (name: string): readonly JsonObject[] => [{ group, kind: name, version }];
  const object = definitions.add(`${prefix}${kind}`, {
    ...withResourceFields(schema, definitions),
    'x-kubernetes-group-version-kind': gvk(kind),
  });
  const list = definitions.add(`${prefix}${listKind}`, {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: text,
      items: { description: `List of ${resource}.`, type: 'array', items: refTo(`${prefix}${kind}`) },
      kind: text,
      metadata: meta('ListMeta', definitions),
    },
    'x-kubernetes-group-version-kind': gvk(listKind),
  });
  return { [kind]: object, [listKind]: list };
}

const text = { type: 'string' };

function meta(name: string, definitions: SchemaDefinitions): JsonObject {
  const struct = structByName(metaPrefix + name);
  if (struct === undefined) throw new Error(`no type ${name}`);
  return { allOf: [definitions.refer(struct)] };
}

/** A resource's schema, at the root and wherever a resource is embedded: apiVersion, kind and metadata are not its own. */
function withResourceFields(schema: JsonObject, definitions: SchemaDefinitions): JsonObject {
  const completed = completeEmbedded(schema, definitions);
  const { properties = {} } = completed as { readonly properties?: JsonObject };
  const fields = { ...properties, apiVersion: text, kind: text, metadata: meta('ObjectMeta', definitions) };
  return { ...completed, properties: fields };
}

function completeEmbedded(schema: JsonObject, definitions: SchemaDefinitions): JsonObject {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') {
      out[key] = Object.fromEntries(
        Object.entries(value as Readonly<Record<string, JsonObject>>).map(([name, property]) => [
          name,
          complete(property, definitions),
        ]),
      );
    } else if ((key === 'items' || key === 'additionalProperties') && isSchema(value)) {
      out[key] = complete(value, definitions);
    } else out[key] = value;
  }
  return out;
}

function complete(schema: JsonObject, definitions: SchemaDefinitions): JsonObject {
  return schema['x-kubernetes-embedded-resource'] === true
    ? withResourceFields(schema, definitions)
    : completeEmbedded(schema, definitions);
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
