// Recordings that can share one set of components: the same ones, with the same flags.

import type { Recording } from './recording.ts';

export interface RecordingGroup {
  readonly needs: readonly string[];
  /** Further flags of the controller manager. */
  readonly flags: readonly string[];
  readonly recordings: readonly Recording[];
}

/** Groups in the order in which they are run: the API server alone first. */
export function groupRecordings(recordings: readonly Recording[]): RecordingGroup[] {
  const groups = new Map<string, Recording[]>();
  for (const recording of recordings) {
    const key = JSON.stringify([needsOf(recording), flagsOf(recording)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [recording]);
    else group.push(recording);
  }
  return [...groups.values()]
    .map((members) => ({ needs: needsOf(members[0]), flags: flagsOf(members[0]), recordings: members }))
    .toSorted((a, b) => a.needs.length - b.needs.length || a.flags.length - b.flags.length);
}

export function needsControllers({ needs }: RecordingGroup): boolean {
  return needs.some((component) => component !== 'apiserver');
}

function needsOf(recording: Recording | undefined): readonly string[] {
  return recording?.needs ?? ['apiserver'];
}

// Flags of a recording of the API server alone name what every server here has.
function flagsOf(recording: Recording | undefined): readonly string[] {
  if (!needsOf(recording).includes('controller-manager')) return [];
  return (recording?.flags ?? '').split(' ').filter(Boolean);
}
