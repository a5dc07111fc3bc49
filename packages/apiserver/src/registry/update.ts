// Update: what PUT and every kind of patch do to an object, through the main endpoint or a subresource that takes the
// kind itself (spec/apiserver.md §4.5). The caller's transform brings the wanted object (patch, ownership, mutating
// admission); everything from the resourceVersion on is here.

import { nameIsPathSegment, type UpdateStrategy, validateObjectMeta, validateObjectMetaUpdate } from '@homeostat/api';
import {
  FieldPath,
  formatTime,
  invalid,
  kindOf,
  type KubeObject,
  type Mutable,
  newConflict,
  newInvalid,
  newNotFound,
  newUnknown,
  type ObjectMeta,
  optimisticLockText,
} from '@homeostat/machinery';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { fillSystemFields, metadataOf, prepareCreate } from './create.ts';
import { removeKey } from './delete-key.ts';
import { guaranteedUpdate, type Preconditions, type UpdateOutcome } from './guaranteed-update.ts';
import type { StoredResource } from './stored-resource.ts';
import { strategyContext, type ValidateCreate, type ValidateUpdate, type WriteContext } from './write-context.ts';

export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  readonly context: WriteContext;
  /** Rules of the endpoint: the kind's own, or those of its subresource. */
  readonly strategy: UpdateStrategy;
  /** Empty for the main endpoint. */
  readonly subresource: string;
  readonly preconditions?: Preconditions | undefined;
  /** Creates a missing object whatever the kind's rule says (server-side apply). */
  readonly forceAllowCreate?: boolean;
  /** The wanted object in the storage version, as a private draft, from the present one. */
  wanted(existing: ObjectVersion | undefined): Promise<Mutable<KubeObject>> | Mutable<KubeObject>;
  readonly validateCreate: ValidateCreate;
  readonly validateUpdate: ValidateUpdate;
}

class Emptied extends Error {
  readonly draft: Mutable<KubeObject>;
  readonly existing: ObjectVersion;

  constructor(draft: Mutable<KubeObject>, existing: ObjectVersion) {
    super('the last finalizer of a deleted object was removed');
    this.draft = draft;
    this.existing = existing;
  }
}

/** Changes (or, where allowed, creates) an object. @throws ApiError */
export async function updateObject(resource: StoredResource, request: UpdateRequest): Promise<UpdateOutcome> {
  const { context, namespace, name } = request;
  const allowCreate =
    request.forceAllowCreate === true || (request.subresource === '' && resource.strategy.allowCreateOnUpdate === true);
  let finish: ((stored: boolean) => Promise<void> | void) | undefined;
  const settle = async (stored: boolean): Promise<void> => {
    const call = finish;
    finish = undefined;
    await call?.(stored);
  };
  try {
    const outcome = await guaranteedUpdate(resource, {
      namespace,
      name,
      preconditions: request.preconditions,
      dryRun: context.dryRun,
      signal: context.signal,
      term: context.term,
      allowMissing: true,
      transform: async (existing) => {
        await settle(false);
        if (existing === undefined && !allowCreate) throw newNotFound(resource.groupResource, name);
        const draft = await request.wanted(existing);
        if (existing === undefined) {
          fillSystemFields(resource, draft);
          finish = await prepareCreate(resource, draft, { context, validate: request.validateCreate }, false);
        } else {
          finish = await prepareUpdate(resource, draft, existing, request);
        }
        return { type: 'put', draft };
      },
    });
    await settle(true);
    return outcome;
  } catch (error) {
    await settle(false);
    if (error instanceof Emptied) return vanish(resource, error, request);
    throw error;
  }
}

async function prepareUpdate(
  resource: StoredResource,
  draft: Mutable<KubeObject>,
  existing: ObjectVersion,
  request: UpdateRequest,
): Promise<((stored: boolean) => Promise<void> | void) | undefined> {
  const { context } = request;
  const old = resource.working(existing);
  checkResourceVersion(resource, draft, existing);
  const hookContext = { dryRun: context.dryRun, signal: context.signal };
  const finish = request.subresource === '' ? await resource.hooks.beginUpdate?.(draft, old, hookContext) : undefined;
  let ok = false;
  try {
    await validateWanted(resource, draft, old, request);
    ok = true;
  } finally {
    if (!ok) await finish?.(false);
  }
  if (vanishes(resource, draft, old.metadata ?? {})) {
    await finish?.(false);
    throw new Emptied(draft, existing);
  }
  return finish;
}

