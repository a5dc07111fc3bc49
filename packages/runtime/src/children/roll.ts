// Which children that differ from what is desired may be changed now (the update strategies). Pure arithmetic over counts and readiness.

import type { KubeObject } from '@homeostat/machinery';
import type { UpdateStrategy } from './children-definition.ts';

/** What becomes of the outdated ones. */
export interface Roll {
  readonly update: readonly KubeObject[];
  readonly recreate: readonly KubeObject[];
  /** Left for a later look, or for good. */
  readonly wait: readonly KubeObject[];
}

export interface RollInput {
  readonly strategy: UpdateStrategy;
  /** All desired children that exist, in the order they are desired, those being deleted included. */
  readonly present: readonly KubeObject[];
  /** Those that are not as desired, in the same order. */
  readonly outdated: ReadonlySet<KubeObject>;
  /** How many are desired. */
  readonly desired: number;
}

/** Decides; children that are being deleted are never touched, but are not available either. */
export function roll({ strategy, present, outdated, desired }: RollInput): Roll {
  const touchable = present.filter((child) => outdated.has(child) && child.metadata?.deletionTimestamp === undefined);
  switch (strategy.type) {
    case 'OnDelete':
      return { update: [], recreate: [], wait: touchable };
    case 'InPlace':
      return { update: touchable, recreate: [], wait: [] };
    case 'Recreate':
      return { update: [], recreate: touchable, wait: [] };
    case 'RollingInPlace':
    case 'RollingRecreate': {
      const isAvailable = (child: KubeObject): boolean =>
        child.metadata?.deletionTimestamp === undefined && strategy.isReady?.(child) !== false;
      // One that is not ready already costs nothing more when it is changed.
      const down = touchable.filter((child) => !isAvailable(child));
      const up = touchable.filter(isAvailable);
      const unavailable = desired - present.filter(isAvailable).length;
      const room = Math.max(0, limitOf(strategy.maxUnavailable ?? 1, desired) - unavailable);
      const chosen = new Set([...down, ...up.slice(0, room)]);
      const next = touchable.filter((child) => chosen.has(child));
      const wait = touchable.filter((child) => !chosen.has(child));
      return strategy.type === 'RollingInPlace'
        ? { update: next, recreate: [], wait }
        : { update: [], recreate: next, wait };
    }
  }
}

/** A number, or a share of `total` rounded down; at least 1, so that a roll always gets on. */
function limitOf(maxUnavailable: number | `${number}%`, total: number): number {
  const limit =
    typeof maxUnavailable === 'number'
      ? maxUnavailable
      : Math.floor((Number(maxUnavailable.slice(0, -1)) / 100) * total);
  return Math.max(1, Number.isFinite(limit) ? Math.floor(limit) : 1);
}
