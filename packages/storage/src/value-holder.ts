// The two ways a stored value comes into being: from an object that will be encoded when somebody asks, or from bytes.
// Decoding is the reader's business: it knows the schema and may leave its result in `object`.

import type { ValueHolder } from './store.ts';

/** Holds `object`; `encode` runs when the bytes are first asked for, and never again. */
export function holdObject(object: unknown, encode: () => Uint8Array): ValueHolder {
  return new ObjectHolder(object, encode);
}

/** Holds bytes as they are; the caller gives them up. */
export function holdBytes(bytes: Uint8Array, object?: unknown): ValueHolder {
  return new BytesHolder(bytes, object);
}

class ObjectHolder implements ValueHolder {
  object: unknown;
  #bytes: Uint8Array | undefined;
  #encode: (() => Uint8Array) | undefined;

  constructor(object: unknown, encode: () => Uint8Array) {
    this.object = object;
    this.#encode = encode;
  }

  bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      this.#bytes = this.#encode?.() ?? new Uint8Array();
      this.#encode = undefined;
    }
    return this.#bytes;
  }
}

class BytesHolder implements ValueHolder {
  object: unknown;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, object: unknown) {
    this.#bytes = bytes;
    this.object = object;
  }

  bytes(): Uint8Array {
    return this.#bytes;
  }
}
