// What a controller of declarative children is: from what is observed to what is desired, and how the one becomes the other. Types only.

import type { Json, KubeObject } from '@homeostat/machinery';
import type { LabelSelector } from '@homeostat/machinery';
import type { ObjectKey, ResourceType } from '@homeostat/client';
import type { ControllerBase, WatchDefinition } from '../controller/controller-definition.ts';
import type { Caches } from '../store/lister.ts';

/** How children that differ from what is desired come to be as desired. */
export type UpdateStrategy<T extends KubeObject = KubeObject> =
  /** Changes them where they are, all at once (default). */
  | { readonly type: 'InPlace' }
  /** Deletes them all; they are made anew when they are gone. */
  | { readonly type: 'Recreate' }
  /** Leaves them until somebody deletes them. */
  | { readonly type: 'OnDelete' }
  /** `InPlace` or `Recreate`, but with no more than `maxUnavailable` children (default 1, or a share such as `25%`, rounded down, at least 1) not ready at a time. */
  | {
      readonly type: 'RollingInPlace' | 'RollingRecreate';
      readonly maxUnavailable?: number | `${number}%`;
      /** Whether a child counts as available; default always. */
      isReady?(child: T): boolean;
    };

/** One kind of children. Its `wakes` are in addition: changes of children wake their parents anyway. */
export interface ChildKind<T extends KubeObject = KubeObject> extends Omit<WatchDefinition<T>, 'optional'> {
  readonly update?: UpdateStrategy<T>;
  /**
   * How a child is changed: `apply` (default) by server-side apply as the controller's field manager, taking fields from others; `merge` by a
   * merge patch of what is desired against what was desired last, for servers and kinds without apply.
   */
  readonly method?: 'apply' | 'merge';
}

/** What `children` and `status` see. */
export interface ObservedFamily<Parent extends KubeObject> {
  readonly parent: Parent;
  /** The children of a kind that the parent has now, those being deleted included. @throws Error when the kind is not declared. */
  children<T extends KubeObject>(resource: ResourceType<T>): readonly T[];
  /** Other caches that the definition declares, to look things up. */
  readonly caches: Caches;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A desired child: its resource, and the object with the fields it should have. Its namespace defaults to the parent's. */
export interface DesiredChild<T extends KubeObject = KubeObject> {
  readonly resource: ResourceType<T>;
  readonly object: T;
}

/**
 * A controller that says which children a parent should have, and leaves making them so to the runtime: they are created, changed,
 * adopted, let go and deleted. A parent that is being deleted is left alone: owner references clean up.
 *
 * @example
 * createController(defineChildren<Gadget>({
 *   name: 'gadget-reports',
 *   for: { resource: gadgets },
 *   kinds: [{ resource: configMaps, update: { type: 'RollingInPlace', maxUnavailable: 1 } }],
 *   children: ({ parent }) => [desired(configMaps, { metadata: { name: `${parent.metadata?.name}-report` }, data: { size: '3' } })],
 *   status: ({ children }) => ({ reports: children(configMaps).length }),
 * }), dependencies);
 */
export interface ChildrenDefinition<Parent extends KubeObject> extends Omit<ControllerBase, 'for' | 'watches'> {
  readonly for: WatchDefinition<Parent>;
  /** Every kind `children` may name. */
  readonly kinds: readonly ChildKind[];
  /** Further resources, to be read or to wake parents. */
  readonly watches?: readonly WatchDefinition[];
  /** The children a parent should have: all of them, each name once a kind. Pure. Throwing retries with back-off; nothing is deleted. */
  children(this: void, family: ObservedFamily<Parent>): readonly DesiredChild[];
  /** The parent's whole status; absent or undefined: it is left alone. Pure. */
  status?(this: void, family: ObservedFamily<Parent>): { readonly [key: string]: Json } | undefined;
  /**
   * Orphans it selects become the parent's, and children it does not select any more are let go. Absent: a parent has the children it
   * made, and adopts nothing.
   */
  selector?(this: void, parent: Parent): LabelSelector | undefined;
  /** Look at every parent again after this time, milliseconds. */
  readonly requeueAfterMs?: number;
}

/** What one look found; for tests of a definition. */
export interface ObservedChildren<Parent extends KubeObject> {
  readonly key: ObjectKey;
  readonly parent: Parent;
  /** Owned and orphaned candidates of each declared kind, in the order of `kinds`. */
  readonly candidates: readonly (readonly KubeObject[])[];
  readonly caches: Caches;
}
