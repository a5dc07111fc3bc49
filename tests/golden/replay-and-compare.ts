// Replays one recording and says which of its steps fail, and how. Also replays many, some at a time.

import { compareAnswer } from './compare-answer.ts';
import { Comparison, type Difference } from './compare.ts';
import { describeStep, isCompared, type Recording } from './recording.ts';
import { replay, type ReplayTools } from './replay.ts';

export interface FailedStep {
  /** From 1. */
  readonly step: number;
  readonly what: string;
  readonly differences: readonly Difference[];
}

export interface RecordingResult {
  readonly name: string;
  readonly steps: number;
  /** Steps that were done; fewer when the replay itself broke. */
  readonly done: number;
  readonly failed: readonly FailedStep[];
}

export async function replayAndCompare(recording: Recording, tools: ReplayTools): Promise<RecordingResult> {
  const controllersRun = (recording.needs ?? []).some((component) => component !== 'apiserver');
  const comparison = new Comparison({ controllersRun });
  const failed: FailedStep[] = [];
  let done = 0;
  try {
    for await (const { step, answer } of replay(recording, tools)) {
      done++;
      if (!isCompared(step)) continue;
      const differences = compareAnswer(comparison, step, answer);
      if (differences.length > 0) failed.push({ step: done, what: describeStep(step), differences });
    }
  } catch (error) {
    const actual = error instanceof Error ? error.stack : String(error);
    failed.push({ step: done + 1, what: 'the replay itself', differences: [{ path: '', expected: 'runs', actual }] });
  }
  return { name: recording.name, steps: recording.steps.length, done, failed };
}

/** Replays `jobs` recordings at a time, those that want to be alone after the others, and reports each when it is done. */
export async function replayAll(
  recordings: readonly Recording[],
  tools: ReplayTools,
  { jobs, onResult }: { readonly jobs: number; readonly onResult: (result: RecordingResult) => void },
): Promise<void> {
  const isAlone = (recording: Recording): boolean => jobs > 1 && recording.alone === true;
  const together = recordings.filter((recording) => !isAlone(recording));
  const work = async (): Promise<void> => {
    for (let next = together.shift(); next !== undefined; next = together.shift()) {
      onResult(await replayAndCompare(next, tools));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const recording of recordings.filter(isAlone)) onResult(await replayAndCompare(recording, tools));
}
