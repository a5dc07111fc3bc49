// POST of a stored kind: decode, clean, own, admit, store (spec/apiserver.md §4.1).

import type { ApiResponse } from '@homeostat/client';
import { type KubeObject, type Mutable, newBadRequest, managerOrUserAgent } from '@homeostat/machinery';
import { createObject } from '../registry/create.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { type EndpointRequest, writeContext } from './endpoint-request.ts';
import { respondObject, negotiateOutput } from './output.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import { ownershipRequest, trackOwnership } from './ownership.ts';
import { decodeWriteOptions, type WriteOptions } from './write-options.ts';

export async function handleCreate(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context, entry } = request;
  const output = negotiateOutput(request);
  const options = decodeWriteOptions(context.query, 'CreateOptions');
  const draft = await entry.version.readBody(context.request.body, {
    contentType: context.request.headers['content-type'] ?? '',
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
  });
  const version = await createFrom(request, resource, draft, options);
  return respondObject(request, 201, version, output);
}

/** The create pipeline from a decoded, defaulted draft on; also for objects the server makes itself. */
export async function createFrom(
  request: EndpointRequest,
  resource: StoredResource,
  draft: Mutable<KubeObject>,
  options: WriteOptions,
): Promise<ObjectVersion> {
  const { context, entry } = request;
  wipeSystemFields(draft);
  checkNamespace(request, draft);
  dedupOwnerReferences(draft, false, context.warnings);
  const manager = managerOrUserAgent(options.fieldManager, context.request.headers['user-agent'] ?? '');
  // What the body claims about ownership does not count at create.
  if (draft.metadata !== undefined) delete draft.metadata.managedFields;
  trackOwnership(ownershipRequest(request, manager, entry.strategy), undefined, draft);
  return storeNew(request, resource, draft, options);
}

/** Mutating admission, conversion, and the registry. The draft has its managedFields. */
export async function storeNew(
  request: EndpointRequest,
  resource: StoredResource,
  draft: Mutable<KubeObject>,
  options: WriteOptions,
): Promise<ObjectVersion> {
  const { context, entry, services } = request;
  const { admission } = services;
  const name = draft.metadata?.name ?? '';
  const common = { operation: 'CREATE', options: options.object, dryRun: options.dryRun, name } as const;
  if (admission.mutates('CREATE')) {
    await admission.admit(admissionAttributes(request, { ...common, object: draft }));
    // A plugin may not move the object to where its sender need not be allowed to write.
    checkNamespace(request, draft);
    dedupOwnerReferences(draft, true, context.warnings);
  }
  return createObject(resource, {
    draft: entry.version.toStorage(draft),
    context: writeContext(request, options.dryRun),
    validate: async (object) => {
      if (!admission.validates('CREATE')) return;
      const seen = entry.version.fromStorage(object) as Mutable<KubeObject>;
      await admission.validate(
        admissionAttributes(request, { ...common, name: object.metadata?.name ?? '', object: seen }),
      );
    },
  });
}

function wipeSystemFields(draft: Mutable<KubeObject>): void {
  const meta = draft.metadata;
  if (meta === undefined) return;
  delete meta.creationTimestamp;
  delete meta.uid;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

/** The body's namespace must be the path's; an empty one is filled in. @throws ApiError 400 */
export function checkNamespace(request: EndpointRequest, draft: Mutable<KubeObject>): void {
  const { namespace, entry } = request;
  const meta = (draft.metadata ??= {});
  if (!entry.info.namespaced) {
    delete meta.namespace;
    return;
  }
  if ((meta.namespace ?? '') === '') meta.namespace = namespace;
  else if (meta.namespace !== namespace) {
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
