// Create: system metadata, name, strategy, validation, admission, and one compare-and-put (spec/apiserver.md §4.1).

import { nameIsPathSegment, validateObjectMeta } from '@homeostat/api';
import { ApiError } from '@homeostat/base';
import {
  cloneJson,
  FieldPath,
  formatTime,
  kindOf,
  type KubeObject,
  type Mutable,
  newAlreadyExists,
  newInternalError,
  newInvalid,
  newUnknown,
  type ObjectMeta,
} from '@homeostat/machinery';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { generateName, generateNameAttempts } from './generate-name.ts';
import type { StoredResource } from './stored-resource.ts';
import { commit } from './term-guard.ts';
import { strategyContext, type ValidateCreate, type WriteContext } from './write-context.ts';

export interface CreateRequest {
  /** In the storage version; private to this call. */
  readonly draft: Mutable<KubeObject>;
  readonly context: WriteContext;
  readonly validate: ValidateCreate;
}

/** Stores a new object and returns its first version. @throws ApiError */
export async function createObject(resource: StoredResource, request: CreateRequest): Promise<ObjectVersion> {
  const meta = metadataOf(request.draft);
  if ((meta.name ?? '') !== '' || (meta.generateName ?? '') === '') return createOnce(resource, request, false);
  for (let attempt = 1; ; attempt++) {
    try {
      // Each attempt starts from what was sent: strategies and plugins derive things from the name.
      return await createOnce(resource, { ...request, draft: cloneJson(request.draft) }, true);
    } catch (error) {
      if (attempt >= generateNameAttempts || !(error instanceof ApiError) || error.reason !== 'AlreadyExists')
        throw error;
    }
  }
}

async function createOnce(
  resource: StoredResource,
  request: CreateRequest,
  generated: boolean,
): Promise<ObjectVersion> {
  const { draft, context } = request;
  fillSystemFields(resource, draft);
  const finish = await prepareCreate(resource, draft, request, generated);
  let stored = false;
  try {
    const version = await putNew(resource, draft, context, generated);
    stored = true;
    return version;
  } finally {
    await finish?.(stored);
  }
}

/** Sets what only the server may set: creation time and uid. */
export function fillSystemFields(resource: StoredResource, draft: Mutable<KubeObject>): void {
  const meta = metadataOf(draft);
  meta.creationTimestamp = formatTime(resource.env.clock.nowMs());
  meta.uid = resource.env.random.uuid();
}

/** Everything between the system fields and the store; also the create half of an update that creates. */
export async function prepareCreate(
  resource: StoredResource,
  draft: Mutable<KubeObject>,
  request: { readonly context: WriteContext; readonly validate: ValidateCreate },
  generated: boolean,
): Promise<((stored: boolean) => Promise<void> | void) | undefined> {
  const { strategy, info, env, hooks } = resource;
  const { context } = request;
  const meta = metadataOf(draft);
  if (generated) meta.name = generateName(meta.generateName ?? '', env.random);
  const hookContext = { dryRun: context.dryRun, signal: context.signal };
  const finish = await hooks.beginCreate?.(draft, hookContext);
  let ok = false;
  try {
    if (meta.creationTimestamp === undefined || meta.uid === undefined)
      throw newInternalError('system metadata was not initialized');
    if (!info.namespaced) delete meta.namespace;
    if (strategy.tracksGeneration === true) meta.generation = 1;
    const needsCel = strategy.needsCel?.(draft as never) ?? false;
    const strategyView = await strategyContext(context, env.clock.nowMs(), needsCel);
    strategy.prepareForCreate?.(draft as never, strategyView);
    const errors = strategy.validateCreate?.(draft as never, strategyView) ?? [];
    if (errors.length > 0) throw newInvalid(kindOf(info), meta.name ?? '', errors);
    const rules = { namespaced: info.namespaced, name: nameIsPathSegment };
    const metaErrors = validateObjectMeta(meta as ObjectMeta, rules, new FieldPath('metadata'));
    if (metaErrors.length > 0) throw newInvalid(kindOf(info), meta.name ?? '', metaErrors);
    for (const warning of strategy.warningsOnCreate?.(draft as never) ?? []) context.warnings.add(warning);
    strategy.canonicalize?.(draft as never);
    await request.validate(draft as KubeObject);
    ok = true;
    return finish;
  } finally {
    if (!ok) await finish?.(false);
  }
}

async function putNew(
  resource: StoredResource,
  draft: Mutable<KubeObject>,
  { dryRun, term }: WriteContext,
  generated: boolean,
): Promise<ObjectVersion> {
  const meta = metadataOf(draft);
  const name = meta.name ?? '';
  const key = resource.key(meta.namespace ?? '', name);
  if (dryRun) {
    const existing = await resource.current(meta.namespace ?? '', name);
    if (existing !== undefined) throw alreadyExists(resource, name, existing, generated);
    return resource.unsaved(key, 0, resource.toStored(draft).object);
  }
  if (parsesToPositive(meta.resourceVersion))
    throw newUnknown('resourceVersion should not be set on objects to be created');
  const holder = resource.toStored(draft);
  const ttl = resource.ttlSeconds === 0 ? {} : { ttlSeconds: resource.ttlSeconds };
  const result = await commit(resource.store, term, {
    compare: [{ key, modRevision: 0 }],
    operations: [{ type: 'put', key, value: holder, ...ttl }],
  });
  if (!result.succeeded) {
    const current = result.current[0];
    throw alreadyExists(resource, name, current === undefined ? undefined : resource.version(current), generated);
  }
  return resource.written(key, result.revision, holder);
}

/** A resourceVersion that is no number counts as none, as upstream's parse failure does. */
function parsesToPositive(resourceVersion: string | undefined): boolean {
  return resourceVersion !== undefined && /^\d+$/.test(resourceVersion) && BigInt(resourceVersion) > 0n;
}

export function alreadyExists(
  resource: StoredResource,
  name: string,
  existing: ObjectVersion | undefined,
  generated: boolean,
): ApiError {
  const error = newAlreadyExists(resource.groupResource, name);
  if (generated) {
    return new ApiError({
      code: 409,
      reason: 'AlreadyExists',
      message: `${error.message}, the server was not able to generate a unique name for the object`,
      details: { ...error.details, retryAfterSeconds: 1 },
    });
  }
  if (existing?.stored.metadata?.deletionTimestamp === undefined) return error;
  return new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `object is being deleted: ${error.message}`,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

export function metadataOf(draft: Mutable<KubeObject>): Mutable<ObjectMeta> {
  draft.metadata ??= {};
  return draft.metadata;
}
