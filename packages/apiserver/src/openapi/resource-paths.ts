// The paths and operations of one served resource in OpenAPI 3 (spec/apiserver.md §19).

import { findKind, type ResourceInfo, schemaOf, structByName, type SubresourceInfo } from '@homeostat/api';
import { type GroupVersionKind, toApiVersion } from '@homeostat/machinery';
import type { JsonObject, PathItem } from './openapi-types.ts';
import { capitalise, groupTag, groupTitle, versionTitle } from './operation-names.ts';
import {
  optionParameters,
  pathParameter,
  type QueryName,
  queryOf,
  queryParameters,
  sortParameters,
} from './parameters.ts';
import { type SchemaDefinitions } from './schema-definitions.ts';

const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const methodOf: Readonly<Record<string, string>> = {
  create: 'post',
  get: 'get',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
};

/** What a group document offers to the paths in it. */
export interface PathContext {
  readonly definitions: SchemaDefinitions;
  /** The reference to a kind's definition; undefined for kinds without a type. */
  refer(kind: GroupVersionKind): JsonObject | undefined;
}

/** All paths of a resource, by path. */
export function resourcePaths(info: ResourceInfo, context: PathContext): Readonly<Record<string, PathItem>> {
  return new ResourcePaths(info, context).build();
}

class ResourcePaths {
  readonly #info: ResourceInfo;
  readonly #context: PathContext;
  readonly #base: string;
  readonly #paths: Record<string, PathItem> = {};
  /** Custom resources have no messages, no watch paths of old, and operations that say a little less. */
  readonly #isCustom: boolean;

  constructor(info: ResourceInfo, context: PathContext) {
    this.#info = info;
    this.#context = context;
    this.#isCustom = findKind(info) === undefined;
    this.#base = `${info.group === '' ? '/api' : '/apis'}/${toApiVersion(info)}`;
  }

