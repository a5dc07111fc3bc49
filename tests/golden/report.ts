// Prints results, and writes them for programs in the form that every harness of these recordings uses.

import { writeFileSync } from 'node:fs';
import type { Recording } from './recording.ts';
import type { RecordingResult } from './replay-and-compare.ts';

const shownMax = 300;

export function formatListEntry(recording: Recording): string {
  const steps = String(recording.steps.length).padStart(4);
  const needs = (recording.needs ?? []).join(',').padEnd(20);
  return `${recording.name.padEnd(34)} ${steps} steps  ${needs} ${recording.about ?? ''}`;
}

export function formatResult(
  result: RecordingResult,
  { failuresMax, differencesMax }: { readonly failuresMax: number; readonly differencesMax: number },
): string {
  const passed = result.done - result.failed.length;
  const lines = [
    `${result.failed.length > 0 ? 'FALLS SHORT' : 'ok         '} ${result.name} ${passed}/${result.steps}`,
  ];
  for (const { step, what, differences } of result.failed.slice(0, failuresMax)) {
    lines.push(`   step ${step}: ${what}`);
    for (const { path, expected, actual } of differences.slice(0, differencesMax)) {
      lines.push(
        `      ${path}`,
        `         expected ${formatValue(expected)}`,
        `         actual   ${formatValue(actual)}`,
      );
    }
    if (differences.length > differencesMax) {
      lines.push(`      … and ${differences.length - differencesMax} more differences`);
    }
  }
  return lines.join('\n');
}

export interface Totals {
  readonly recordings: number;
  readonly steps: number;
  readonly passed: number;
}

export function totalsOf(results: readonly RecordingResult[]): Totals {
  return {
    recordings: results.length,
    steps: sum(results, (result) => result.steps),
    passed: sum(results, (result) => passingSteps(result).length),
  };
}

export function formatTotals({ recordings, steps, passed }: Totals): string {
  const percent = ((100 * passed) / Math.max(1, steps)).toFixed(2);
  return `${passed} of ${steps} steps equal, in ${recordings} recordings (${percent} %)`;
}

/** Numbers (from 1) of the steps that were done and did not fail. */
export function passingSteps({ done, failed }: RecordingResult): number[] {
  const failing = new Set(failed.map(({ step }) => step));
  return Array.from({ length: done }, (_, index) => index + 1).filter((step) => !failing.has(step));
}

export function writeResults(file: string, results: readonly RecordingResult[]): void {
  const entries = results.map(({ name, done, failed }) => ({
    name,
    file: `${name}.json`,
    steps: done,
    failed: failed.map(({ step, what, differences }) => ({ step, what, diffs: differences })),
  }));
  writeFileSync(file, `${JSON.stringify({ totals: totalsOf(results), results: entries }, null, 1)}\n`);
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === undefined) return '(absent)';
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
