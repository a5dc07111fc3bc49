// What the runs of a controller wrote, against what its caches show. Two uses: an event that only shows what a key's own run wrote need not
// wake that key again (only where that is certain; whatever is not certain wakes); and a write that the cache went past without ever
// showing it wakes its key, because what became of it went unseen too: made and deleted inside the gap of a relist (case O12).

import { isNewerResourceVersion, type ObjectKey } from '@homeostat/client';
import { applyJsonPatch, applyMergePatch, deepEqual, type Json, type KubeObject } from '@homeostat/machinery';
import type { JsonPatchOperation } from '@homeostat/machinery';
import type { Change } from '../informer/change.ts';
import type { SentWrite } from './fenced-client.ts';

/** Steps remembered a controller; of more, the oldest is forgotten, and its key woken. */
const stepsMax = 4096;

interface Step {
  readonly key: ObjectKey;
  /** Version it led to. */
  readonly version: string;
  /** Version before; undefined: there was no object; null: not known, or not all of the step is the write's. */
  readonly from: string | undefined | null;
  /** A cache has shown that version. */
  shown: boolean;
}

/** The steps that runs of one controller made. */
export class OwnWrites {
  readonly #steps = new Map<string, Step>();
  /** By resource, oldest version first: steps the cache has not reached. */
  readonly #ahead = new Map<string, Step[]>();
  /** Writes without an answer, and what caches showed meanwhile. */
  #underWay = 0;
  readonly #early = new Set<string>();
  readonly #forgotten: ObjectKey[] = [];

  /** A write goes out. Every call is followed by one of {@link settled}. */
  sent(): void {
    this.#underWay++;
  }

