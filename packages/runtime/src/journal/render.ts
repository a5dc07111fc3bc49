// The journal's answers as text, one fact a line, the newest first.

import type { RunReason } from '../controller/run-reasons.ts';
import { nameOf } from './cycle.ts';
import type { JournalRun, JournalWrite } from './journal-view.ts';
import type { RunChain, Why } from './why.ts';

/**
 * Why an object is as it is.
 *
 * @example
 * parts.example.com default/w-part at version 34
 *   patched by sizes in run 17 of default/w, at 12:00:01.250, took 3 ms (SizeDiffers: had=1 wants=2)
 *   woken by widgets.example.com default/w updated, version 33, from outside
 */
export function renderWhy(why: Why): string {
  const { resource, object, write } = why;
  const lines = [`${nameOf(resource)} ${object}${write.version === undefined ? '' : ` at version ${write.version}`}`];
  why.runs.forEach((run, at) => {
    const indent = '  '.repeat(at + 1);
    const wrote = at === 0 ? write : writeBetween(run, why.runs[at - 1]);
    lines.push(`${indent}${writeLine(run, wrote)}`);
    for (const reason of run.reasons) lines.push(`${indent}woken by ${reasonLine(reason)}`);
    if (run.reasonsDropped > 0) lines.push(`${indent}and by ${run.reasonsDropped} earlier ones`);
  });
  if (why.truncated) lines.push('  … what led to that is not kept');
  return `${lines.join('\n')}\n`;
}

/** A chain of runs, oldest first. */
export function renderChain({ runs, truncated }: RunChain): string {
  const lines = runs.flatMap((run) => [
    `run ${run.id}: ${run.controller} ${run.key}, ${timeOf(run.startedMs)}, ${outcomeOf(run)}`,
    ...run.reasons.map((reason) => `  woken by ${reasonLine(reason)}`),
    ...run.writes.map(
      (write) => `  ${writeWords(write)}${write.woke.length === 0 ? '' : `, which woke run ${write.woke.join(', ')}`}`,
    ),
    ...(run.writesDropped > 0 ? [`  and ${run.writesDropped} more writes`] : []),
  ]);
  if (truncated) lines.push('… more runs belong to it, or are not kept');
  return `${lines.join('\n')}\n`;
}

function writeLine(run: JournalRun, write: JournalWrite | undefined): string {
  const facts = factsOf(write);
  const what =
    write === undefined ? 'after' : `${participle[write.verb]}${ofSubresource(write)} by ${run.controller} in`;
  return `${what} run ${run.id} of ${write === undefined ? `${run.controller} ` : ''}${run.key}, at ${timeOf(run.startedMs)}, ${outcomeOf(run)}${facts === '' ? '' : ` (${facts})`}`;
}

function writeWords(write: JournalWrite): string {
  const facts = factsOf(write);
  const result =
    write.error !== undefined
      ? `, refused: ${write.error}`
      : write.changed === false
        ? ', which changed nothing'
        : write.version === undefined
          ? ''
          : ` to version ${write.version}`;
  return `${participle[write.verb]}${ofSubresource(write)} ${nameOf(write.resource)} ${write.object}${result}${facts === '' ? '' : ` (${facts})`}`;
}

const participle = {
  create: 'created',
  update: 'updated',
  patch: 'patched',
  delete: 'deleted',
  other: 'written',
} as const;

function ofSubresource({ subresource }: JournalWrite): string {
  return subresource === undefined ? '' : ` (${subresource})`;
}

function factsOf(write: JournalWrite | undefined): string {
  if (write?.reason === undefined) return '';
  const facts = Object.entries(write.facts ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return facts.length === 0 ? write.reason : `${write.reason}: ${facts.join(' ')}`;
}

function reasonLine(reason: JournalRun['reasons'][number]): string {
  const from = reason.causedBy === undefined ? ', from outside' : `, written by run ${reason.causedBy.run}`;
  return reason.type === 'change'
    ? `${nameOf(`${reason.resource}.${reason.group}`)} ${reason.object} ${reason.change}, version ${reason.version}${from}`
    : plainReason(reason);
}

function plainReason(reason: Exclude<RunReason, { readonly type: 'change' }>): string {
  switch (reason.type) {
    case 'retry':
      return `a retry after ${reason.failures} failures`;
    case 'requeue':
      return `the run before, which asked to look again after ${reason.afterMs} ms`;
    case 'unseen-write':
      return `a write to ${nameOf(reason.resource)} that the cache went past without showing it`;
    case 'superseded':
      return 'a run that was superseded';
    case 'start':
      return 'the start of the controller';
    case 'wake':
      return 'a call';
  }
}

function outcomeOf({ outcome, durationMs, error }: JournalRun): string {
  if (durationMs === undefined) return 'still runs';
  return `${outcome === 'success' ? '' : `${outcome ?? ''}, `}took ${durationMs} ms${error === undefined ? '' : `: ${error}`}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

/** The write of a run that woke the next one. */
function writeBetween(run: JournalRun, next: JournalRun | undefined): JournalWrite | undefined {
  const cause = next?.reasons.findLast(({ causedBy }) => causedBy?.run === run.id)?.causedBy;
  return cause === undefined ? undefined : run.writes[cause.write];
}
