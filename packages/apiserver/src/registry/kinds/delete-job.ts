// Deletion of a Job: batch/v1 orphans its Pods unless the request says otherwise, and warns about it.

import { deleteObject, type DeleteOutcome, type DeleteRequest } from '../delete.ts';
import type { StoredResource } from '../stored-resource.ts';

const warning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
  'propagationPolicy=Orphan to suppress this warning';

export function deleteJob(resource: StoredResource, request: DeleteRequest): Promise<DeleteOutcome> {
  const { options, context } = request;
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined) context.warnings.add(warning);
  return deleteObject(resource, request);
}
