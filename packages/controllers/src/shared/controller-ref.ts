// Claims of spec/workloads.md §1.5 carried out: which objects a controller owns, adopts and releases becomes actions of the caller's
// plan. Pure.

import type { ResourceType } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { type Claim, controllerReference, type Outcome, type PatchAction, type Plan } from '@homeostat/runtime';

export { type Claim, claim, controllerReference } from '@homeostat/runtime';

export interface ClaimPlanOptions<T extends KubeObject> {
  readonly owner: KubeObject;
  readonly ownerResource: ResourceType;
  readonly resource: ResourceType<T>;
  readonly claim: Claim<T>;
  /** The rest of the sync, on everything that is claimed in the end. */
  next(claimed: readonly T[]): Plan;
}

/**
 * The plan that carries a claim out and goes on with `next`. Before the first adoption the owner is read live: a cache may
 * still show one that was deleted and recreated. Any error ends the sync before anything is made or deleted.
 */
export function claimThen<T extends KubeObject>(options: ClaimPlanOptions<T>): Plan {
  const { claim: found, next } = options;
  if (found.adopt.length === 0 && found.release.length === 0) return next(found.owned);
  if (found.adopt.length === 0) return patchThen(options, []);
  const { owner, ownerResource } = options;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'get',
            resource: ownerResource,
            ...inNamespace(owner),
            name: owner.metadata?.name ?? '',
            reason: 'RecheckOwner',
            facts: { orphans: found.adopt.length },
          },
        ],
      },
    ],
    next: (outcomes) => {
      const problem = ownerProblem(owner, ownerResource, outcomes[0]);
      if (problem !== undefined) return { steps: [], failure: { reason: 'OwnerGone', message: problem } };
      return patchThen(options, found.adopt);
    },
  };
}

function patchThen<T extends KubeObject>(options: ClaimPlanOptions<T>, adopt: readonly T[]): Plan {
  const { claim: found, next } = options;
  const adoptions = adopt.map((object) => adoptAction(options, object));
  const releases = found.release.map((object) => releaseAction(options, object));
  return {
    steps: [{ mode: 'parallel', actions: [...adoptions, ...releases] }],
    next: (outcomes) => {
      if (outcomes.some((outcome) => outcome.status !== 'done')) return { steps: [] };
      const adopted = adopt.flatMap((object, index) => {
        const outcome = outcomes[index];
        if (outcome?.status !== 'done' || outcome.error !== undefined) return [];
        return [(outcome.object as T | undefined) ?? object];
      });
      return next([...found.owned, ...adopted]);
    },
  };
}

function adoptAction<T extends KubeObject>(
  { owner, ownerResource, resource }: ClaimPlanOptions<T>,
  object: T,
): PatchAction {
  const ownerReference = controllerReference(owner, ownerResource);
  return {
    verb: 'patch',
    patchType: 'strategic',
    resource,
    ...inNamespace(object),
    name: object.metadata?.name ?? '',
    patch: { metadata: { ownerReferences: [{ ...ownerReference }], uid: object.metadata?.uid ?? '' } },
    tolerates: ['NotFound'],
    reason: 'Adopt',
    facts: { owner: ownerReference.name },
  };
}

function releaseAction<T extends KubeObject>({ owner, resource }: ClaimPlanOptions<T>, object: T): PatchAction {
  return {
    verb: 'patch',
    patchType: 'strategic',
    resource,
    ...inNamespace(object),
    name: object.metadata?.name ?? '',
    patch: {
      metadata: {
        ownerReferences: [{ $patch: 'delete', uid: owner.metadata?.uid ?? '' }],
        uid: object.metadata?.uid ?? '',
      },
    },
    tolerates: ['NotFound', 'Invalid'],
    reason: 'Release',
    facts: { owner: owner.metadata?.name ?? '' },
  };
}

function ownerProblem(owner: KubeObject, resource: ResourceType, outcome: Outcome | undefined): string | undefined {
  const id = `${owner.metadata?.namespace ?? ''}/${owner.metadata?.name ?? ''}`;
  if (outcome?.status !== 'done') {
    const text = outcome?.status === 'failed' ? outcome.error.message : 'not asked';
    return `can't recheck DeletionTimestamp: ${text}`;
  }
  const live = outcome.object?.metadata;
  if (live?.uid !== owner.metadata?.uid) {
    return `original ${resource.kind} ${id} is gone: got uid ${live?.uid ?? ''}, wanted ${owner.metadata?.uid ?? ''}`;
  }
  if (live?.deletionTimestamp !== undefined) return `${id} has just been deleted at ${live.deletionTimestamp}`;
  return undefined;
}

/** The namespace part of an action on `object`; empty for cluster-scoped ones. */
export function inNamespace(object: KubeObject): { readonly namespace?: string } {
  const namespace = object.metadata?.namespace;
  return namespace === undefined || namespace === '' ? {} : { namespace };
}
