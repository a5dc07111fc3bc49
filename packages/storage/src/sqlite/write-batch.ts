// The form in which changes travel to the worker: columns, with all values in one buffer that is transferred and not
// copied once more. (A holder's bytes may be a view into a large shared buffer, which a plain message would copy whole.)

import type { Change } from '../sequencing/change.ts';
import { rowId } from './schema.ts';

export interface WriteBatch {
  readonly lastRevision: number;
  readonly keys: readonly string[];
  /** Per row: id, createRevision, version, previous, expiresAtMs, end of the value in `values` (negative: no value). */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
}

/** Numbers per row in {@link WriteBatch.numbers}. */
export const numbersPerRow = 6;

export function packBatch(changes: readonly Change[]): WriteBatch {
  const events = changes.flatMap((change) => change.events);
  const valueBytes = events.reduce((sum, { current }) => sum + (current?.value.bytes().byteLength ?? 0), 0);
  const keys: string[] = [];
  const numbers = new Float64Array(events.length * numbersPerRow);
  const values = new Uint8Array(valueBytes);
  let end = 0;
  let at = 0;
  for (const change of changes) {
    for (const { key, current, previous, revision, ordinal } of change.events) {
      keys.push(key);
      numbers[at] = rowId(revision, ordinal);
      numbers[at + 1] = current?.createRevision ?? 0;
      numbers[at + 2] = current?.version ?? 0;
      numbers[at + 3] = previous === undefined ? 0 : rowId(previous.modRevision, previous.ordinal);
      numbers[at + 4] = current?.expiresAtMs ?? 0;
      if (current !== undefined) {
        values.set(current.value.bytes(), end);
        end += current.value.bytes().byteLength;
      }
      numbers[at + 5] = current === undefined ? -1 : end;
      at += numbersPerRow;
    }
  }
  return { lastRevision: changes.at(-1)?.revision ?? 0, keys, numbers, values };
}