/** What the endpoint lets through, and whether the result is valid; admission has the last word. */
async function validateWanted(
  resource: StoredResource,
  draft: Mutable<KubeObject>,
  old: KubeObject,
  request: UpdateRequest,
): Promise<void> {
  const { context, strategy } = request;
  const needsCel = resource.strategy.needsCel?.(draft as never) ?? false;
  const strategyView = await strategyContext(context, resource.env.clock.nowMs(), needsCel);
  const meta = metadataOf(draft);
  const oldMeta = old.metadata ?? {};
  delete meta.selfLink;
  if (!resource.info.namespaced) delete meta.namespace;
  setOrDelete(meta, 'generation', oldMeta.generation);
  strategy.prepareForUpdate?.(draft as never, old as never, strategyView);
  keepSystemMetadata(meta, oldMeta, resource);
  const rules = { namespaced: resource.info.namespaced, name: nameIsPathSegment };
  const path = new FieldPath('metadata');
  const errors = [
    ...validateObjectMeta(meta as ObjectMeta, rules, path),
    ...validateObjectMetaUpdate(meta as ObjectMeta, oldMeta, path),
    ...(strategy.validateUpdate?.(draft as never, old as never, strategyView) ?? []),
  ];
  if (errors.length > 0) throw newInvalid(kindOf(resource.info), meta.name ?? '', errors);
  for (const warning of strategy.warningsOnUpdate?.(draft as never, old as never) ?? []) context.warnings.add(warning);
  resource.strategy.canonicalize?.(draft as never);
  await request.validateUpdate(draft as KubeObject, old);
}

/** Optimistic concurrency: the draft's resourceVersion must be the present one, or absent where the kind allows it. */
function checkResourceVersion(resource: StoredResource, draft: Mutable<KubeObject>, existing: ObjectVersion): void {
  const meta = metadataOf(draft);
  const wanted = meta.resourceVersion ?? '';
  if (wanted !== '' && !/^\d+$/.test(wanted)) {
    throw newUnknown(`strconv.ParseUint: parsing ${JSON.stringify(wanted)}: invalid syntax`);
  }
  const name = meta.name ?? existing.name;
  if (wanted === '' || BigInt(wanted) === 0n) {
    if (resource.strategy.allowUnconditionalUpdate !== false) {
      meta.resourceVersion = String(existing.revision);
      return;
    }
    // Upstream names the resource here, not the kind.
    const path = new FieldPath('metadata.resourceVersion');
    const { group, resource: plural } = resource.groupResource;
    throw newInvalid({ group, kind: plural }, name, [invalid(path, 0, 'must be specified for an update')]);
  }
  if (wanted !== String(existing.revision)) throw newConflict(resource.groupResource, name, optimisticLockText);
}

function keepSystemMetadata(meta: Mutable<ObjectMeta>, old: ObjectMeta, resource: StoredResource): void {
  if ((meta.uid ?? '') === '') setOrDelete(meta, 'uid', old.uid);
  meta.creationTimestamp = old.creationTimestamp ?? formatTime(resource.env.clock.nowMs());
  if (old.deletionTimestamp !== undefined) meta.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
}

function setOrDelete<K extends keyof ObjectMeta>(meta: Mutable<ObjectMeta>, key: K, value: ObjectMeta[K]): void {
  if (value === undefined) delete meta[key];
  else meta[key] = value as Mutable<ObjectMeta>[K];
}

/** Whether this update takes the last thing that kept a deleted object alive. */
function vanishes(resource: StoredResource, draft: Mutable<KubeObject>, old: ObjectMeta): boolean {
  if ((draft.metadata?.finalizers ?? []).length > 0) return false;
  if (old.deletionTimestamp === undefined || (old.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return resource.hooks.mayVanish?.(draft as KubeObject) ?? true;
}

/** Deletes instead of updating; the answer is the object as it was sent, at the revision it was sent against. */
async function vanish(resource: StoredResource, emptied: Emptied, request: UpdateRequest): Promise<UpdateOutcome> {
  const { namespace, name, context } = request;
  const key = resource.key(namespace, name);
  const answer = resource.unsaved(key, emptied.existing.revision, resource.toStored(emptied.draft).object);
  if (!context.dryRun)
    await removeKey(resource, { namespace, name, preconditions: undefined, context, ignoreMissing: true });
  return { version: answer, created: false, changed: true };
}
