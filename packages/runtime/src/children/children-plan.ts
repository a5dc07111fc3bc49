// From observed and desired children to a plan: claims first, alone; then deletions, creations and changes, then the parent's status. Pure.

import { deepEqual, type Json, type KubeObject, toApiVersion } from '@homeostat/machinery';
import { keyOf, type ObjectKey, resourceId, type ResourceType } from '@homeostat/client';
import { fenceId } from '../controller/fenced-client.ts';
import { type Action, emptyPlan, type Plan, type PlanFailure, type Step } from '../controller/plan.ts';
import { setControllerReference } from '../objects/owner-references.ts';
import { claim } from './claim.ts';
import { claimPlan, type KindClaim } from './claim-plan.ts';
import { createAction, deleteAction, updateAction } from './child-actions.ts';
import type { ChildKind, ChildrenDefinition, ObservedChildren, ObservedFamily } from './children-definition.ts';
import { isAsDesired, isOfWish } from './desired-child.ts';
import { roll } from './roll.ts';

/** The plan for one parent. @throws Error when the desired children contradict themselves or can't be owned. */
export function planChildren<Parent extends KubeObject>(
  definition: ChildrenDefinition<Parent>,
  observed: ObservedChildren<Parent>,
  now: number,
): Plan {
  const { parent, candidates, caches } = observed;
  const selector = definition.selector?.(parent);
  const claims = definition.kinds.map((kind, at): KindClaim => {
    const found = claim(parent, candidates[at] ?? [], ({ metadata }) => selector?.matches(metadata?.labels) !== false);
    return { kind, claim: found };
  });
  const owner = { object: parent, resource: definition.for.resource };
  // What is claimed in the end is known after the claims have been carried out: the change wakes the parent again.
  if (claims.some(({ claim: found }) => found.adopt.length + found.release.length > 0)) return claimPlan(owner, claims);

  const family: ObservedFamily<Parent> = {
    parent,
    children: <T extends KubeObject>(resource: ResourceType<T>) =>
      claimOf(claims, resource).claim.owned as unknown as readonly T[],
    caches,
    now,
  };
  const wishes = wishesOf(definition, family);
  const plans = claims.map(({ kind, claim: { owned } }) =>
    planKind(definition.name, kind, {
      owned,
      wishes: wishes.get(fenceId(kind.resource)) ?? new Map(),
      taken: (key) => caches.lister(kind.resource).getByKey(key),
    }),
  );
  const step = (mode: Step['mode'], pick: (plan: KindPlan) => readonly Action[]): Step => ({
    ...(mode === undefined ? {} : { mode }),
    actions: plans.flatMap(pick),
    onFailure: 'continue',
  });
  const steps: Step[] = [
    step('parallel', ({ deletions }) => deletions),
    step('slow-start', ({ creations }) => creations),
    step('parallel', ({ updates }) => updates),
    { actions: statusActions(definition, family) },
  ];
  const failure = plans.find((plan) => plan.failure !== undefined)?.failure;
  const plan: Plan = {
    ...emptyPlan,
    steps: steps.filter(({ actions }) => actions.length > 0),
    ...(failure === undefined ? {} : { failure }),
  };
  return definition.requeueAfterMs === undefined ? plan : { ...plan, requeueAfterMs: definition.requeueAfterMs };
}

type Wishes = ReadonlyMap<ObjectKey, KubeObject>;

/** The desired children by kind and key, complete with type, namespace and owner. */
function wishesOf<Parent extends KubeObject>(
  definition: ChildrenDefinition<Parent>,
  family: ObservedFamily<Parent>,
): ReadonlyMap<string, Wishes> {
  const { parent } = family;
  const wishes = new Map(definition.kinds.map((kind) => [fenceId(kind.resource), new Map<ObjectKey, KubeObject>()]));
  for (const { resource, object } of definition.children(family)) {
    const ofKind = wishes.get(fenceId(resource));
    if (ofKind === undefined)
      throw new Error(`${definition.name} desires ${resourceId(resource)} but does not declare it`);
    // What is desired is known again by its name.
    if (object.metadata?.name === undefined || object.metadata.name === '')
      throw new Error(
        `${definition.name} desires a ${resource.kind} without a name; generateName won't do for children`,
      );
    const namespace = resource.namespaced ? (object.metadata?.namespace ?? parent.metadata?.namespace) : undefined;
    const complete: KubeObject = {
      ...object,
      apiVersion: toApiVersion(resource),
      kind: resource.kind,
      metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) },
    };
    const key = keyOf(complete);
    if (ofKind.has(key)) throw new Error(`${definition.name} desires ${resource.kind} ${key} twice`);
    ofKind.set(key, setControllerReference(complete, { object: parent, resource: definition.for.resource }));
  }
  return wishes;
}

