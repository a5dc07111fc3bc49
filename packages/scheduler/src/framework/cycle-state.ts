// What plugins remember from one extension point to the next, within one pod's cycle. Cloned for what-if runs: preemption, and
// nominated pods.

/** Names a piece of state and its type. */
export interface StateKey<T extends object> {
  readonly name: string;
  /** Carries the type for the compiler only; never set. */
  readonly type?: T;
}

export function stateKey<T extends object>(name: string): StateKey<T> {
  return { name };
}

/** State that what-if runs change has `clone`; all other state is shared by the clones. */
export interface Cloneable {
  clone(): object;
}

const noPlugins: ReadonlySet<string> = new Set();

export class CycleState {
  readonly #values: Map<string, object>;
  /** Plugins whose Filter, and whose additions and removals of pods, are off for this pod. */
  skipFilter: ReadonlySet<string> = noPlugins;
  /** Plugins whose Score is off for this pod. */
  skipScore: ReadonlySet<string> = noPlugins;
  /** Whether durations of single plugins are recorded. */
  recordsPlugins = false;

  constructor(values = new Map<string, object>()) {
    this.#values = values;
  }

  read<T extends object>(key: StateKey<T>): T | undefined {
    return this.#values.get(key.name) as T | undefined;
  }

  write<T extends object>(key: StateKey<T>, value: T): void {
    this.#values.set(key.name, value);
  }

  clone(): CycleState {
    const values = new Map<string, object>();
    for (const [name, value] of this.#values) values.set(name, isCloneable(value) ? value.clone() : value);
    const copy = new CycleState(values);
    copy.skipFilter = this.skipFilter;
    copy.skipScore = this.skipScore;
    copy.recordsPlugins = this.recordsPlugins;
    return copy;
  }
}

function isCloneable(value: object): value is Cloneable {
  return 'clone' in value && typeof value.clone === 'function';
}
