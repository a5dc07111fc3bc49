// The actions that make, change and delete one child. Changes hold the child's uid, deletions its uid and version: a recreated object of the
// name is never hit.

import type { Json, KubeObject } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import type { Action } from '../controller/plan.ts';
import { mergePatchOf, withDigest } from './desired-child.ts';

interface Why {
  readonly reason: string;
  readonly facts: Readonly<Record<string, Json>>;
}

interface How extends Why {
  readonly method: 'apply' | 'merge';
  /** The field manager. */
  readonly manager: string;
}

/** Makes a child. By apply it is created by the manager that changes it later, which so may take fields away again. */
export function createAction(resource: ResourceType, wish: KubeObject, { method, manager, ...why }: How): Action {
  const object = withDigest(wish, method);
  if (method === 'merge') return { verb: 'create', ...placeOf(resource, wish), object, ...why };
  // Not forced: if somebody has made an object of that name meanwhile, their fields conflict.
  return {
    verb: 'patch',
    patchType: 'apply',
    ...targetOf(resource, wish),
    patch: object,
    fieldManager: manager,
    ...why,
  };
}

/** Brings a child to what is desired. */
export function updateAction(
  resource: ResourceType,
  child: KubeObject,
  wish: KubeObject,
  { method, manager, ...why }: How,
): Action {
  const uid = child.metadata?.uid ?? '';
  const target = targetOf(resource, wish);
  if (method === 'merge') {
    const patch = mergePatchOf(child, wish);
    const metadata = { ...(patch['metadata'] as { readonly [key: string]: Json } | undefined), uid };
    return {
      verb: 'patch',
      patchType: 'merge',
      ...target,
      patch: { ...patch, metadata },
      fieldManager: manager,
      ...why,
    };
  }
  const object = withDigest(wish, method);
  const patch = { ...object, metadata: { ...object.metadata, uid } };
  return { verb: 'patch', patchType: 'apply', ...target, patch, fieldManager: manager, force: true, ...why };
}

export function deleteAction(resource: ResourceType, child: KubeObject, why: Why): Action {
  const { uid, resourceVersion } = child.metadata ?? {};
  return {
    verb: 'delete',
    ...targetOf(resource, child),
    propagationPolicy: 'Background',
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    tolerates: ['NotFound'],
    ...why,
  };
}

function targetOf(resource: ResourceType, object: KubeObject) {
  return { ...placeOf(resource, object), name: object.metadata?.name ?? '' };
}

function placeOf(resource: ResourceType, object: KubeObject) {
  const namespace = object.metadata?.namespace;
  return { resource, ...(namespace === undefined || namespace === '' ? {} : { namespace }) };
}
