// Declarative children: a definition of what should be there becomes a plan controller, so that it can be explained, tried without effect
// and tested as any other. Here: what wakes a parent and what is observed. The plan is in `children-plan.ts`.

import type { KubeObject, LabelSelector } from '@homeostat/machinery';
import { keyOf, type ObjectKey } from '@homeostat/client';
import type { PlanController, WatchDefinition } from '../controller/controller-definition.ts';
import { controllerOf, wakeController } from '../controller/wakes.ts';
import type { Change } from '../informer/change.ts';
import { byController, orphanValue } from '../store/indexes.ts';
import type { Caches } from '../store/lister.ts';
import type { ChildKind, ChildrenDefinition, ObservedChildren } from './children-definition.ts';
import { planChildren } from './children-plan.ts';

/** Makes a controller of a definition; hand it to `createController`. */
export function defineChildren<Parent extends KubeObject>(
  definition: ChildrenDefinition<Parent>,
): PlanController<ObservedChildren<Parent>> {
  const {
    kinds,
    children: _children,
    status: _status,
    selector: _selector,
    requeueAfterMs: _after,
    ...base
  } = definition;
  const watches = kinds.map((kind) => watchOf(definition, kind)).concat(definition.watches ?? []);
  return {
    ...base,
    for: definition.for as unknown as WatchDefinition,
    watches,
    observe(key, caches) {
      const parent = caches.lister(definition.for.resource).getByKey(key);
      if (parent === undefined || parent.metadata?.deletionTimestamp !== undefined) return undefined;
      const selector = definition.selector?.(parent);
      return { key, parent, candidates: kinds.map((kind) => candidatesOf(kind, { parent, caches, selector })), caches };
    },
    diff: (observed, now) => planChildren(definition, observed, now),
  };
}

function watchOf<Parent extends KubeObject>(definition: ChildrenDefinition<Parent>, kind: ChildKind): WatchDefinition {
  const { update: _update, method: _method, wakes, ...watch } = kind;
  const wakeParent = wakeController(definition.for.resource);
  return {
    ...watch,
    indexes: [...(watch.indexes ?? []), byController],
    wakes: (change, caches) => [
      ...wakeParent(change),
      ...selectingParents(definition, change, caches),
      ...(wakes?.call(kind, change, caches) ?? []),
    ],
  };
}

/** The parents that may want to adopt an orphan, or wanted to until now. */
function selectingParents<Parent extends KubeObject>(
  { for: parents, selector }: ChildrenDefinition<Parent>,
  change: Change,
  caches: Caches,
): readonly ObjectKey[] {
  if (selector === undefined || change.type === 'resync' || controllerOf(change.object) !== undefined) return [];
  const { namespace, labels } = change.object.metadata ?? {};
  const lister = caches.lister(parents.resource);
  return lister
    .list(parents.resource.namespaced ? namespace : undefined)
    .filter((parent) => selector(parent)?.matches(labels) === true)
    .map(keyOf);
}

function candidatesOf(
  { resource }: ChildKind,
  from: { readonly parent: KubeObject; readonly caches: Caches; readonly selector: LabelSelector | undefined },
): readonly KubeObject[] {
  const { parent, caches, selector } = from;
  const lister = caches.lister(resource);
  const owned = lister.byIndex('controller', parent.metadata?.uid ?? '');
  if (selector === undefined) return owned;
  const { namespace } = parent.metadata ?? {};
  const everywhere = namespace === undefined && resource.namespaced;
  const orphans = everywhere
    ? lister.list().filter((object) => controllerOf(object) === undefined)
    : lister.byIndex('controller', orphanValue(namespace));
  return [...owned, ...orphans.filter((object) => selector.matches(object.metadata?.labels))];
}
