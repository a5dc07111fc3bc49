// A chain: the runs that follow from one event from outside through nothing but writes of this process. It remembers which contents the
// objects written in it had, so that one that comes back to a former state is noticed.

import { stringifyJson, fnv32a, type Json, type KubeObject } from '@homeostat/machinery';

const objectsMax = 32;
const contentsMax = 8;

interface Contents {
  last: string;
  readonly seen: Set<string>;
  returns: number;
}

export class Chain {
  /** Keys of the chain that are damped. */
  damped = 0;
  /** Raised with every finding: counting starts afresh. */
  epoch = 0;
  #contents: Map<string, Contents> | undefined;

  /**
   * Notes what an object looks like after a write. Of more than 32 objects, or 8 contents of one, the oldest are forgotten.
   * Cost: one serialisation of the object.
   */
  wrote(object: string, content: KubeObject): void {
    const digest = digestOf(content);
    this.#contents ??= new Map();
    const known = this.#contents.get(object);
    if (known === undefined) {
      this.#contents.set(object, { last: digest, seen: new Set([digest]), returns: 0 });
      if (this.#contents.size > objectsMax) forgetOldest(this.#contents);
      return;
    }
    if (known.last === digest) return;
    known.last = digest;
    if (known.seen.has(digest)) known.returns++;
    known.seen.add(digest);
    if (known.seen.size > contentsMax) forgetOldest(known.seen);
  }

  /** How often an object has come back to a state that it had before in this chain. */
  returnsOf(object: string): number {
    return this.#contents?.get(object)?.returns ?? 0;
  }

  forgetContents(): void {
    this.#contents = undefined;
  }
}

function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  for (const key of kept.keys().take(1)) kept.delete(key);
}

/** Of what an object says, without what every write changes. Equal for objects that are equal up to that; else different but for chance. */
export function digestOf(object: KubeObject): string {
  const {
    resourceVersion: _version,
    managedFields: _managed,
    generation: _generation,
    ...metadata
  } = object.metadata ?? {};
  const text = stringifyJson({ ...object, metadata } as unknown as Json);
  return `${text.length}-${fnv32a(text)}`;
}
