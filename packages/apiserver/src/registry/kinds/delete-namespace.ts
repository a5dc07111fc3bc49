// Deletion of a Namespace (spec/apiserver.md §9.5): the first request only marks it; the key goes when nothing is left in
// `spec.finalizers`, which somebody else empties.

import { formatTime, type KubeObject, type Mutable, newConflict, newNotFound } from '@homeostat/machinery';
import { deleteObject, type DeleteOutcome, type DeleteRequest } from '../delete.ts';
import type { DeleteOptions } from '../delete-options.ts';
import { guaranteedUpdate } from '../guaranteed-update.ts';
import type { StoredResource } from '../stored-resource.ts';

interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

export async function deleteNamespace(resource: StoredResource, request: DeleteRequest): Promise<DeleteOutcome> {
  const { name, context, options } = request;
  const existing = await resource.current('', name);
  if (existing === undefined) throw newNotFound(resource.groupResource, name);
  const namespace = existing.object as Namespace;
  checkPreconditions(resource, namespace, options);
  if (namespace.metadata?.deletionTimestamp !== undefined) {
    // Still waiting for its contents to go.
    if ((namespace.spec?.finalizers ?? []).length > 0) return { version: existing, deleted: false, finalized: true };
    return deleteObject(resource, request);
  }
  const { version } = await guaranteedUpdate(resource, {
    namespace: '',
    name,
    dryRun: context.dryRun,
    signal: context.signal,
    term: context.term,
    preconditions: { uid: namespace.metadata?.uid, resourceVersion: options.preconditions?.resourceVersion },
    transform: async (current) => {
      if (current === undefined) throw newNotFound(resource.groupResource, name);
      await request.validate(current.object);
      return { type: 'put', draft: terminating(current.object as Namespace, options, resource.env.clock.nowMs()) };
    },
  });
  return { version, deleted: false, finalized: false };
}

function terminating(namespace: Namespace, options: DeleteOptions, nowMs: number): Mutable<KubeObject> {
  const finalizers = new Set(namespace.metadata?.finalizers ?? []);
  setFinalizer(
    finalizers,
    'orphan',
    options.propagationPolicy === undefined ? options.orphanDependents : options.propagationPolicy === 'Orphan',
  );
  setFinalizer(
    finalizers,
    'foregroundDeletion',
    options.propagationPolicy === undefined
      ? options.orphanDependents === undefined
        ? undefined
        : false
      : options.propagationPolicy === 'Foreground',
  );
  return {
    ...namespace,
    metadata: {
      ...namespace.metadata,
      deletionTimestamp: namespace.metadata?.deletionTimestamp ?? formatTime(nowMs),
      finalizers: [...finalizers],
    },
    status: { ...namespace.status, phase: 'Terminating' },
  } as Mutable<KubeObject>;
}

/** Undefined: as it is. */
function setFinalizer(finalizers: Set<string>, name: string, wanted: boolean | undefined): void {
  if (wanted === true) finalizers.add(name);
  else if (wanted === false) finalizers.delete(name);
}

/** Namespaces word a failed precondition in their own way. */
function checkPreconditions(resource: StoredResource, namespace: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const meta = namespace.metadata ?? {};
  const refuse = (text: string): Error =>
    newConflict(resource.groupResource, meta.name ?? '', `Precondition failed: ${text}`);
  if (uid !== undefined && uid !== meta.uid)
    throw refuse(`UID in precondition: ${uid}, UID in object meta: ${meta.uid ?? ''}`);
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    throw refuse(
      `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${meta.resourceVersion ?? ''}`,
    );
  }
}
