// What a CustomResourceDefinition serves: one entry of the resource table per served version, made in one go from its names,
// versions and schemas. All of them share keys and cache.

import type { KindStrategy, ResourceInfo, SubresourceInfo } from '@homeostat/api';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@homeostat/api/types/apiextensions-v1';
import type { Env } from '@homeostat/base';
import {
  compileStructural,
  type GroupResource,
  type KubeObject,
  type Mutable,
  newForbidden,
  toSchema,
} from '@homeostat/machinery';
import type { Store } from '@homeostat/storage';
import { compareKubeVersions } from '../discovery/group-order.ts';
import type { ServedResourceEntry } from '../endpoints/endpoint-request.ts';
import type { StorageHooks } from '../registry/storage-hooks.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { CacheHub } from '../watch-cache/cache-hub.ts';
import { CleanObjects } from './clean-objects.ts';
import type { CustomKind } from './custom-kind.ts';
import { CustomStored } from './custom-stored.ts';
import { customStrategy } from './custom-strategy.ts';
import { CustomVersion } from './custom-version.ts';
import { type ScalePaths, scalePaths } from './scale-paths.ts';
import { type SelectableFields, selectableFieldsOf } from './selectable-fields.ts';
import { objectMetaSchema, VersionSchema } from './version-schema.ts';

export interface DefinitionContext {
  readonly env: Env;
  readonly store: Store;
  readonly hub: CacheHub;
  readonly freeze: boolean;
}

/** What changes of a definition without its being served anew. */
export interface DefinitionState {
  /** It is being deleted: nothing new may be created. */
  terminating: boolean;
}

export interface ServedDefinition {
  readonly resource: GroupResource;
  readonly state: DefinitionState;
  /** Its objects in the storage version, served or not. */
  readonly storage: StoredResource;
  readonly entries: readonly ServedResourceEntry[];
  /** Key prefix of its objects, with both slashes. */
  readonly prefix: string;
  /** Field labels the cache reads; with other ones it has to be made anew. */
  readonly cachedLabels: readonly string[];
}

/** Compiles a definition; a few milliseconds for large schemas, so it is done once a change. */
export function serveDefinition(definition: CustomResourceDefinition, context: DefinitionContext): ServedDefinition {
  const { spec } = definition;
  const { group, versions } = spec;
  const plural = definition.status?.acceptedNames?.plural || spec.names.plural;
  const schemas = new Map(versions.map((version) => [version.name, schemaOf(definition, version)]));
  const storage = schemas.get(versions.find((version) => version.storage)?.name ?? '');
  if (storage === undefined) throw new Error(`${definition.metadata?.name ?? ''} has no storage version`);
  const clean = new CleanObjects();
  const cached = cachedFields(versions, storage);
  const kind = kindOf(definition, schemas);
  const state: DefinitionState = { terminating: definition.metadata?.deletionTimestamp !== undefined };
  const hooks: StorageHooks = {
    beginCreate: (draft) => refuseWhileTerminating(state, { group, resource: plural }, draft),
  };
  const all = versions.map((version): ServedResourceEntry & { readonly stored: StoredResource } => {
    const schema = schemas.get(version.name) as VersionSchema;
    const info = infoOf(definition, version, schema);
    const strategy: KindStrategy = customStrategy({ version, namespaced: info.namespaced, schema });
    const served = new CustomVersion({ info, strategy, schema, schemas: kind.schemas, clean });
    const stored = new CustomStored({
      ...context,
      info,
      strategy,
      version: served,
      storage,
      clean,
      hooks,
      indexedFields: cached.labels,
      cachedFields: cached.values,
    });
    const deprecation = deprecationOf(definition, version);
    const scale = version.subresources?.scale;
    const custom: CustomKind = {
      ...kind,
      ...(deprecation === undefined ? {} : { deprecation }),
      ...(scale === undefined ? {} : { scale: scalePaths(scale) }),
    };
    return { info, strategy, version: served, stored, custom };
  });
  const entries = all.filter(({ info }) => versions.some((version) => version.served && version.name === info.version));
  const stored = all.find(({ version }) => version.apiVersion === storage.apiVersion)?.stored;
  if (stored === undefined) throw new Error(`${plural}.${group} has no storage version`);
  const resource = { group, resource: plural };
  return { resource, state, storage: stored, entries, prefix: stored.prefix, cachedLabels: cached.labels };
}

