// What a rehearsal has pretended to write: laid over caches and reads of that rehearsal, and thrown away with it.

import type { KubeObject } from '@homeostat/machinery';
import type { ObjectKey } from '@homeostat/client';
import type { Written } from '../store/written-lister.ts';

export class PretendedWorld {
  readonly #written = new Map<string, Map<ObjectKey, Written>>();
  #versions = 0;
  #objects = 0;

  /** By key; grows. @param id `<resource>.<group>` */
  writtenTo = (id: string): ReadonlyMap<ObjectKey, Written> => this.#of(id);

  /** What was pretended of an object: its state, `gone`, or nothing. */
  find(id: string, key: ObjectKey): KubeObject | 'gone' | undefined {
    const written = this.#written.get(id)?.get(key);
    if (written === undefined) return undefined;
    return 'object' in written ? written.object : 'gone';
  }

  set(id: string, key: ObjectKey, object: KubeObject): void {
    this.#of(id).set(key, { object });
  }

  remove(id: string, key: ObjectKey, uid: string): void {
    this.#of(id).set(key, { goneUid: uid });
  }

  /** Newer than any version of a server. */
  nextVersion(): string {
    return `9${String(++this.#versions).padStart(18, '0')}`;
  }

  /** For uids and generated names: the same in every rehearsal that makes the same objects in the same order. */
  nextObject(): number {
    return ++this.#objects;
  }

  #of(id: string): Map<ObjectKey, Written> {
    let written = this.#written.get(id);
    if (written === undefined) {
      written = new Map();
      this.#written.set(id, written);
    }
    return written;
  }
}
