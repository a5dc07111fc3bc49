// The value the registry hands to the store (design law 6): the decoded object, shared with the watch cache, and its JSON
// bytes, made at most once and only when somebody needs them. The stored form carries kind and apiVersion first and no
// resourceVersion: that is the key's revision.

import { decodeJson, type KubeObject, stringifyJson } from '@homeostat/machinery';
import type { ValueHolder } from '@homeostat/storage';

export class StoredObject implements ValueHolder {
  #object: KubeObject | undefined;
  #bytes: Uint8Array | undefined;

  constructor(object: KubeObject) {
    this.#object = object;
  }

  get object(): KubeObject {
    this.#object ??= decodeJson(this.bytes()) as KubeObject;
    return this.#object;
  }

  bytes(): Uint8Array {
    this.#bytes ??= ownBytes(stringifyJson(this.#object));
    return this.#bytes;
  }

  /** Keeps the bytes alone, if there are any yet; the object is decoded anew when somebody asks for it. */
  release(): void {
    if (this.#bytes !== undefined) this.#object = undefined;
  }
}

/** Bytes in memory of their own: part of Node's shared pool would keep all of that alive for as long as the object lives. */
function ownBytes(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Gives up the decoded object of a holder: it can be made again from the bytes. */
export function releaseObject(holder: ValueHolder): void {
  if (holder instanceof StoredObject) holder.release();
  else holder.object = undefined;
}

/** The decoded object of any holder; decoded once for holders that came from disk. */
export function objectOf(holder: ValueHolder): KubeObject {
  holder.object ??= decodeJson(holder.bytes());
  return holder.object as KubeObject;
}
