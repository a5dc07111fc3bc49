// The scale subresource (spec/apiserver.md §12.3): a Scale is a view of its parent, and writing it writes the parent's
// replicas through the parent's own rules.

import { schemaOf, tableFor, type UpdateStrategy } from '@homeostat/api';
import type { ApiResponse } from '@homeostat/client';
import {
  canonicalize,
  FieldPath,
  invalid,
  type KubeObject,
  type LabelSelectorSpec,
  labelSelectorAsSelector,
  type ManagedFieldsEntry,
  managerOrUserAgent,
  type Mutable,
  newBadRequest,
  newInvalid,
  newNotFound,
  type OwnershipRequest,
  type ReplicasPaths,
  selectorFromSet,
  type StructSchema,
  toParentManagedFields,
  toScaleManagedFields,
} from '@homeostat/machinery';
import type { UpdateOutcome } from '../registry/guaranteed-update.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import { updateObject } from '../registry/update.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { applyMechanism } from './apply-mechanism.ts';
import { checkNamespace } from './create-endpoint.ts';
import { decodeBody } from './decode-body.ts';
import { type EndpointRequest, writeContext } from './endpoint-request.ts';
import { waitForCurrent } from './list-objects.ts';
import { negotiateOutput, type Output, respondShown } from './output.ts';
import { ownershipRequest, trackOwnership } from './ownership.ts';
import { patchBytes, typeOf } from './patch-endpoint.ts';
import { patchMechanism } from './patch-mechanism.ts';
import { patchTypes } from './patch-types.ts';
import { checkName } from './update-endpoint.ts';
import { decodeWriteOptions, type WriteOptions } from './write-options.ts';

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

interface Parent extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
  readonly status?: { readonly replicas?: number };
}

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;
const scaleApiVersion = 'autoscaling/v1';

export async function getScale(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const output = negotiateOutput(request);
  await waitForCurrent(resource, request.context.signal);
  const version = resource.cache.get(request.namespace, request.name);
  if (version === undefined) throw newNotFound(resource.groupResource, request.name);
  return respondScale(request, version, output);
}

export async function updateScale(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request);
  const options = decodeWriteOptions(context.query, 'UpdateOptions');
  const body = await decodeBody(context.request.body, {
    contentType: context.request.headers['content-type'] ?? '',
    expected: scaleKind,
    schema: scaleSchema(),
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
  });
  checkName(request, body);
  checkNamespace(request, body);
  const owner = scaleOwner(request, options);
  const uid = body.metadata?.uid ?? '';
  const outcome = await writeScale(request, resource, options, uid, (live) => {
    const draft = structuredClone(body);
    trackOwnership(owner, live, draft);
    return draft;
  });
  return respondScale(request, outcome.version, output);
}

export async function patchScale(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request);
  const type = typeOf(request);
  const bytes = await patchBytes(request);
  const options = decodeWriteOptions(context.query, 'PatchOptions', type === patchTypes.apply ? 'apply' : 'other');
  const target = {
    kind: scaleKind,
    schema: scaleSchema(),
    resource: resource.groupResource,
    name: request.name,
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
    owner: scaleOwner(request, options),
    applyDefaults: () => {},
  };
  const mechanism =
    type === patchTypes.apply
      ? await applyMechanism(bytes, options.force, target)
      : patchMechanism(bytes, type, target);
  const outcome = await writeScale(request, resource, options, '', (live) => {
    const draft = mechanism.apply(live);
    checkName(request, draft as KubeObject);
    return draft;
  });
  return respondScale(request, outcome.version, output);
}

