// DeleteOptions as the pipelines use them, their validation, and what they mean for garbage collection
// (spec/apiserver.md §9.1 step 4).

import { FieldPath, type FieldError, type KubeObject, invalid, newInvalid, notSupported } from '@homeostat/machinery';
import type { StoredResource } from './stored-resource.ts';

export interface DeleteOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/** @throws ApiError 422 of kind DeleteOptions */
export function validateDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = [];
  const path = new FieldPath();
  if (options.orphanDependents !== undefined && options.propagationPolicy !== undefined) {
    errors.push(
      invalid(
        path.child('propagationPolicy'),
        options.propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  const policy = options.propagationPolicy;
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    errors.push(notSupported(path.child('propagationPolicy'), policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  for (const value of options.dryRun ?? []) {
    if (value !== 'All') errors.push(notSupported(path.child('dryRun'), options.dryRun, ['All']));
  }
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

/** The finalizers a deletion leaves on an object; undefined when they stay as they are. */
export function deletionFinalizers(
  resource: StoredResource,
  object: KubeObject,
  options: DeleteOptions,
): readonly string[] | undefined {
  const present = object.metadata?.finalizers ?? [];
  const wanted = present.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  if (resource.strategy.defaultPropagation !== 'unsupported') {
    if (shouldOrphan(resource, present, options)) wanted.push(orphan);
    if (shouldForeground(present, options)) wanted.push(foreground);
  }
  const before = new Set(present);
  const after = new Set(wanted);
  return before.size === after.size && wanted.every((finalizer) => before.has(finalizer)) ? undefined : wanted;
}

function shouldOrphan(resource: StoredResource, present: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan';
  for (const finalizer of present) {
    if (finalizer === orphan) return true;
    if (finalizer === foreground) return false;
  }
  return resource.strategy.defaultPropagation === 'orphan';
}

function shouldForeground(present: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return false;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground';
  for (const finalizer of present) {
    if (finalizer === foreground) return true;
    if (finalizer === orphan) return false;
  }
  return false;
}
