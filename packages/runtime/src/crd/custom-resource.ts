// A custom resource from one definition in TypeScript: its CustomResourceDefinition, the type of its objects, the resource
// for clients and informers, and the same defaults and checks here that the server has.

import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JSONSchemaProps,
  ValidationRule,
} from '@homeostat/api/types/apiextensions-v1';
import type { Json, KubeObject, ObjectMeta } from '@homeostat/machinery';
import { encodeYaml } from '@homeostat/machinery';
import { type ResourceType, resourceType } from '@homeostat/client';
import { type CustomChecks, createCustomChecks } from './custom-checks.ts';
import { toRules } from './schema.ts';
import type { Fields, ObjectInput, ObjectOutput, SchemaNode } from './schema-node.ts';

/** The parts of an object beside its metadata, e.g. `{ spec, status }`. */
export type Body = Fields;

/** One version. */
export interface VersionOptions<B extends Body> {
  /**
   * The fields beside `apiVersion`, `kind` and `metadata`. A `status` makes the status subresource: it is then written apart,
   * and may be missing.
   */
  readonly fields: B;
  readonly description?: string;
  /** Default true. */
  readonly served?: boolean;
  /** The version objects are stored in; default: the only or first one. */
  readonly storage?: boolean;
  /** Warns whoever uses the version; a text or the usual one. */
  readonly deprecated?: boolean | string;
  /** What `kubectl get` shows. */
  readonly columns?: readonly CustomResourceColumnDefinition[];
  /** `kubectl scale` and autoscalers. */
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  /** Fields that field selectors may name, e.g. `.spec.phase`; at most 8. */
  readonly selectableFields?: readonly string[];
  /** CEL rules over the whole object. */
  readonly rules?: readonly (string | ValidationRule)[];
}

export interface CustomResourceOptions<V extends Readonly<Record<string, VersionOptions<Body>>>> {
  /** e.g. `cache.example.com`. */
  readonly group: string;
  readonly kind: string;
  /** Lower case; default: the kind's English plural. */
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  /** e.g. `['all']`. */
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly versions: V;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

type WithStatus<B extends Body> = B extends { readonly status: SchemaNode } ? Omit<B, 'status'> : B;

type StatusOf<B extends Body> = B extends { readonly status: SchemaNode<infer Out> }
  ? { readonly status?: Out }
  : unknown;

/** An object as the server answers it. */
export type ObjectOf<B extends Body> = KubeObject &
  ObjectOutput<WithStatus<B>> &
  StatusOf<B> & { readonly metadata?: ObjectMeta };

/** An object as users write it: without status, and without what has a default. */
export type InputOf<B extends Body> = ObjectInput<WithStatus<B>> & { readonly metadata: ObjectMeta };

/** One version of a custom resource. */
export interface CustomVersion<B extends Body> extends CustomChecks {
  /** For clients, informers and controllers. */
  readonly resource: ResourceType<ObjectOf<B>>;
  /** An object with `apiVersion`, `kind` and defaults. */
  create(input: InputOf<B>): ObjectOf<B>;
}

export interface CustomResource<V extends Readonly<Record<string, VersionOptions<Body>>>> {
  /** What the server is told. */
  readonly definition: CustomResourceDefinition;
  readonly versions: { readonly [Name in keyof V]: CustomVersion<V[Name]['fields']> };
  /** The definition as YAML, for `kubectl apply` and charts. */
  toYaml(): string;
}

/**
 * Defines a custom resource.
 *
 * @example
 * export const memcacheds = customResource({
 *   group: 'cache.example.com',
 *   kind: 'Memcached',
 *   versions: {
 *     v1: {
 *       fields: {
 *         spec: object({ size: integer({ minimum: 1, maximum: 10, default: 1 }) }),
 *         status: object({ readyReplicas: optional(integer()), conditions: conditions() }),
 *       },
 *       columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
 *     },
 *   },
 * });
 * const { resource, create } = memcacheds.versions.v1;
 * await client.create(resource, { namespace: 'default', object: create({ metadata: { name: 'a' }, spec: {} }) });
 *
 * @throws Error when no version or several are marked as stored, or a field is one that every object has.
 */
export function customResource<const V extends Readonly<Record<string, VersionOptions<Body>>>>(
  options: CustomResourceOptions<V>,
): CustomResource<V> {
  const { group, kind, scope = 'Namespaced', plural = pluralOf(kind), labels, annotations } = options;
  const stored = storedVersion(options);
  const versions = Object.entries(options.versions);
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular: options.singular ?? kind.toLowerCase(),
        kind,
        listKind: options.listKind ?? `${kind}List`,
        ...(options.shortNames === undefined ? {} : { shortNames: options.shortNames }),
        ...(options.categories === undefined ? {} : { categories: options.categories }),
      },
      versions: versions.map(([name, version]) => toVersion(name, version, name === stored)),
    },
  };
  const made = versions.map(([version, { fields }]) => {
    const resource = resourceType({ group, version, resource: plural, kind, namespaced: scope === 'Namespaced' });
    const checks = createCustomChecks(schemaOf(options.versions[version] as VersionOptions<Body>));
    const create = (input: Readonly<Record<string, Json>>): KubeObject =>
      checks.complete({ apiVersion: `${group}/${version}`, kind, ...input });
    return [version, { resource, create, ...checks, fields }] as const;
  });
  return {
    definition,
    versions: Object.fromEntries(made) as unknown as CustomResource<V>['versions'],
    toYaml: () => encodeYaml(definition as unknown as Json),
  };
}

function storedVersion({ versions }: CustomResourceOptions<Readonly<Record<string, VersionOptions<Body>>>>): string {
  const names = Object.keys(versions);
  const marked = names.filter((name) => versions[name]?.storage === true);
  const [stored = names[0], ...others] = marked;
  if (stored === undefined) throw new Error('a custom resource needs a version');
  if (others.length > 0) throw new Error(`only one version can be stored, not ${marked.join(' and ')}`);
  return stored;
}

function toVersion(name: string, version: VersionOptions<Body>, storage: boolean): CustomResourceDefinitionVersion {
  const { deprecated = false, columns, scale, selectableFields } = version;
  const subresources: CustomResourceSubresources = {
    ...('status' in version.fields ? { status: {} } : {}),
    ...(scale === undefined ? {} : { scale }),
  };
  return {
    name,
    served: version.served ?? true,
    storage,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: schemaOf(version) },
    ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
    ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
    ...(selectableFields === undefined ? {} : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

function schemaOf({ fields, description, rules }: VersionOptions<Body>): JSONSchemaProps {
  const taken = ['apiVersion', 'kind', 'metadata'].find((name) => name in fields);
  if (taken !== undefined) throw new Error(`every object has ${taken}: a custom resource cannot define it anew`);
  const required = Object.keys(fields).filter((name) => name !== 'status' && fields[name]?.presence === 'required');
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema])),
    },
    ...(required.length === 0 ? {} : { required }),
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': toRules(rules) }),
  };
}

/** As Kubernetes' generators guess it; say `plural` where English differs. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
