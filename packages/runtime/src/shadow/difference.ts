// How the writes of two versions of a controller differ: by the objects they would leave behind, whatever writes led there.

import type { Json } from '@homeostat/machinery';
import type { ObjectKey } from '@homeostat/client';
import { type FieldChange, fieldChanges } from '../rehearsal/field-changes.ts';
import type { RehearsedWrite } from '../rehearsal/pretend-client.ts';
import { saysTheSame } from '../rehearsal/pretend-write.ts';

export type DifferenceKind =
  /** Only the first version changes the object, or makes or deletes it. */
  | 'only-first'
  | 'only-second'
  /** Both change it, to different ends; or one keeps what the other deletes. */
  | 'different'
  /** The second version fails where the first does not. */
  | 'fails';

export interface Difference {
  readonly kind: DifferenceKind;
  /** The first version's. */
  readonly controller: string;
  /** The key that was reconciled. */
  readonly key: ObjectKey;
  /** `<resource>.<group>`; empty for failures. */
  readonly resource: string;
  readonly object: ObjectKey;
  /** From what the first version leaves to what the second does. */
  readonly fields: readonly FieldChange[];
  readonly error?: string;
}

export interface CompareOptions {
  /** Times that differ by no more than this are the same, milliseconds. */
  readonly timeToleranceMs: number;
  /** Fields that do not matter. */
  readonly ignore: (path: string, resource: string) => boolean;
}

interface End {
  readonly resource: string;
  readonly object: ObjectKey;
  readonly before: RehearsedWrite['before'];
  after: RehearsedWrite['after'];
}

/** The differences between what two runs of a key leave behind. */
export function compareWrites(
  run: { readonly controller: string; readonly key: ObjectKey },
  writes: { readonly first: readonly RehearsedWrite[]; readonly second: readonly RehearsedWrite[] },
  options: CompareOptions,
): readonly Difference[] {
  const first = endsOf(writes.first);
  const second = endsOf(writes.second);
  const differences: Difference[] = [];
  for (const id of new Set([...first.keys(), ...second.keys()])) {
    const [a, b] = [first.get(id), second.get(id)];
    const some = a ?? b;
    if (some === undefined) continue;
    const { resource, object, before } = some;
    const [left, right] = [a === undefined ? before : a.after, b === undefined ? before : b.after];
    if (left !== undefined && right !== undefined && saysTheSame(left, right)) continue;
    if (left === undefined && right === undefined) continue;
    const fields = fieldChanges(left, right).filter(
      (change) => !options.ignore(change.path, resource) && !areNear(change, options.timeToleranceMs),
    );
    // What is there or not is never a matter of fields.
    if (fields.length === 0 && (left === undefined) === (right === undefined)) continue;
    const kind =
      a === undefined || isSame(a) ? 'only-second' : b === undefined || isSame(b) ? 'only-first' : 'different';
    differences.push({ ...run, kind, resource, object, fields });
  }
  return differences;
}

/** The last state of each object that was written. */
function endsOf(writes: readonly RehearsedWrite[]): ReadonlyMap<string, End> {
  const ends = new Map<string, End>();
  for (const { resource, object, before, after, error } of writes) {
    if (error !== undefined) continue;
    const id = `${resource} ${object}`;
    const known = ends.get(id);
    if (known === undefined) ends.set(id, { resource, object, before, after });
    else known.after = after;
  }
  return ends;
}

function isSame({ before, after }: End): boolean {
  return before === after || (before !== undefined && after !== undefined && saysTheSame(before, after));
}

function areNear({ from, to }: FieldChange, toleranceMs: number): boolean {
  const [a, b] = [timeOf(from), timeOf(to)];
  return a !== undefined && b !== undefined && Math.abs(a - b) <= toleranceMs;
}

function timeOf(value: Json | undefined): number | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? Date.parse(value) : undefined;
}
