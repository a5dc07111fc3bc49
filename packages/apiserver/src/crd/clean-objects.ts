// Which stored objects were written under the schema that is in force: they need no second look when they are read. Made anew
// with each change of a definition.

import type { ValueHolder } from '@homeostat/storage';

export class CleanObjects {
  readonly #holders = new WeakSet<ValueHolder>();

  add(holder: ValueHolder): void {
    this.#holders.add(holder);
  }

  has(holder: ValueHolder): boolean {
    return this.#holders.has(holder);
  }
}