const terminatingText = 'create not allowed while custom resource definition is terminating';

/** @throws ApiError 403 */
function refuseWhileTerminating(
  state: DefinitionState,
  resource: GroupResource,
  draft: Mutable<KubeObject>,
): undefined {
  if (!state.terminating) return undefined;
  throw newForbidden(resource, draft.metadata?.name ?? '', terminatingText);
}

function schemaOf(
  { spec }: CustomResourceDefinition,
  { name, schema }: CustomResourceDefinitionVersion,
): VersionSchema {
  const { group, names, conversion } = spec;
  const what = `conversion webhook for ${group}/${name}, Kind=${names.kind} failed`;
  // Taking an object for one of another version would damage it; it is served in the version it is stored in.
  const refusal =
    conversion?.strategy === 'Webhook' ? `${what}: this server does not call conversion webhooks` : undefined;
  return new VersionSchema(`${group}/${name}`, compileStructural(schema?.openAPIV3Schema ?? {}), refusal);
}

/** What the versions share. */
function kindOf(definition: CustomResourceDefinition, schemas: ReadonlyMap<string, VersionSchema>): CustomKind {
  const { group, versions } = definition.spec;
  const types = new Map(
    [...schemas].map(([name, { apiVersion, structural }]) => {
      const typeName = `${group.split('.').toReversed().join('.')}.${name}.${definition.spec.names.kind}`;
      return [apiVersion, toSchema(structural, typeName, { objectMeta: objectMetaSchema() })];
    }),
  );
  const replicas = versions.flatMap(({ name, subresources }): [string, ScalePaths][] =>
    subresources?.scale === undefined ? [] : [[`${group}/${name}`, scalePaths(subresources.scale)]],
  );
  return {
    definition,
    schemas: new Map([...schemas.values()].map((schema) => [schema.apiVersion, schema])),
    types,
    replicasPaths: Object.fromEntries(replicas.map(([name, { specReplicas }]) => [name, specReplicas.join('.')])),
  };
}

function infoOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  schema: VersionSchema,
): ResourceInfo {
  const { spec } = definition;
  const { group } = spec;
  const { plural, singular, kind, listKind, shortNames, categories } = definition.status?.acceptedNames ?? spec.names;
  const storageVersion = spec.versions.find(({ storage }) => storage)?.name ?? version.name;
  const typeName = `${group.split('.').toReversed().join('.')}.${version.name}.${kind}`;
  return {
    group,
    version: version.name,
    kind,
    resource: plural,
    singular: singular ?? kind.toLowerCase(),
    listKind: listKind ?? `${kind}List`,
    namespaced: spec.scope === 'Namespaced',
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    subresources: subresourcesOf(group, version, kind),
    schema: toSchema(schema.structural, typeName, { objectMeta: objectMetaSchema() }),
    storage: { group, version: storageVersion, kind, prefix: `${group}/${plural}`, format: 'json' },
  };
}

function subresourcesOf(group: string, version: CustomResourceDefinitionVersion, kind: string): SubresourceInfo[] {
  const verbs = ['get', 'patch', 'update'];
  const own = { group, version: version.name, kind };
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return [
    ...(version.subresources?.status === undefined ? [] : [{ name: 'status', kind: own, verbs }]),
    ...(version.subresources?.scale === undefined ? [] : [{ name: 'scale', kind: scale, verbs }]),
  ];
}

/** The cache holds objects of all versions: it reads every field that any of them may be selected by. */
function cachedFields(versions: readonly CustomResourceDefinitionVersion[], storage: VersionSchema): SelectableFields {
  const all = versions.flatMap((version) => version.selectableFields ?? []);
  const unique = [...new Map(all.map((field) => [field.jsonPath, field])).values()];
  const { labels, values } = selectableFieldsOf(unique);
  return { labels, values: (object: KubeObject) => values(storage.restore(object)) };
}

/** What requests to a deprecated version are told: their definition's own words, or where to go instead. */
function deprecationOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = definition.spec;
  const [better] = versions
    .filter(
      ({ name, served, deprecated }) => served && deprecated !== true && compareKubeVersions(name, version.name) < 0,
    )
    .toSorted((a, b) => compareKubeVersions(a.name, b.name));
  const instead = better === undefined ? '' : `; use ${group}/${better.name} ${names.kind}`;
  return `${group}/${version.name} ${names.kind} is deprecated${instead}`;
}
