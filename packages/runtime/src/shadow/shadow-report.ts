// What a shadow has found, added up by kind, resource and field, in bounded memory; told to logs once a sort, to metrics, and to whoever
// wants each one.

import type { Counter, Env } from '@homeostat/base';
import type { Difference, DifferenceKind } from './difference.ts';

export type ShadowResult =
  | 'same'
  | 'different'
  /** Not comparable: the first version failed, read live, or did what can't be repeated. */
  | 'skipped'
  /** The shadow was behind. */
  | 'dropped';

/** Differences of one sort. */
export interface DifferenceSort {
  readonly kind: DifferenceKind;
  readonly resource: string;
  /** The first field that differs, names of list items left out; of failures the error. */
  readonly field: string;
  readonly count: number;
  /** The latest. */
  readonly example: Difference;
}

export interface ShadowPicture {
  readonly of: string;
  readonly waiting: number;
  readonly runs: Readonly<Record<ShadowResult, number>>;
  /** Most frequent first, at most 128 sorts; `otherDifferences` counts those of further ones. */
  readonly differences: readonly DifferenceSort[];
  readonly otherDifferences: number;
}

const sortsMax = 128;

export class ShadowReport {
  readonly #of: string;
  readonly #env: Env;
  readonly #onDifference: ((difference: Difference) => void) | undefined;
  readonly #runs: Record<ShadowResult, number> = { same: 0, different: 0, skipped: 0, dropped: 0 };
  readonly #sorts = new Map<string, { field: string; count: number; example: Difference }>();
  #others = 0;
  readonly #runCounter: Counter;
  readonly #differenceCounter: Counter;

  constructor(of: string, env: Env, onDifference: ((difference: Difference) => void) | undefined) {
    this.#of = of;
    this.#env = env;
    this.#onDifference = onDifference;
    this.#runCounter = env.metrics.counter({
      name: 'homeostat_runtime_shadow_runs_total',
      help: 'Runs that a second version was, or was not, compared with, by controller and result',
      labelNames: ['controller', 'result'],
    });
    this.#differenceCounter = env.metrics.counter({
      name: 'homeostat_runtime_shadow_differences_total',
      help: 'Differences between the writes of two versions, by controller and kind',
      labelNames: ['controller', 'kind'],
    });
  }

  count(result: ShadowResult): void {
    this.#runs[result]++;
    this.#runCounter.inc({ controller: this.#of, result });
  }

  add(difference: Difference): void {
    const { kind, resource } = difference;
    this.#differenceCounter.inc({ controller: this.#of, kind });
    const field = (difference.error ?? difference.fields[0]?.path ?? '').replace(/\[(?!")[^\]]*\]/g, '[]');
    const id = `${kind} ${resource} ${field}`;
    const known = this.#sorts.get(id);
    if (known !== undefined) {
      known.count++;
      known.example = difference;
    } else if (this.#sorts.size < sortsMax) {
      this.#sorts.set(id, { field, count: 1, example: difference });
      const { key, object } = difference;
      this.#env.log.warn('a shadow would write otherwise', {
        controller: this.#of,
        kind,
        key,
        resource,
        object,
        field,
      });
    } else this.#others++;
    try {
      this.#onDifference?.(difference);
    } catch (error) {
      this.#env.log.error('onDifference failed', { error });
    }
  }

  picture(waiting: number): ShadowPicture {
    const differences = Array.from(this.#sorts.values(), ({ field, count, example }) => {
      const { kind, resource } = example;
      return { kind, resource, field, count, example };
    });
    return {
      of: this.#of,
      waiting,
      runs: { ...this.#runs },
      differences: differences.toSorted((a, b) => b.count - a.count),
      otherDifferences: this.#others,
    };
  }
}