function writeScale(
  request: EndpointRequest,
  resource: StoredResource,
  options: WriteOptions,
  uid: string,
  wanted: (live: KubeObject) => Mutable<KubeObject>,
): Promise<UpdateOutcome> {
  const { entry, services, name, namespace } = request;
  const { admission } = services;
  const shared = { operation: 'UPDATE', options: options.object, dryRun: options.dryRun, kind: scaleKind } as const;
  const paths = pathsOf(request);
  return updateObject(resource, {
    namespace,
    name,
    context: writeContext(request, options.dryRun),
    strategy: entry.strategy as UpdateStrategy,
    subresource: 'scale',
    ...(uid === '' ? {} : { preconditions: { uid } }),
    wanted: async (existing) => {
      if (existing === undefined) throw newNotFound(resource.groupResource, name);
      const parent = entry.version.object(existing) as Parent;
      const live = toScale(parent, paths);
      const draft = wanted(live);
      if (admission.mutates('UPDATE'))
        await admission.admit(admissionAttributes(request, { ...shared, object: draft, oldObject: live }));
      validateScale(draft as Scale, name);
      return entry.version.toStorage(toParent(request, parent, draft as Scale, paths));
    },
    validateCreate: () => {
      throw newBadRequest('a scale creates nothing');
    },
    validateUpdate: async (object, old) => {
      if (!admission.validates('UPDATE')) return;
      const seen = toScale(entry.version.fromStorage(object), paths) as Mutable<KubeObject>;
      await admission.validate(
        admissionAttributes(request, {
          ...shared,
          object: seen,
          oldObject: toScale(entry.version.fromStorage(old), paths),
        }),
      );
    },
  });
}

function validateScale(scale: Scale, name: string): void {
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas >= 0) return;
  const error = invalid(new FieldPath('spec.replicas'), replicas, 'must be greater than or equal to 0');
  throw newInvalid({ group: 'autoscaling', kind: 'Scale' }, name, [error]);
}

/** The view of a parent. */
export function toScale(parent: Parent, paths: ReplicasPaths): KubeObject {
  const meta = parent.metadata ?? {};
  const managedFields = toScaleManagedFields(meta.managedFields, paths);
  return canonicalize(
    {
      kind: 'Scale',
      apiVersion: scaleApiVersion,
      metadata: {
        name: meta.name,
        namespace: meta.namespace,
        uid: meta.uid,
        resourceVersion: meta.resourceVersion,
        creationTimestamp: meta.creationTimestamp,
        managedFields,
      },
      spec: { replicas: parent.spec?.replicas ?? 0 },
      status: { replicas: parent.status?.replicas ?? 0, selector: selectorText(parent.spec?.selector) },
    } as KubeObject,
    scaleSchema(),
  );
}

function toParent(request: EndpointRequest, parent: Parent, scale: Scale, paths: ReplicasPaths): Mutable<KubeObject> {
  const meta = { ...parent.metadata } as Mutable<NonNullable<KubeObject['metadata']>>;
  const entries = toParentManagedFields(parent.metadata?.managedFields, scale.metadata?.managedFields, {
    apiVersion: request.entry.version.apiVersion,
    paths,
  });
  if (entries === undefined) delete meta.managedFields;
  else meta.managedFields = entries as Mutable<ManagedFieldsEntry>[];
  const rv = scale.metadata?.resourceVersion;
  if (rv === undefined) delete meta.resourceVersion;
  else meta.resourceVersion = rv;
  return structuredClone({
    ...parent,
    metadata: meta,
    spec: { ...parent.spec, replicas: scale.spec?.replicas ?? 0 },
  }) as Mutable<KubeObject>;
}

function selectorText(selector: unknown): string {
  if (typeof selector !== 'object' || selector === null) return '';
  if ('matchLabels' in selector || 'matchExpressions' in selector)
    return String(labelSelectorAsSelector(selector as LabelSelectorSpec));
  return String(selectorFromSet(selector as Readonly<Record<string, string>>));
}

function respondScale(request: EndpointRequest, version: ObjectVersion, output: Output): ApiResponse {
  const scale = toScale(request.entry.version.object(version) as Parent, {});
  return respondShown(request, 200, scale, output, tableFor(scaleKind));
}

function scaleSchema(): StructSchema {
  const schema = schemaOf(scaleKind);
  if (schema === undefined) throw new Error('no schema for Scale');
  return schema;
}

function pathsOf(request: EndpointRequest): ReplicasPaths {
  return { [request.entry.version.apiVersion]: 'spec.replicas' };
}

function scaleOwner(request: EndpointRequest, options: WriteOptions): OwnershipRequest {
  const manager = managerOrUserAgent(options.fieldManager, request.context.request.headers['user-agent']);
  return {
    ...ownershipRequest(request, manager, {}),
    apiVersion: scaleApiVersion,
    schemaFor: (apiVersion) => (apiVersion === scaleApiVersion ? scaleSchema() : undefined),
    convert: (object) => object,
  };
}
