// What the journal knows of one resource: which writes led to which versions, and what was written last. Maps of their own for each resource
// spare every event the making of a longer key.

import type { ObjectKey } from '@homeostat/client';
import type { RunReason } from '../controller/run-reasons.ts';
import type { RunEntry, WriteEntry } from './journal-entry.ts';

/** A run that a write under way may have woken. */
export interface Waiting {
  readonly run: RunEntry;
  readonly reason: RunReason;
}

/** Writes that are under way to one object, in the order they were sent, and runs that they may have woken. */
export interface WritesUnderWay {
  readonly writes: WriteEntry[];
  readonly waiting: Waiting[];
}

export class ResourceLog {
  /** By the version that a write was answered with. */
  readonly byVersion = new Map<string, WriteEntry>();
  /** By the uid of what is gone. */
  readonly byGone = new Map<string, WriteEntry>();
  /** The last write that changed an object. */
  readonly lastWrites = new Map<ObjectKey, WriteEntry>();
  /** Objects that a write without an answer is on its way to. */
  readonly underWay = new Map<ObjectKey, WritesUnderWay>();

  forget(write: WriteEntry): void {
    const { version, uid, object } = write;
    if (version !== undefined && this.byVersion.get(version) === write) this.byVersion.delete(version);
    if (uid !== undefined && this.byGone.size > 0 && this.byGone.get(uid) === write) this.byGone.delete(uid);
    if (this.lastWrites.get(object) === write) this.lastWrites.delete(object);
  }
}

/** The logs of all resources; their number is that of the kinds that are written or watched. */
export class ResourceLogs {
  readonly #byId = new Map<string, ResourceLog>();
  readonly #byName = new Map<string, Map<string, ResourceLog>>();

  /** @param id `<resource>.<group>` */
  of(id: string): ResourceLog {
    let found = this.#byId.get(id);
    if (found === undefined) {
      found = new ResourceLog();
      this.#byId.set(id, found);
    }
    return found;
  }

  behind({ resource, group }: { readonly resource: string; readonly group: string }): ResourceLog {
    let groups = this.#byName.get(resource);
    if (groups === undefined) {
      groups = new Map();
      this.#byName.set(resource, groups);
    }
    let found = groups.get(group);
    if (found === undefined) {
      found = this.of(`${resource}.${group}`);
      groups.set(group, found);
    }
    return found;
  }
}
