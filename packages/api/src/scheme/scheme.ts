// The built-in kinds and served resources (design law 11): look-ups over the generated facts. Custom resources are not
// here; the API server keeps them beside.

import { type GroupVersion, type GroupVersionKind, type StructSchema, toApiVersion } from '@homeostat/machinery';
import resourcesJson from '../generated/resources.json' with { type: 'json' };
import schemaJson from '../generated/schema.json' with { type: 'json' };
import type { ResourceInfo } from '../resource.ts';
import { StructTypes } from './load-schema.ts';
import type { SchemaFile } from './schema-file.ts';

const file = schemaJson as unknown as SchemaFile;
const structs = new StructTypes(file);

/** Every served resource, in the order discovery lists groups, versions and resources. */
export const resources: readonly ResourceInfo[] = (
  resourcesJson as unknown as readonly Omit<ResourceInfo, 'schema'>[]
).map((row) => ({
  ...row,
  get schema() {
    return servedSchema(row);
  },
}));

const byResource = new Map(resources.map((info) => [`${info.group}/${info.version}/${info.resource}`, info]));
const byKind = new Map(resources.map((info) => [`${info.group}/${info.version}/${info.kind}`, info]));

/** The resource with this plural name in this version. */
export function findResource(group: string, version: string, resource: string): ResourceInfo | undefined {
  return byResource.get(`${group}/${version}/${resource}`);
}

/** The resource that serves this kind. Kinds of subresources (Scale, Eviction, TokenRequest) have none. */
export function findKind(gvk: GroupVersionKind): ResourceInfo | undefined {
  return byKind.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
}

/**
 * The schema of a kind: served kinds, their lists, kinds of subresources, options (`DeleteOptions` in any version),
 * `Status`, `Table`, `APIGroupDiscoveryList`, reviews.
 */
export function schemaOf(gvk: GroupVersionKind): StructSchema | undefined {
  const name = typeNameOf(gvk);
  return name === undefined ? undefined : structs.get(name);
}

function servedSchema(gvk: GroupVersionKind): StructSchema {
  const schema = schemaOf(gvk);
  if (schema === undefined) throw new Error(`no schema for the served kind ${toApiVersion(gvk)} ${gvk.kind}`);
  return schema;
}

/** The schema of a type by its OpenAPI name, e.g. `io.k8s.api.core.v1.PodSpec`. */
export function structByName(name: string): StructSchema | undefined {
  return structs.get(name);
}

/** The OpenAPI name of a kind's type. */
export function typeNameOf(gvk: GroupVersionKind): string | undefined {
  const packages = file.kinds[toApiVersion(gvk)];
  if (packages === undefined) return undefined;
  for (const [packageName, kinds] of Object.entries(packages)) {
    if (kinds.includes(gvk.kind)) return `${packageName}.${gvk.kind}`;
  }
  return undefined;
}

/** Every kind known in a version, options and lists included. */
export function kindsOf(version: GroupVersion): readonly string[] {
  return Object.values(file.kinds[toApiVersion(version)] ?? {}).flat();
}

/** Every apiVersion with known kinds; more than are served (`meta.k8s.io/v1`, `admission.k8s.io/v1` …). */
export function knownApiVersions(): readonly string[] {
  return Object.keys(file.kinds);
}
