// The own-write filter: a watch event that only shows what a key's own run wrote need not wake that key again. It is only certain
// where the step from the state before to the state after is the write and nothing else; whatever is not certain wakes.

import type { ObjectKey } from '@homeostat/client';
import { applyJsonPatch, applyMergePatch, deepEqual, type Json, type KubeObject } from '@homeostat/machinery';
import type { JsonPatchOperation } from '@homeostat/machinery';
import type { Change } from '../informer/change.ts';
import type { SentWrite } from './fenced-client.ts';

/** Steps remembered a controller; of more, the oldest is forgotten and its event wakes. */
const stepsMax = 4096;

interface Step {
  readonly key: ObjectKey;
  /** Version before; undefined: there was no object; null: not known, or not all of the step is the write's. */
  readonly from: string | undefined | null;
}

/** The steps that runs of one controller made, by resource and the version they led to. */
export class OwnWrites {
  readonly #steps = new Map<string, Step>();

  /** Remembers a write for `key` that was answered. `before`: the newest state of its object the writer knew. */
  answered(key: ObjectKey, write: SentWrite, before: KubeObject | undefined, answer: KubeObject): void {
    const to = answer.metadata?.resourceVersion;
    if (to === undefined || to === before?.metadata?.resourceVersion) return;
    if (this.#steps.size >= stepsMax) for (const oldest of this.#steps.keys().take(1)) this.#steps.delete(oldest);
    this.#steps.set(`${write.resource} ${to}`, { key, from: baseOf(write, before, answer) });
  }

  /** Whether a change is a step that a run of `key` made. */
  explains(key: ObjectKey, resource: string, change: Change): boolean {
    if (change.type !== 'added' && change.type !== 'updated') return false;
    const step = this.#steps.get(`${resource} ${change.object.metadata?.resourceVersion ?? ''}`);
    if (step?.key !== key) return false;
    return step.from === (change.type === 'updated' ? change.old.metadata?.resourceVersion : undefined);
  }

  /** Whether a run of `key` wrote this version of a resource, whatever else it shows. */
  wrote(key: ObjectKey, resource: string, version: string | undefined): boolean {
    return this.#steps.get(`${resource} ${version ?? ''}`)?.key === key;
  }
}

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
