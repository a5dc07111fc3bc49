// A loop in words: the way from a run of a key back to the run of the same key before it, through the writes that woke what is between.

import type { RunEntry, WriteEntry } from './journal-entry.ts';

/** Steps looked back, at most: a longer way is told from there on. */
const stepsMax = 16;

/** From the run of the key before (or as far as is known) to this run, oldest first. */
export function cycleOf(run: RunEntry): readonly RunEntry[] {
  const cycle = [run];
  let at = run.cause;
  while (at !== undefined && cycle.length <= stepsMax) {
    cycle.unshift(at);
    if (at.controller === run.controller && at.key === run.key) break;
    at = at.cause;
  }
  return cycle;
}

/** How often the key of a run had run on the way to `from`, that one included. */
export function visitsBefore(run: RunEntry, from: RunEntry): number {
  let at: RunEntry | undefined = from;
  for (let steps = 0; at !== undefined && steps < stepsMax; steps++) {
    if (at.controller === run.controller && at.key === run.key) return at.visits;
    at = at.cause;
  }
  return 0;
}

/** e.g. `a default/x patched widgets.example.com default/x (SizeDiffers), which woke b default/x, which …` */
export function describeCycle(cycle: readonly RunEntry[]): string {
  const words = cycle.map((run, at) => {
    const next = cycle[at + 1];
    const write = run.writes.findLast((each) => (next === undefined ? each.changed !== false : leadsTo(each, next)));
    const did = write === undefined ? '' : ` ${describeWrite(write)}`;
    return `${run.controller} ${run.key}${did}`;
  });
  return words.join(', which woke ');
}

const pastTense = {
  create: 'created',
  update: 'updated',
  patch: 'patched',
  delete: 'deleted',
  other: 'wrote',
} as const;

/** e.g. `updated the status of pods. default/web-0 (PhaseDiffers)` */
export function describeWrite({ verb, subresource, resource, object, reason }: WriteEntry): string {
  const of = subresource === undefined ? '' : `the ${subresource} of `;
  return `${pastTense[verb]} ${of}${nameOf(resource)} ${object}${reason === undefined ? '' : ` (${reason})`}`;
}

/** Names of resources without the dot that core ones end in. */
export function nameOf(resource: string): string {
  return resource.endsWith('.') ? resource.slice(0, -1) : resource;
}

export function controllersOf(run: RunEntry, cycle: readonly RunEntry[]): readonly string[] {
  return [...new Set([run.controller, ...cycle.map(({ controller }) => controller)])];
}

function leadsTo(write: WriteEntry, run: RunEntry): boolean {
  return run.reasons.reasons.some(
    (reason) =>
      reason.type === 'change' &&
      reason.object === write.object &&
      `${reason.resource}.${reason.group}` === write.resource,
  );
}