  /** Its outcome is known, and `answered` was called if it has an answer. */
  settled(): void {
    if (--this.#underWay === 0) this.#early.clear();
  }

  /** Remembers a write for `key` to a resource that has a cache. `before`: the newest state of its object the writer knew. */
  answered(key: ObjectKey, write: SentWrite, before: KubeObject | undefined, answer: KubeObject): void {
    const { resource } = write;
    const version = answer.metadata?.resourceVersion;
    if (version === undefined || version === before?.metadata?.resourceVersion) return;
    const id = idOf(resource, version);
    if (this.#steps.size >= stepsMax) this.#forgetOldest();
    const step: Step = { key, version, from: baseOf(write, before, answer), shown: this.#early.has(id) };
    this.#steps.set(id, step);
    this.#await(resource, step);
  }

  /**
   * A run of `key` has seen a resource live at a version the cache is behind of, and seen more than the cache shows: when the cache gets there,
   * the key looks again, because what went away in between makes no event.
   */
  seenLive(key: ObjectKey, resource: string, version: string): void {
    this.#await(resource, { key, version, from: null, shown: false });
  }

  /** The cache shows a change. Called for every change, before anything is asked about it. */
  shows(resource: string, change: Change): void {
    if (this.#steps.size === 0 && this.#underWay === 0) return;
    const id = idOf(resource, change.object.metadata?.resourceVersion);
    const step = this.#steps.get(id);
    if (step !== undefined) step.shown = true;
    else if (this.#underWay > 0 && this.#early.size < stepsMax) this.#early.add(id);
  }

  /** The cache has reached a version: the keys of writes that it never showed. */
  reached(resource: string, version: string): readonly ObjectKey[] {
    const unseen = this.#forgotten.splice(0);
    const ahead = this.#ahead.get(resource);
    while (ahead !== undefined && ahead.length > 0) {
      const [first] = ahead;
      if (first === undefined || isNewerResourceVersion(first.version, version)) break;
      ahead.shift();
      if (!first.shown) unseen.push(first.key);
    }
    return unseen;
  }

  /** Whether a change is a step that a run of `key` made. */
  explains(key: ObjectKey, resource: string, change: Change): boolean {
    if (change.type !== 'added' && change.type !== 'updated') return false;
    const step = this.#steps.get(idOf(resource, change.object.metadata?.resourceVersion));
    if (step?.key !== key) return false;
    return step.from === (change.type === 'updated' ? change.old.metadata?.resourceVersion : undefined);
  }

  /** Whether a run of `key` wrote this version of a resource, whatever else it shows. */
  wrote(key: ObjectKey, resource: string, version: string | undefined): boolean {
    return this.#steps.get(idOf(resource, version))?.key === key;
  }

  #await(resource: string, step: Step): void {
    const ahead = this.#ahead.get(resource) ?? [];
    this.#ahead.set(resource, ahead);
    // Newer writes are mostly answered later.
    let at = ahead.length;
    while (at > 0 && isNewerResourceVersion(ahead[at - 1]?.version ?? '', step.version)) at--;
    ahead.splice(at, 0, step);
    if (ahead.length <= stepsMax) return;
    const dropped = ahead.shift();
    if (dropped?.shown === false) this.#forget(dropped);
  }

  #forgetOldest(): void {
    for (const [id, step] of this.#steps.entries().take(1)) {
      this.#steps.delete(id);
      if (!step.shown) this.#forget(step);
    }
  }

  #forget(step: Step): void {
    step.shown = true;
    this.#forgotten.push(step.key);
  }
}

function idOf(resource: string, version: string | undefined): string {
  return `${resource} ${version ?? ''}`;
}

/** The version a write was made on, when its answer holds nothing else; null when that can't be told. */
function baseOf(write: SentWrite, before: KubeObject | undefined, answer: KubeObject): Step['from'] {
  if (write.verb === 'create') return undefined;
  const precondition = preconditionOf(write);
  if (precondition !== undefined) return precondition;
  if (before === undefined || write.verb !== 'patch' || before.metadata?.uid !== answer.metadata?.uid) return null;
  return changesNothingElse(write, before, answer) ? (before.metadata?.resourceVersion ?? null) : null;
}

/** The version the server held the write against. */
function preconditionOf({ patchType, body }: SentWrite): string | undefined {
  if (patchType === 'json') {
    const test = (body as readonly JsonPatchOperation[]).find(
      ({ op, path }) => op === 'test' && path === '/metadata/resourceVersion',
    );
    return typeof test?.value === 'string' ? test.value : undefined;
  }
  const version = (body as KubeObject | undefined)?.metadata?.resourceVersion;
  return version === '' ? undefined : version;
}

function changesNothingElse({ patchType, body }: SentWrite, before: KubeObject, answer: KubeObject): boolean {
  const [from, to] = [comparable(before), comparable(answer)];
  try {
    switch (patchType) {
      case 'merge':
        return deepEqual(comparable(applyMergePatch(from, body as Json) as KubeObject), to);
      case 'json':
        return deepEqual(comparable(applyJsonPatch(from, body as readonly JsonPatchOperation[]) as KubeObject), to);
      default:
        return differsWithin(from, to, body as Json);
    }
  } catch {
    return false;
  }
}

/** Without what every write changes, and what lists leave out. */
function comparable(object: KubeObject): { readonly [key: string]: Json } {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _version, generation: _generation, managedFields: _managed, ...kept } = metadata ?? {};
  return { ...rest, metadata: kept } as unknown as { readonly [key: string]: Json };
}

/** Whether two states differ only in fields that a patch names. Lists must be as in the patch: it may name elements only. */
function differsWithin(from: Json, to: Json, patch: Json): boolean {
  if (deepEqual(from, to)) return true;
  if (!isMap(patch) || !isMap(to)) return deepEqual(to, patch);
  const old = isMap(from) ? from : {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(to)])) {
    if (deepEqual(old[key], to[key])) continue;
    const patched = patch[key];
    const after = to[key];
    if (patched === undefined || after === undefined) return false;
    if (!differsWithin(old[key] ?? null, after, patched)) return false;
  }
  return true;
}

function isMap(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
