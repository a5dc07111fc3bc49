// A Scale as a view of its parent: what it shows, and what writing it writes. Built-in kinds keep their replicas at fixed places;
// custom resources say where (spec/apiserver.md §12.3).

import { schemaOf, tableFor, type TableStrategy } from '@homeostat/api';
import {
  canonicalize,
  FieldPath,
  type GroupVersionKind,
  invalid,
  type KubeObject,
  type LabelSelectorSpec,
  labelSelectorAsSelector,
  type ManagedFieldsEntry,
  type Mutable,
  newBadRequest,
  newInternalError,
  newInvalid,
  newUnknown,
  type ReplicasPaths,
  selectorFromSet,
  type StructSchema,
  toApiVersion,
  toParentManagedFields,
  toScaleManagedFields,
} from '@homeostat/machinery';
import type { CustomKind } from '../crd/custom-kind.ts';
import { type ScalePaths, valueAt, withValueAt } from '../crd/scale-paths.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import type { PatchMechanism } from './patch-endpoint.ts';

export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

interface Parent extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
  readonly status?: { readonly replicas?: number };
}

export const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;
export const scaleApiVersion = 'autoscaling/v1';

export interface ScaleView {
  /** What a write starts from: with the owners of the replicas. */
  live(parent: KubeObject): KubeObject;
  /** What an answer shows. @throws ApiError 500 for a parent that has no replicas */
  show(parent: KubeObject): KubeObject;
  /** The parent with the Scale's replicas and owners: a private draft. @throws ApiError 400, 422 */
  write(parent: KubeObject, scale: Scale): Mutable<KubeObject>;
}

export function scaleViewOf(request: EndpointRequest): ScaleView {
  const { custom, version } = request.entry;
  if (custom?.scale !== undefined) return new CustomScaleView(custom, custom.scale, version.apiVersion);
  return new TypedScaleView(version.apiVersion);
}

class TypedScaleView implements ScaleView {
  readonly #apiVersion: string;
  readonly #paths: ReplicasPaths;

  constructor(apiVersion: string) {
    this.#apiVersion = apiVersion;
    this.#paths = { [apiVersion]: 'spec.replicas' };
  }

  live(parent: KubeObject): KubeObject {
    return this.#scale(parent as Parent, this.#paths);
  }

  show(parent: KubeObject): KubeObject {
    return this.#scale(parent as Parent, {});
  }

  write(parent: KubeObject, scale: Scale): Mutable<KubeObject> {
    const replicas = scale.spec?.replicas ?? 0;
    if (replicas < 0) {
      const error = invalid(new FieldPath('spec.replicas'), replicas, 'must be greater than or equal to 0');
      throw newInvalid({ group: 'autoscaling', kind: 'Scale' }, parent.metadata?.name ?? '', [error]);
    }
    const metadata = parentMetadata(parent, scale, this.#apiVersion, this.#paths);
    const rv = scale.metadata?.resourceVersion;
    if (rv === undefined) delete metadata.resourceVersion;
    else metadata.resourceVersion = rv;
    const spec = { ...(parent as Parent).spec, replicas };
    return structuredClone({ ...parent, metadata, spec }) as Mutable<KubeObject>;
  }

  #scale(parent: Parent, paths: ReplicasPaths): KubeObject {
    return scaleOf(parent, paths, {
      replicas: parent.spec?.replicas ?? 0,
      ready: parent.status?.replicas ?? 0,
      selector: selectorText(parent.spec?.selector),
    });
  }
}

/** Stands for replicas that are not there, while a write runs: no client can mean it. */
const unset = -2147483648;

class CustomScaleView implements ScaleView {
  readonly #custom: CustomKind;
  readonly #at: ScalePaths;
  readonly #apiVersion: string;

  constructor(custom: CustomKind, at: ScalePaths, apiVersion: string) {
    this.#custom = custom;
    this.#at = at;
    this.#apiVersion = apiVersion;
  }

  live(parent: KubeObject): KubeObject {
    return this.#scale(parent, this.#custom.replicasPaths, this.#replicas(parent) ?? unset);
  }

  show(parent: KubeObject): KubeObject {
    const replicas = this.#replicas(parent);
    if (replicas === undefined) {
      throw newInternalError(new Error(`the spec replicas field ${JSON.stringify(this.#specPath)} does not exist`));
    }
    return this.#scale(parent, {}, replicas);
  }