interface KindPlan {
  readonly deletions: readonly Action[];
  readonly creations: readonly Action[];
  readonly updates: readonly Action[];
  readonly failure: PlanFailure | undefined;
}

function planKind(
  manager: string,
  kind: ChildKind,
  input: {
    readonly owned: readonly KubeObject[];
    readonly wishes: Wishes;
    /** Whatever has the name. */
    readonly taken: (key: ObjectKey) => KubeObject | undefined;
  },
): KindPlan {
  const { owned, wishes, taken } = input;
  const { resource, update: strategy = { type: 'InPlace' }, method = 'apply' } = kind;
  const byKey = new Map(owned.map((child) => [keyOf(child), child]));
  const facts = { desired: wishes.size, have: owned.length };
  const creations: Action[] = [];
  const present: KubeObject[] = [];
  const outdated = new Set<KubeObject>();
  const wishFor = new Map<KubeObject, KubeObject>();
  let failure: PlanFailure | undefined;
  // A child that is deleted for a difference must not be deleted again for one that only looks so, e.g. a quantity in another spelling.
  const isCurrent = strategy.type === 'Recreate' || strategy.type === 'RollingRecreate' ? isOfWish : isAsDesired;
  for (const [key, wish] of wishes) {
    const child = byKey.get(key);
    if (child !== undefined) {
      present.push(child);
      wishFor.set(child, wish);
      if (!isCurrent(child, wish)) outdated.add(child);
    } else if (taken(key) === undefined) {
      creations.push(createAction(resource, wish, { method, manager, reason: 'ChildMissing', facts }));
    } else {
      failure ??= { reason: 'NameTaken', message: `${resource.kind} ${key} exists and is not a child of this parent` };
    }
  }
  const rolled = roll({ strategy, present, outdated, desired: wishes.size });
  const unwanted = owned.filter(
    (child) => !wishes.has(keyOf(child)) && child.metadata?.deletionTimestamp === undefined,
  );
  return {
    deletions: [
      ...unwanted.map((child) => deleteAction(resource, child, { reason: 'ChildNotDesired', facts })),
      ...rolled.recreate.map((child) => deleteAction(resource, child, { reason: 'ChildOutdated', facts })),
    ],
    creations,
    updates: rolled.update.map((child) =>
      updateAction(resource, child, wishFor.get(child) ?? child, { method, manager, reason: 'ChildOutdated', facts }),
    ),
    failure,
  };
}

function statusActions<Parent extends KubeObject>(
  definition: ChildrenDefinition<Parent>,
  family: ObservedFamily<Parent>,
): readonly Action[] {
  const wanted = definition.status?.(family);
  const { parent } = family;
  const before = (parent as { readonly status?: Json }).status ?? {};
  if (wanted === undefined || deepEqual(before, wanted)) return [];
  const { namespace, name = '' } = parent.metadata ?? {};
  const object = { ...parent, status: wanted };
  const target = { resource: definition.for.resource, name, ...(namespace === undefined ? {} : { namespace }) };
  return [{ verb: 'status', ...target, object, reason: 'StatusChanged', facts: {} }];
}

function claimOf(claims: readonly KindClaim[], resource: ResourceType): KindClaim {
  const found = claims.find(({ kind }) => fenceId(kind.resource) === fenceId(resource));
  if (found === undefined) throw new Error(`${resourceId(resource)} is not declared as a kind of children`);
  return found;
}
