// The list of steps that pass, per recording: what `--check` holds the product to. It only grows, unless somebody
// says that a loss is meant.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordingResult } from './replay-and-compare.ts';
import { passingSteps } from './report.ts';

export const passingFile = join(import.meta.dirname, 'passing.json');

/** Step numbers (from 1) by the recording's name. */
export type PassingSteps = ReadonlyMap<string, readonly number[]>;

/** A step that should pass and does not, or that passes and is not listed. */
export interface StepChange {
  readonly name: string;
  readonly steps: readonly number[];
}

export function readPassing(file = passingFile): PassingSteps {
  if (!existsSync(file)) return new Map();
  const ranges = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return new Map(Object.entries(ranges).map(([name, text]) => [name, parseRanges(text)]));
}

export function writePassing(passing: PassingSteps, file = passingFile): void {
  const names = [...passing.keys()].filter((name) => passing.get(name)?.length !== 0).sort();
  const entries = names.map((name) => [name, formatRanges(passing.get(name) ?? [])]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

/** What the results lost against the list, and what they gained. Recordings without a result are not looked at. */
export function comparePassing(
  listed: PassingSteps,
  results: readonly RecordingResult[],
): { readonly lost: readonly StepChange[]; readonly gained: readonly StepChange[] } {
  const lost: StepChange[] = [];
  const gained: StepChange[] = [];
  for (const result of results) {
    const now = new Set(passingSteps(result));
    const before = new Set(listed.get(result.name));
    const missing = [...before].filter((step) => !now.has(step));
    const added = [...now].filter((step) => !before.has(step));
    if (missing.length > 0) lost.push({ name: result.name, steps: missing });
    if (added.length > 0) gained.push({ name: result.name, steps: added });
  }
  return { lost, gained };
}

/** The list after an update; steps that no longer pass go only when `allowLoss` says so. */
export function updatePassing(
  listed: PassingSteps,
  results: readonly RecordingResult[],
  { allowLoss }: { readonly allowLoss: boolean },
): PassingSteps {
  const updated = new Map(listed);
  for (const result of results) {
    const before = allowLoss ? [] : (listed.get(result.name) ?? []);
    updated.set(
      result.name,
      [...new Set([...before, ...passingSteps(result)])].sort((a, b) => a - b),
    );
  }
  return updated;
}

/** `1-3,7` for 1, 2, 3, 7. */
export function formatRanges(steps: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const step of steps) {
    const open = ranges.at(-1);
    if (open !== undefined && step === open.last + 1) open.last = step;
    else ranges.push({ first: step, last: step });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

export function parseRanges(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