  write(parent: KubeObject, scale: Scale): Mutable<KubeObject> {
    const replicas = scale.spec?.replicas ?? 0;
    if (replicas === unset) {
      throw newBadRequest(`the spec replicas field ${JSON.stringify(this.#specPath)} cannot be empty`);
    }
    const metadata = parentMetadata(parent, scale, this.#apiVersion, this.#custom.replicasPaths);
    const rv = scale.metadata?.resourceVersion ?? '';
    if (rv !== '') metadata.resourceVersion = rv;
    return { ...withValueAt(parent, this.#at.specReplicas, replicas), metadata } as Mutable<KubeObject>;
  }

  get #specPath(): string {
    return `.${this.#at.specReplicas.join('.')}`;
  }

  #replicas(parent: KubeObject): number | undefined {
    const value = valueAt(parent, this.#at.specReplicas);
    return typeof value === 'number' ? value : undefined;
  }

  #scale(parent: KubeObject, paths: ReplicasPaths, replicas: number): KubeObject {
    const ready = valueAt(parent, this.#at.statusReplicas);
    const { labelSelector } = this.#at;
    const selector = labelSelector === undefined ? undefined : valueAt(parent, labelSelector);
    return scaleOf(parent, paths, {
      replicas,
      ready: typeof ready === 'number' ? ready : 0,
      selector: typeof selector === 'string' ? selector : '',
    });
  }
}

function scaleOf(
  parent: KubeObject,
  paths: ReplicasPaths,
  values: { readonly replicas: number; readonly ready: number; readonly selector: string },
): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = parent.metadata ?? {};
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    managedFields: toScaleManagedFields(managedFields, paths),
  };
  const { replicas, ready, selector } = values;
  const scale = {
    kind: 'Scale',
    apiVersion: scaleApiVersion,
    metadata,
    spec: { replicas },
    status: { replicas: ready, selector },
  };
  return canonicalize(scale as unknown as KubeObject, scaleSchema());
}

function parentMetadata(
  parent: KubeObject,
  scale: Scale,
  apiVersion: string,
  paths: ReplicasPaths,
): Mutable<NonNullable<KubeObject['metadata']>> {
  const metadata = { ...parent.metadata } as Mutable<NonNullable<KubeObject['metadata']>>;
  const before = parent.metadata?.managedFields;
  const entries = toParentManagedFields(before, scale.metadata?.managedFields, { apiVersion, paths });
  if (entries === undefined) delete metadata.managedFields;
  else metadata.managedFields = entries as Mutable<ManagedFieldsEntry>[];
  return metadata;
}

function selectorText(selector: unknown): string {
  if (typeof selector !== 'object' || selector === null) return '';
  if ('matchLabels' in selector || 'matchExpressions' in selector)
    return String(labelSelectorAsSelector(selector as LabelSelectorSpec));
  return String(selectorFromSet(selector as Readonly<Record<string, string>>));
}

export function scaleSchema(): StructSchema {
  const schema = schemaOf(scaleKind);
  if (schema === undefined) throw new Error('no schema for Scale');
  return schema;
}

/** The same cells; upstream's two printers of Scale name their columns' types differently. */
export function customScaleTable(): TableStrategy {
  const table = tableFor(scaleKind);
  const columns = table.columns.map((column, index) => ({
    ...column,
    format: index === 0 ? 'name' : '',
    ...(column.name === 'Age' ? { type: 'date' as const } : {}),
  }));
  return { ...table, columns };
}

/** Upstream's handler of custom resources knows no kind here: it can only say so. */
export function refuseCustomScale(actual: GroupVersionKind): Error | undefined {
  if (actual.kind === scaleKind.kind && toApiVersion(actual) === scaleApiVersion) return undefined;
  const where = 'k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781';
  return newBadRequest(`no kind is registered for the type v1.Scale in scheme "${where}"`);
}

/**
 * Applying to a custom resource's Scale is something upstream offers and can't do: conflicts are told, then the conversion
 * fails. Clients rely on neither; the answers are the same here.
 */
export function customApply(mechanism: PatchMechanism, name: string): PatchMechanism {
  const why = `request to convert CR to an invalid group/version: ${scaleApiVersion}`;
  const gvk = `${scaleApiVersion}, Kind=${scaleKind.kind}`;
  return {
    creates: mechanism.creates,
    apply(live) {
      if ((live?.metadata?.managedFields ?? []).length === 0) {
        const text = `failed to convert live object (/; ${gvk}) to proper version`;
        throw newUnknown(`failed to create manager for existing fields: ${text}: ${why}`);
      }
      mechanism.apply(live);
      throw newUnknown(`failed to convert new object (/${name}; ${gvk}) to proper version: ${why}`);
    },
  };
}
