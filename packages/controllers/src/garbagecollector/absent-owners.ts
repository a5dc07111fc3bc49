// Owners that were asked for and do not exist: a bounded memory that saves asking again for each of their dependents.

const ownersMax = 500;

/** Remembers the most recent {@link ownersMax} absent owners; the oldest is forgotten first. */
export class AbsentOwners {
  readonly #keys = new Set<string>();

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= ownersMax) return;
    const oldest = this.#keys.values().next();
    if (oldest.done !== true) this.#keys.delete(oldest.value);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }
}
