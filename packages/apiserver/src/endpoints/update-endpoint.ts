// PUT, to the main resource or to a subresource that takes the kind itself (spec/apiserver.md §4.5).

import type { UpdateStrategy } from '@homeostat/api';
import type { ApiResponse } from '@homeostat/client';
import { cloneJson, type KubeObject, type Mutable, newBadRequest, managerOrUserAgent } from '@homeostat/machinery';
import type { UpdateOutcome } from '../registry/guaranteed-update.ts';
import { updateObject } from '../registry/update.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import { newAuthorizationForbidden } from '../authorization/forbidden.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { checkNamespace } from './create-endpoint.ts';
import { type EndpointRequest, writeContext } from './endpoint-request.ts';
import { negotiateOutput, respondObject } from './output.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import { ownershipRequest, trackOwnership } from './ownership.ts';
import { decodeWriteOptions, type WriteOptions } from './write-options.ts';

export async function handleUpdate(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context, entry } = request;
  const output = negotiateOutput(request);
  const options = decodeWriteOptions(context.query, 'UpdateOptions');
  const body = await entry.version.readBody(context.request.body, {
    contentType: context.request.headers['content-type'] ?? '',
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
  });
  checkName(request, body);
  checkNamespace(request, body);
  dedupOwnerReferences(body, false, context.warnings);
  const manager = managerOrUserAgent(options.fieldManager, context.request.headers['user-agent'] ?? '');
  const strategy = updateStrategyOf(request);
  const owner = ownershipRequest(request, manager, strategy);
  const uid = body.metadata?.uid ?? '';
  const outcome = await updateWith(request, resource, options, {
    ...(uid === '' ? {} : { uid }),
    wanted: (existing) => {
      // Each attempt starts from the body again.
      const draft = cloneJson(body);
      trackOwnership(owner, existing === undefined ? undefined : entry.version.object(existing), draft);
      return draft;
    },
  });
  return respondObject(request, outcome.created ? 201 : 200, outcome.version, output);
}

/** The rules of the endpoint: the kind's, or its subresource's. */
export function updateStrategyOf(request: EndpointRequest): UpdateStrategy {
  const { entry, subresource } = request;
  if (subresource === undefined) return entry.strategy as UpdateStrategy;
  return (entry.strategy.subresources?.[subresource.name] as UpdateStrategy | undefined) ?? {};
}

export interface UpdateSource {
  /** Precondition from the body. */
  readonly uid?: string;
  readonly forceAllowCreate?: boolean;
  /** What admission sees as options; default UpdateOptions. */
  readonly optionsObject?: Readonly<Record<string, unknown>>;
  /** The wanted object in the endpoint's version, owned by its manager: a private draft. */
  wanted(existing: ObjectVersion | undefined): Promise<Mutable<KubeObject>> | Mutable<KubeObject>;
}

/** What PUT and patches share: admission around the registry's update. */
export async function updateWith(
  request: EndpointRequest,
  resource: StoredResource,
  options: WriteOptions,
  source: UpdateSource,
): Promise<UpdateOutcome> {
  const { context, entry, services, namespace, name, subresource } = request;
  const { admission } = services;
  const shared = { options: options.object, dryRun: options.dryRun } as const;
  return updateObject(resource, {
    namespace,
    name,
    context: writeContext(request, options.dryRun),
    strategy: updateStrategyOf(request),
    subresource: subresource?.name ?? '',
    ...(source.uid === undefined ? {} : { preconditions: { uid: source.uid } }),
    ...(source.forceAllowCreate === undefined ? {} : { forceAllowCreate: source.forceAllowCreate }),
    wanted: async (existing) => {
      const draft = await source.wanted(existing);
      const operation = existing === undefined ? 'CREATE' : 'UPDATE';
      if (existing === undefined) await authorizeCreate(request);
      if (admission.mutates(operation)) {
        const oldObject = existing === undefined ? undefined : entry.version.object(existing);
        await admission.admit(admissionAttributes(request, { ...shared, operation, object: draft, oldObject }));
        checkNamespace(request, draft);
        dedupOwnerReferences(draft, true, context.warnings);
      }
      return entry.version.toStorage(draft);
    },
    validateCreate: async (object) => {
      if (!admission.validates('CREATE')) return;
      const seen = entry.version.fromStorage(object) as Mutable<KubeObject>;
      await admission.validate(admissionAttributes(request, { ...shared, operation: 'CREATE', object: seen }));
    },
    validateUpdate: async (object, old) => {
      if (!admission.validates('UPDATE')) return;
      const seen = entry.version.fromStorage(object) as Mutable<KubeObject>;
      const oldObject = entry.version.fromStorage(old);
      await admission.validate(
        admissionAttributes(request, { ...shared, operation: 'UPDATE', object: seen, oldObject }),
      );
    },
  });
}

/** An update that creates needs the right to create as well. @throws ApiError 403 */
async function authorizeCreate(request: EndpointRequest): Promise<void> {
  const { context, services, entry, namespace, name } = request;
  const { info } = entry;
  const attributes = {
    user: context.user,
    verb: 'create',
    isResourceRequest: true,
    path: context.info.path,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: request.subresource?.name ?? '',
    namespace,
    name,
  };
  const result = await services.authorizer.authorize(attributes, context.signal);
  if (result.decision === 'allow') return;
  throw newAuthorizationForbidden(attributes, result.reason);
}

/** @throws ApiError 400 */
export function checkName(request: EndpointRequest, body: KubeObject): void {
  const name = body.metadata?.name ?? '';
  if (name === request.name) return;
  if (name === '') {
    throw newBadRequest(
      `the name of the object (${request.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  throw newBadRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
}
