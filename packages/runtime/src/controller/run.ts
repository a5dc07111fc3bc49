// One run of one key, from the moment its worker has passed the fence to the moment the key is given back: its signal (stop, time limit,
// supersede), what it has written, and the wake-ups that wait until it is known whether they only show its own writes.

import type { Clock, Timer } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { isNewerResourceVersion, keyOf, type ObjectKey } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import type { Written } from '../store/written-lister.ts';
import { ReconcileTimeoutError, SupersededError } from './controller-definition.ts';
import type { SentWrite } from './fenced-client.ts';
import type { OwnWrites } from './own-writes.ts';
import type { RunReason } from './run-reasons.ts';

/** A wake-up of a key that is under work. */
export interface HeldWake {
  readonly resource: string;
  readonly change: Change;
  readonly priority: number;
  readonly reason: RunReason;
}

/** Wake-ups, and changes of its object, that one run holds back; further ones count at once. */
const heldMax = 64;

export interface RunSettings {
  readonly key: ObjectKey;
  /** {@link fenceId} of the key's resource. */
  readonly resource: string;
  readonly clock: Clock;
  readonly kill: AbortSignal;
  readonly timeoutMs: number | undefined;
  readonly supersede: 'generation' | 'resourceVersion' | undefined;
  readonly ownWrites: OwnWrites;
  /** The newest state of an object the run knows of. */
  readonly known: (resource: string, object: ObjectKey) => KubeObject | undefined;
  /** Whether there is a cache of a resource. */
  readonly isCached: (resource: string) => boolean;
  /** As the cache would hold an answer. */
  readonly asCached: (resource: string, object: KubeObject) => KubeObject;
}

export class Run {
  readonly key: ObjectKey;
  readonly signal: AbortSignal;
  /** The key's object as the run first sees it. */
  object: KubeObject | undefined;
  readonly #settings: RunSettings;
  readonly #controller: AbortController | undefined;
  readonly #written = new Map<string, Map<ObjectKey, Written>>();
  readonly #timer: Timer | undefined;
  #held: HeldWake[] | undefined = [];
  /** Writes of the key's object that have no answer yet, and versions of it seen meanwhile. */
  #underWay = 0;
  #suspects: Change[] = [];
  #writes = 0;

  constructor(settings: RunSettings) {
    this.#settings = settings;
    this.key = settings.key;
    const { kill, timeoutMs, supersede, clock } = settings;
    if (timeoutMs === undefined && supersede === undefined) {
      this.signal = kill;
      return;
    }
    this.#controller = new AbortController();
    this.signal = this.#controller.signal;
    if (kill.aborted) this.#onKill();
    else kill.addEventListener('abort', this.#onKill, { once: true });
    if (timeoutMs === undefined) return;
    this.#timer = clock.setTimer(timeoutMs, () =>
      this.#controller?.abort(new ReconcileTimeoutError(`the run took longer than ${timeoutMs} ms`)),
    );
  }

  get kill(): AbortSignal {
    return this.#settings.kill;
  }

  /** Writes sent so far, dry runs not counted. */
  get writes(): number {
    return this.#writes;
  }

  /** What ended it before its time, other than a stop. */
  get cut(): 'superseded' | 'timeout' | undefined {
    const { reason } = this.signal;
    if (reason instanceof SupersededError) return 'superseded';
    return reason instanceof ReconcileTimeoutError ? 'timeout' : undefined;
  }

  /** The cached resources it wrote to. */
  get writtenResources(): Iterable<string> {
    return this.#written.keys();
  }

  /** What it wrote to a resource; grows. */
  writtenTo = (resource: string): ReadonlyMap<ObjectKey, Written> => {
    let written = this.#written.get(resource);
    if (written === undefined) {
      written = new Map();
      this.#written.set(resource, written);
    }
    return written;
  };

  /** Follows a write from its sending to its answer. */
  sending = (write: SentWrite): ((result?: Written) => void) => {
    const { known, isCached, asCached, ownWrites, resource } = this.#settings;
    this.#writes++;
    if (!isCached(write.resource)) return () => {};
    const before = known(write.resource, write.object);
    const ofObject = write.resource === resource && write.object === this.key;
    if (ofObject) this.#underWay++;
    ownWrites.sent();
    return (result) => {
      if (result !== undefined && 'object' in result) {
        ownWrites.answered(this.key, write, before, result.object);
        // A name may have been generated.
        const object = write.verb === 'create' ? keyOf(result.object) : write.object;
        this.#note(write.resource, object, { object: asCached(write.resource, result.object) });
      } else if (result !== undefined) {
        this.#note(write.resource, write.object, result);
      }
      ownWrites.settled();
      if (!ofObject || --this.#underWay > 0) return;
      for (const change of this.#suspects.splice(0)) this.#judge(change);
    };
  };

  /** Keeps a wake-up until the run has ended. False: it must wake the key now. */
  hold(wake: HeldWake): boolean {
    if (this.#held === undefined) return false;
    this.#held.push(wake);
    if (this.#held.length <= heldMax) return true;
    this.#held = undefined;
    return false;
  }

  /** The key's object has changed in the cache. */
  objectChanged(change: Change): void {
    if (this.#settings.supersede === undefined || this.signal.aborted || change.type === 'resync') return;
    if (this.#underWay > 0 && this.#suspects.length < heldMax) this.#suspects.push(change);
    else this.#judge(change);
  }

  /** Ends it; gives the wake-ups that show more than its own writes. */
  end(): readonly HeldWake[] {
    this.#timer?.cancel();
    this.#settings.kill.removeEventListener('abort', this.#onKill);
    const { ownWrites } = this.#settings;
    return (this.#held ?? []).filter(({ resource, change }) => !ownWrites.explains(this.key, resource, change));
  }

  #onKill = (): void => {
    this.#controller?.abort(this.#settings.kill.reason);
  };

  #note(resource: string, object: ObjectKey, written: Written): void {
    (this.writtenTo(resource) as Map<ObjectKey, Written>).set(object, written);
  }

  #judge(change: Change): void {
    const { resource, supersede, ownWrites } = this.#settings;
    const [before, after] = [this.object?.metadata, change.object.metadata];
    // After a live read the cache may still be on its way to what the run has seen.
    if (isNewerResourceVersion(before?.resourceVersion ?? '0', after?.resourceVersion ?? '')) return;
    if (ownWrites.wrote(this.key, resource, after?.resourceVersion) || this.#isOwnEnd(change)) return;
    const movedOn =
      change.type !== 'updated' ||
      before?.uid !== after?.uid ||
      (before?.deletionTimestamp === undefined && after?.deletionTimestamp !== undefined) ||
      (supersede === 'generation'
        ? before?.generation !== after?.generation
        : before?.resourceVersion !== after?.resourceVersion);
    if (movedOn) this.#controller?.abort(new SupersededError(`${this.key} moved on during its run: ${change.type}`));
  }

  /** The object is gone because this run deleted it, or took its last finalizer away. */
  #isOwnEnd(change: Change): boolean {
    if (change.type !== 'deleted') return false;
    const written = this.#written.get(this.#settings.resource)?.get(this.key);
    if (written === undefined) return false;
    if ('goneUid' in written) return written.goneUid === change.object.metadata?.uid;
    const { uid, deletionTimestamp, finalizers = [] } = written.object.metadata ?? {};
    return uid === change.object.metadata?.uid && deletionTimestamp !== undefined && finalizers.length === 0;
  }
}