  build(): Readonly<Record<string, PathItem>> {
    const { namespaced, resource, verbs } = this.#info;
    const scope = namespaced ? `${this.#base}/namespaces/{namespace}` : this.#base;
    const collection = `${scope}/${resource}`;
    this.#add(collection, this.#collectionOperations(), this.#parameters());
    this.#add(`${collection}/{name}`, this.#itemOperations(), this.#parameters('name'));
    for (const subresource of this.#info.subresources) this.#addSubresource(`${collection}/{name}`, subresource);
    if (namespaced && verbs.includes('list')) {
      const list = this.#operation('get', 'list', { suffix: 'ForAllNamespaces', scope: '' });
      this.#add(`${this.#base}/${resource}`, { get: list }, queryParameters(['pretty']));
    }
    if (verbs.includes('watch') && !this.#isCustom) this.#addWatches();
    return this.#paths;
  }

  #addWatches(): void {
    const { namespaced, resource, verbs } = this.#info;
    const watch = `${this.#base}/watch`;
    const scoped = `${namespaced ? `${watch}/namespaces/{namespace}` : watch}/${resource}`;
    const add = (path: string, options: OperationOptions, parameters: readonly JsonObject[]): void => {
      const action = options.suffix === '' ? 'watch' : 'watchlist';
      this.#add(path, { get: this.#operation('get', action, options) }, parameters);
    };
    add(scoped, { suffix: 'List' }, this.#parameters());
    if (verbs.includes('get')) add(`${scoped}/{name}`, { suffix: '' }, this.#parameters('name'));
    if (!namespaced) return;
    add(`${watch}/${resource}`, { suffix: 'ListForAllNamespaces', scope: '' }, queryParameters(['pretty']));
  }

  #collectionOperations(): Operations {
    const { verbs } = this.#info;
    return {
      ...(verbs.includes('list') ? { get: this.#operation('get', 'list') } : {}),
      ...(verbs.includes('create') ? { post: this.#operation('post', 'post') } : {}),
      ...(verbs.includes('deletecollection') ? { delete: this.#operation('delete', 'deletecollection') } : {}),
    };
  }

  #itemOperations(): Operations {
    const { verbs } = this.#info;
    return {
      ...(verbs.includes('get') ? { get: this.#operation('get', 'get') } : {}),
      ...(verbs.includes('update') ? { put: this.#operation('put', 'put') } : {}),
      ...(verbs.includes('patch') ? { patch: this.#operation('patch', 'patch') } : {}),
      ...(verbs.includes('delete') ? { delete: this.#operation('delete', 'delete') } : {}),
    };
  }

  #addSubresource(item: string, subresource: SubresourceInfo): void {
    const path = `${item}/${subresource.name}`;
    if (isConnection(subresource)) {
      this.#addConnection(path, subresource);
      return;
    }
    const operations: Record<string, JsonObject> = {};
    for (const verb of subresource.verbs) {
      const method = methodOf[verb];
      if (method === undefined) continue;
      operations[method] = this.#operation(method, method as Action, { subresource });
    }
    const options = subresource.name === 'log' ? structByName('io.k8s.api.core.v1.PodLogOptions') : undefined;
    const own = options === undefined ? [] : optionParameters(options);
    this.#add(path, operations, [...this.#parameters('name'), ...own]);
  }

  #addConnection(path: string, subresource: SubresourceInfo): void {
    const options = schemaOf(subresource.kind);
    const own = options === undefined ? [] : optionParameters(options);
    const scope = [pathParameter('name'), ...(this.#info.namespaced ? [pathParameter('namespace')] : [])];
    const methods = subresource.verbs.map((verb) => methodOf[verb] ?? verb);
    // A proxy passes every method on; the other connections are opened with GET or POST.
    if (subresource.name === 'proxy') methods.push('head', 'options');
    const operations = (suffix: string): Operations =>
      Object.fromEntries(methods.map((method) => [method, this.#connection(method, subresource, suffix)]));
    this.#add(path, operations(''), [...scope, ...own]);
    if (subresource.name !== 'proxy') return;
    // The path's own parameter is first; the option of the same name is another one.
    this.#add(`${path}/{path}`, operations('WithPath'), [...scope, pathParameter('path'), ...own]);
  }

  #connection(method: string, subresource: SubresourceInfo, suffix: string): JsonObject {
    const { group, version } = this.#info;
    const name = `${this.#scopeTitle()}${this.#info.kind}${capitalise(subresource.name)}${suffix}`;
    return {
      tags: [groupTag(group, version)],
      operationId: `connect${groupTitle(group)}${versionTitle(version)}${capitalise(method)}${name}`,
      responses: responses({ 200: { '*/*': { schema: { type: 'string' } } } }),
      'x-kubernetes-action': 'connect',
      'x-kubernetes-group-version-kind': subresource.kind,
    };
  }

  #operation(method: string, action: Action, options: OperationOptions = {}): JsonObject {
    const { group, version, kind } = this.#info;
    const { subresource, suffix = '' } = options;
    const scope = options.scope ?? this.#scopeTitle();
    const title = `${groupTitle(group)}${versionTitle(version)}`;
    const what = `${scope}${kind}${capitalise(subresource?.name ?? '')}${suffix}`;
    const collection = action === 'deletecollection' ? 'Collection' : '';
    const gvk = subresource?.kind ?? { group, version, kind };
    const stated = this.#isCustom ? { group, version, kind } : gvk;
    const parameters = queryParameters(this.#queryOf(action));
    const body = this.#requestBody(action, gvk);
    return {
      tags: [groupTag(group, version)],
      operationId: `${operationVerbs[action]}${title}${collection}${what}`,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: this.#responses(action, gvk, subresource),
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group: stated.group, kind: stated.kind, version: stated.version },
    };
  }

  #queryOf(action: Action): readonly QueryName[] {
    if (!this.#isCustom) return queryOf[action === 'watchlist' ? 'watch' : action];
    if (action === 'get') return ['resourceVersion'];
    return queryOf[action === 'deletecollection' ? 'list' : action === 'watchlist' ? 'watch' : action];
  }

  #requestBody(action: Action, gvk: GroupVersionKind): JsonObject | undefined {
    const types = this.#isCustom ? [json, yaml] : ['*/*'];
    const content = (schema: JsonObject | undefined): JsonObject =>
      Object.fromEntries(types.map((type) => [type, { schema }]));
    if (action === 'post' || action === 'put') return { content: content(this.#context.refer(gvk)), required: true };
    if (action === 'patch') {
      const patch = this.#context.definitions.add(`${metaPrefix}Patch`, { type: 'object' });
      return {
        content: Object.fromEntries(this.#patchTypes().map((type) => [type, { schema: patch }])),
        required: true,
      };
    }
    if (action !== 'delete' && (action !== 'deletecollection' || this.#isCustom)) return undefined;
    return { content: content(this.#meta('DeleteOptions')) };
  }

  #patchTypes(): readonly string[] {
    const strategic = this.#isCustom ? [] : ['application/strategic-merge-patch+json'];
    return [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      ...strategic,
    ];
  }

  #responses(action: Action, gvk: GroupVersionKind, subresource: SubresourceInfo | undefined): JsonObject {
    const all = this.#isCustom ? [json, yaml] : [json, yaml, protobuf];
    const media = (schema: JsonObject | undefined, types: readonly string[] = all): JsonObject =>
      Object.fromEntries(types.map((type) => [type, { schema }]));
    const streams = this.#isCustom ? all : [json, `${json};stream=watch`, yaml, protobuf, `${protobuf};stream=watch`];
    switch (action) {
      case 'list':
        return responses({ 200: media(this.#context.refer({ ...gvk, kind: this.#info.listKind }), streams) });
      case 'watch':
      case 'watchlist':
        return responses({ 200: media(this.#meta('WatchEvent'), streams) });
      case 'post': {
        const object = media(this.#context.refer(gvk));
        return responses({ 200: object, 201: object, 202: object });
      }
      case 'put':
      case 'patch': {
        const object = media(this.#context.refer(gvk));
        return responses(this.#isCustom && action === 'patch' ? { 200: object } : { 200: object, 201: object });
      }
      case 'deletecollection':
        return responses({ 200: media(this.#meta('Status')) });
      case 'delete': {
        const object = media(this.#returnsDeleted() ? this.#context.refer(gvk) : this.#meta('Status'));
        return responses({ 200: object, 202: object });
      }
      case 'get':
        if (subresource?.name === 'log')
          return responses({ 200: media({ type: 'string' }, [json, yaml, protobuf, 'text/plain']) });
        return responses({ 200: media(this.#context.refer(gvk)) });
    }
  }

  /** Kinds whose DELETE answers the object; they keep it for a while or always did so. */
  #returnsDeleted(): boolean {
    return deletedReturned.has(`${this.#info.group}/${this.#info.resource}`);
  }

  #meta(name: string): JsonObject | undefined {
    const struct = structByName(metaPrefix + name);
    return struct === undefined ? undefined : this.#context.definitions.refer(struct);
  }

  #scopeTitle(): string {
    return this.#info.namespaced ? 'Namespaced' : '';
  }

  #parameters(name?: 'name'): readonly JsonObject[] {
    return [
      ...(name === undefined ? [] : [pathParameter(name)]),
      ...(this.#info.namespaced ? [pathParameter('namespace')] : []),
      ...queryParameters(['pretty']),
    ];
  }

  /** Parameters that all operations of a path share are stated once, on the path. */
  #add(path: string, operations: Readonly<Record<string, JsonObject>>, parameters: readonly JsonObject[]): void {
    const all = Object.entries(operations);
    if (all.length === 0) return;
    const lists = all.map(([, operation]) => (operation['parameters'] ?? []) as readonly JsonObject[]);
    const shared = (lists[0] ?? []).filter((each) => lists.every((list) => list.some((other) => isSame(each, other))));
    const own = all.map(([method, operation]) => [method, withoutParameters(operation, shared)] as const);
    this.#paths[path] = { ...Object.fromEntries(own), parameters: sortParameters([...parameters, ...shared]) };
  }
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return a['name'] === b['name'] && a['in'] === b['in'];
}

function withoutParameters(operation: JsonObject, shared: readonly JsonObject[]): JsonObject {
  const { parameters, ...rest } = operation as { readonly parameters?: readonly JsonObject[] };
  const own = (parameters ?? []).filter((each) => !shared.some((other) => isSame(each, other)));
  return own.length === 0 ? rest : { ...rest, parameters: own };
}

type Operations = Readonly<Record<string, JsonObject>>;

type Action = 'get' | 'list' | 'watch' | 'watchlist' | 'post' | 'put' | 'patch' | 'delete' | 'deletecollection';

interface OperationOptions {
  readonly subresource?: SubresourceInfo;
  readonly suffix?: string;
  /** `Namespaced`, or empty for the whole cluster. */
  readonly scope?: string;
}

const operationVerbs: Readonly<Record<Action, string>> = {
  get: 'read',
  list: 'list',
  watch: 'watch',
  watchlist: 'watch',
  post: 'create',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

const deletedReturned: ReadonlySet<string> = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
  'resource.k8s.io/resourceslices',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
]);

const descriptions: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

function responses(contents: Readonly<Record<number, JsonObject>>): JsonObject {
  const entries = Object.entries(contents).map(([code, content]) => [
    code,
    { description: descriptions[code], content },
  ]);
  return { ...Object.fromEntries(entries), 401: { description: 'Unauthorized' } };
}

function isConnection(subresource: SubresourceInfo): boolean {
  return subresource.kind.kind.endsWith('Options');
}
