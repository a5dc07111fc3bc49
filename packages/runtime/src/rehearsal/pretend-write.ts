// What a write would leave behind: the object as it would be, gone, or an error as the server would answer it. Pure. Defaults, admission and
// validation are the server's: a rehearsal with `dryRun: 'server'` asks it.

import {
  deepEqual,
  type Json,
  type KubeObject,
  newAlreadyExists,
  newConflict,
  newNotFound,
  type ObjectMeta,
  optimisticLockText,
} from '@homeostat/machinery';
import { type ResourceType, splitKey, toKey, type ObjectKey } from '@homeostat/client';
import type { PretendedWorld } from './pretended-world.ts';

/** The object, or nothing when it is gone. */
export type Left = KubeObject | undefined;

export interface Target {
  readonly resource: ResourceType;
  readonly key: ObjectKey;
  readonly world: PretendedWorld;
  readonly nowMs: number;
}

export function pretendCreate(target: Target, before: Left, object: KubeObject): KubeObject {
  const { resource, key, world, nowMs } = target;
  const { namespace, name } = splitKey(key);
  if (before !== undefined) throw newAlreadyExists(resource, name);
  return {
    ...object,
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: {
      ...object.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `pretended-${world.nextObject()}`,
      resourceVersion: world.nextVersion(),
      generation: 1,
      creationTimestamp: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    },
  };
}

/** The key of an object that is to be created: its name may have to be generated. */
export function keyOfNew(object: KubeObject, namespace: string | undefined, world: PretendedWorld): ObjectKey {
  const { name, generateName = '' } = object.metadata ?? {};
  return toKey(namespace ?? object.metadata?.namespace, name ?? `${generateName}pretended${world.nextObject()}`);
}

/** Replaces the object, or its status, by what `change` makes of it. */
export function pretendChange(
  target: Target,
  before: Left,
  options: {
    readonly change: (before: KubeObject) => KubeObject;
    readonly subresource?: string | undefined;
    /** What the write says of the object it is for. */
    readonly claims: Pick<ObjectMeta, 'uid' | 'resourceVersion'>;
  },
): Left {
  const { resource, key, world } = target;
  const { name } = splitKey(key);
  if (before === undefined) throw newNotFound(resource, name);
  assertClaims(target, before, options.claims);
  const wanted = options.change(before);
  const after =
    options.subresource === 'status'
      ? { ...before, ...statusOf(wanted) }
      : { ...wanted, metadata: merged(before, wanted) };
  if (saysTheSame(before, after)) return before;
  const { deletionTimestamp, finalizers = [], generation = 1 } = after.metadata ?? {};
  if (deletionTimestamp !== undefined && finalizers.length === 0) return undefined;
  const grows = options.subresource === undefined && !saysTheSame(withoutStatus(before), withoutStatus(after));
  return {
    ...after,
    metadata: {
      ...after.metadata,
      resourceVersion: world.nextVersion(),
      generation: grows ? generation + 1 : generation,
    },
  };
}

export function pretendDelete(
  target: Target,
  before: Left,
  options: {
    readonly claims?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
    readonly propagationPolicy?: string | undefined;
    readonly gracePeriodSeconds?: number | undefined;
  },
): Left {
  const { resource, key, world, nowMs } = target;
  const { name } = splitKey(key);
  if (before === undefined) throw newNotFound(resource, name);
  assertClaims(target, before, options.claims ?? {});
  const { metadata } = before;
  const finalizers = [
    ...(metadata?.finalizers ?? []),
    ...(options.propagationPolicy === 'Foreground' ? ['foregroundDeletion'] : []),
  ];
  const stops =
    resource.resource === 'pods' && resource.group === '' && options.gracePeriodSeconds !== 0 && isBound(before);
  if (finalizers.length === 0 && !stops) return undefined;
  if (metadata?.deletionTimestamp !== undefined) return before;
  const deletionTimestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    ...before,
    metadata: {
      ...metadata,
      ...(finalizers.length === 0 ? {} : { finalizers: [...new Set(finalizers)] }),
      deletionTimestamp,
      resourceVersion: world.nextVersion(),
    },
  };
}

/** Sets `spec.replicas` as a Scale asks for. */
export function scaled(object: KubeObject, replicas: unknown): KubeObject {
  const { spec } = object as { readonly spec?: object };
  return { ...object, spec: { ...spec, replicas } } as KubeObject;
}

/** Equal but for what the server writes by itself. */
export function saysTheSame(a: KubeObject, b: KubeObject): boolean {
  return deepEqual(essence(a), essence(b));
}

/** An object without what every write changes. */
export function essence(object: KubeObject): Json {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _version, managedFields: _managed, generation: _generation, ...kept } = metadata ?? {};
  return { ...rest, metadata: kept } as unknown as Json;
}

function assertClaims(
  { resource, key }: Target,
  before: KubeObject,
  claims: Pick<ObjectMeta, 'uid' | 'resourceVersion'>,
): void {
  const { uid, resourceVersion } = before.metadata ?? {};
  const { name } = splitKey(key);
  if ((claims.uid ?? uid) !== uid)
    throw newConflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${claims.uid ?? ''}, UID in object meta: ${uid ?? ''}`,
    );
  const wanted = claims.resourceVersion === '' ? undefined : claims.resourceVersion;
  if ((wanted ?? resourceVersion) !== resourceVersion) throw newConflict(resource, name, optimisticLockText);
}

/** What only the server sets stays. */
function merged(before: KubeObject, wanted: KubeObject): ObjectMeta {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, generation, resourceVersion } =
    before.metadata ?? {};
  const kept = { name, namespace, uid, creationTimestamp, deletionTimestamp, generation, resourceVersion };
  const given = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { ...wanted.metadata, ...given };
}

function statusOf(object: KubeObject): { readonly status?: unknown } {
  const { status } = object as { readonly status?: unknown };
  return { status };
}

function withoutStatus(object: KubeObject): KubeObject {
  const { status: _status, metadata: _metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  return rest as KubeObject;
}

function isBound(object: KubeObject): boolean {
  const { spec } = object as { readonly spec?: { readonly nodeName?: string } };
  return spec?.nodeName !== undefined && spec.nodeName !== '';
}
