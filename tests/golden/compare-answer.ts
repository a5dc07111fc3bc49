// Compares the answer of a step with the recorded one: JSON, protobuf, kubectl's text or lists, as the step has it.

import type { Comparison, Difference } from './compare.ts';
import { cutKubectlLine } from './forms.ts';
import { isObject, withoutPaths } from './json-values.ts';
import { compareSnapshots } from './compare-snapshot.ts';
import { protobufTree } from './protobuf-tree.ts';
import type { Answer, Step } from './recording.ts';
import type { Shown } from './shown.ts';

/** Returns all differences; none = the step passes. Answers must come in the order of the recording. */
export function compareAnswer(comparison: Comparison, step: Step, actual: Answer): Difference[] {
  const expected = step.answer;
  comparison.expected.learn(expected);
  comparison.actual.learn(actual);
  if (step.do === 'snapshot') compareSnapshots(comparison, step, actual);
  else if (step.do === 'kubectl') compareKubectl(comparison, step, actual);
  else if (isProtobufAnswer(expected)) compareProtobuf(comparison, expected, actual);
  else comparison.compare('', withoutPaths(expected, step.ignore), withoutPaths(actual, step.ignore));
  return comparison.takeDifferences();
}

function compareKubectl(comparison: Comparison, step: Step, actual: Answer): void {
  const expected = step.answer;
  if (expected.code !== actual.code) comparison.differ('exit code', expected.code, actual.code);
  for (const stream of ['stdout', 'stderr'] as const) {
    const ours = linesOf(comparison.expected, expected[stream]);
    const theirs = linesOf(comparison.actual, actual[stream]);
    if (step.unordered) {
      ours.sort();
      theirs.sort();
    }
    for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
      if (ours[index] === theirs[index]) continue;
      comparison.differ(`${stream}:${index + 1}`, ours[index], theirs[index]);
      // Lines after the first that differs differ too, mostly for the same reason.
      if (!step.allLines) break;
    }
  }
  if (actual.error !== undefined) comparison.differ('', 'kubectl runs', actual.error);
}

function linesOf(shown: Shown, text = ''): string[] {
  return shown.cut(text).text.split('\n').map(cutKubectlLine);
}

function isProtobufAnswer({ base64, events }: Answer): boolean {
  return base64 !== undefined || (events ?? []).some((event) => isObject(event) && event['base64'] !== undefined);
}

function compareProtobuf(comparison: Comparison, expected: Answer, actual: Answer): void {
  comparison.compare('status', expected.status, actual.status);
  comparison.compare('protobuf', treesOf(expected), treesOf(actual));
}

function treesOf(answer: Answer): unknown[] {
  return (answer.events ?? [answer]).map((frame) => {
    const base64 = isObject(frame) ? frame['base64'] : undefined;
    return typeof base64 === 'string' ? protobufTree(Buffer.from(base64, 'base64')) : undefined;
  });
}
