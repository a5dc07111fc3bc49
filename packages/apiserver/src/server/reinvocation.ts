// What one request's mutating plugins remember between the two rounds: when an out-of-process plugin changed the object,
// the whole mutating pass runs once more, so that built-in plugins see the change (spec/apiserver.md §15.1).

export class Reinvocation {
  readonly #states = new Map<string, unknown>();
  #wanted = false;
  #round = 0;

  /** 0 in the first pass, 1 in the second. */
  get round(): 0 | 1 {
    return this.#round === 0 ? 0 : 1;
  }

  /** Asks for a second pass; in the second one it asks for nothing more. */
  request(): void {
    this.#wanted = true;
  }

  /** Begins the second pass if one was asked for; at most once. */
  begin(): boolean {
    if (!this.#wanted || this.#round > 0) return false;
    this.#round = 1;
    return true;
  }

  /** What the plugin of this name keeps for the request; made by `create` on the first call. */
  state<T>(plugin: string, create: () => T): T {
    let state = this.#states.get(plugin) as T | undefined;
    if (state === undefined) this.#states.set(plugin, (state = create()));
    return state;
  }
}
