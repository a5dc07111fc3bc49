// DELETE of one object and of a collection (spec/apiserver.md §9.3, §9.4).

import { isApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { deleteObject, type DeleteOutcome } from '../registry/delete.ts';
import type { DeleteOptions } from '../registry/delete-options.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { ValidateDelete } from '../registry/write-context.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { decodeDeleteOptions } from './decode-delete-options.ts';
import { type EndpointRequest, writeContext } from './endpoint-request.ts';
import { predicateOf, respondList } from './list-endpoint.ts';
import { listObjects } from './list-objects.ts';
import { decodeListOptions } from './list-options.ts';
import { negotiateOutput, respondObject, respondValue } from './output.ts';

/** How a kind is deleted; some (namespaces, jobs) have a way of their own. */
export type DeleteKind = (
  resource: StoredResource,
  request: {
    namespace: string;
    name: string;
    options: DeleteOptions;
    context: ReturnType<typeof writeContext>;
    validate: ValidateDelete;
  },
) => Promise<DeleteOutcome>;

export async function handleDelete(
  request: EndpointRequest,
  resource: StoredResource,
  deleteKind: DeleteKind = deleteObject,
): Promise<ApiResponse> {
  const { context, namespace, name } = request;
  const output = negotiateOutput(request);
  const options = await decodeDeleteOptions(context);
  const outcome = await deleteKind(resource, {
    namespace,
    name,
    options,
    context: writeContext(request, options.dryRun !== undefined),
    validate: deleteAdmission(request, options, name),
  });
  const status = !outcome.deleted && options.orphanDependents === false ? 202 : 200;
  if (!outcome.finalized || resource.returnsDeletedObject)
    return respondObject(request, status, outcome.version, output);
  return respondValue(context, status, deletedStatus(request, outcome), output);
}

/** Mutating and validating plugins both look at what is about to go. The name is the request's: collections have none. */
function deleteAdmission(request: EndpointRequest, options: DeleteOptions, name: string): ValidateDelete {
  const { services, entry } = request;
  const { admission } = services;
  return async (object) => {
    if (!admission.mutates('DELETE') && !admission.validates('DELETE')) return;
    const attributes = admissionAttributes(request, {
      operation: 'DELETE',
      oldObject: entry.version.fromStorage(object),
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options },
      dryRun: options.dryRun !== undefined,
      name,
    });
    await admission.admit(attributes);
    await admission.validate(attributes);
  };
}

export function deletedStatus(request: EndpointRequest, outcome: DeleteOutcome): KubeObject {
  const { info } = request.entry;
  const uid = outcome.version.stored.metadata?.uid ?? '';
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: outcome.version.name,
      ...(info.group === '' ? {} : { group: info.group }),
      kind: info.resource,
      ...(uid === '' ? {} : { uid }),
    },
  } as KubeObject;
}

/** Deletes what the selectors match, one by one; the first failure ends it. The answer is the list as it was read. */
export async function handleDeleteCollection(
  request: EndpointRequest,
  resource: StoredResource,
  deleteKind: DeleteKind = deleteObject,
): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request);
  const listOptions = decodeListOptions(context.query, false);
  const predicate = predicateOf(request, listOptions.labelSelector, listOptions.fieldSelector);
  const options = await decodeDeleteOptions(context);
  const listed = await listObjects(resource, listOptions, predicate, context.signal);
  for (const version of listed.items) {
    try {
      await deleteKind(resource, {
        namespace: version.namespace,
        name: version.name,
        options,
        context: writeContext(request, options.dryRun !== undefined),
        validate: deleteAdmission(request, options, ''),
      });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  return respondList(request, listed, output);
}
