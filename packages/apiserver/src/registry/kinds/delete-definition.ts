// Deletion of a CustomResourceDefinition (spec/apiserver.md §14.2): the first request marks it and keeps it by a finalizer until
// its instances are gone, which the server itself sees to.

import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import { formatTime, type KubeObject, type Mutable, newNotFound } from '@homeostat/machinery';
import { withCondition } from '../../crd/conditions.ts';
import { checkDeletePreconditions, deleteObject, type DeleteOutcome, type DeleteRequest } from '../delete.ts';
import { guaranteedUpdate } from '../guaranteed-update.ts';
import type { StoredResource } from '../stored-resource.ts';

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Keeps a deleted definition until its instances are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export async function deleteDefinition(resource: StoredResource, request: DeleteRequest): Promise<DeleteOutcome> {
  const { name, context } = request;
  const existing = await resource.current('', name);
  if (existing === undefined) throw newNotFound(resource.groupResource, name);
  if (existing.object.metadata?.deletionTimestamp !== undefined) return deleteObject(resource, request);
  checkDeletePreconditions(resource, existing.object, request.options);
  const { version } = await guaranteedUpdate(resource, {
    namespace: '',
    name,
    dryRun: context.dryRun,
    signal: context.signal,
    preconditions: request.options.preconditions,
    transform: async (current) => {
      if (current === undefined) throw newNotFound(resource.groupResource, name);
      await request.validate(current.object);
      return { type: 'put', draft: terminating(current.object as CustomResourceDefinition, resource) };
    },
  });
  return { version, deleted: false, finalized: false };
}

function terminating(definition: CustomResourceDefinition, { env }: StoredResource): Mutable<KubeObject> {
  const now = formatTime(env.clock.nowMs());
  const finalizers = definition.metadata?.finalizers ?? [];
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return {
    ...definition,
    metadata: {
      ...definition.metadata,
      deletionTimestamp: definition.metadata?.deletionTimestamp ?? now,
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
    status: { ...definition.status, conditions: withCondition(definition.status?.conditions ?? [], condition, now) },
  } as unknown as Mutable<KubeObject>;
}
