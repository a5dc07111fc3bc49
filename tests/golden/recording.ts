// A recording: what was asked of a real control plane, step by step, and what it answered. Data in `recordings/`,
// one JSON file each, one step a line; README.md says what each kind of step means.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Recording {
  readonly name: string;
  readonly about?: string;
  /** Components that run: `apiserver`, `controller-manager`, `scheduler`. */
  readonly needs?: readonly string[];
  /** Further flags of the controller manager. */
  readonly flags?: string;
  /** Replayed after the others and by itself. */
  readonly alone?: boolean;
  readonly steps: readonly Step[];
}

export type StepKind = 'request' | 'watch' | 'events' | 'close' | 'settle' | 'snapshot' | 'each' | 'kubectl' | 'sleep';

/** A condition on a JSON value: the value at `path` (empty = all of it; a trailing `.#` = number of items). */
export interface Condition {
  readonly path: string;
  readonly equals?: unknown;
  readonly exists?: boolean;
  /** A status condition of this type has `status` (default `True`). */
  readonly condition?: string;
  readonly status?: string;
  readonly matches?: string;
}

/** What is asked over HTTP. */
export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly base64?: string;
  /** A large body, kept small: head + unit × times + tail. */
  readonly repeat?: { readonly head?: string; readonly unit: string; readonly times: number; readonly tail?: string };
  /** Answer headers recorded beside the usual ones. */
  readonly keep?: readonly string[];
  /** Keep a JSON answer as text. */
  readonly raw?: boolean;
  readonly timeoutMs?: number;
}

/** One step. Fields beside those of {@link Request} belong to the kinds named. */
export interface Step extends Partial<Request> {
  readonly do?: StepKind;
  readonly note?: string;
  /** Names for later `${name}`, by their paths in the answer. */
  readonly save?: Readonly<Record<string, string>>;
  /** Paths that are not compared. */
  readonly ignore?: readonly string[];
  /** Only done, not compared. */
  readonly unchecked?: boolean | 'brief';
  readonly answer: Answer;
  /** watch, events, close */
  readonly id?: string;
  readonly onlyInitialBookmark?: boolean;
  readonly count?: number;
  readonly untilEnd?: boolean;
  readonly andNoMore?: number;
  /** settle */
  readonly until?: readonly Condition[];
  readonly status?: number;
  /** snapshot */
  readonly paths?: readonly string[];
  readonly quietMs?: number;
  readonly sort?: readonly string[];
  /** each */
  readonly list?: string;
  readonly where?: readonly Condition[];
  readonly first?: number;
  readonly suffix?: string;
  /** kubectl */
  readonly args?: readonly (string | number)[];
  readonly stdin?: string;
  readonly unordered?: boolean;
  readonly allLines?: boolean;
  /** sleep */
  readonly ms?: number;
}

/** What came back. `error` stands for no answer at all. */
export interface Answer {
  readonly error?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly base64?: string;
  readonly events?: readonly unknown[];
  readonly ended?: boolean;
  readonly lists?: Readonly<Record<string, unknown>>;
  readonly found?: number;
  readonly statuses?: Readonly<Record<string, number>>;
  readonly code?: number | null;
  readonly stdout?: string;
  readonly stderr?: string;
}

export const recordingsFolder = join(import.meta.dirname, 'recordings');

/** Reads the recordings of files and folders, in the order of their names. */
export function loadRecordings(paths: readonly string[]): Recording[] {
  const files = (paths.length > 0 ? paths : [recordingsFolder]).flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .sort()
          .filter((name) => name.endsWith('.json'))
          .map((name) => join(path, name))
      : [path],
  );
  return files.map(loadRecording);
}

/** @throws with the file's name when it is not a recording */
export function loadRecording(file: string): Recording {
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  if (typeof recording.name !== 'string' || !Array.isArray(recording.steps)) {
    throw new Error(`${basename(file)} is not a recording: it has no name or no steps`);
  }
  return recording;
}

/** Whether the step's answer is compared. */
export function isCompared(step: Step): boolean {
  return step.do !== 'sleep' && step.do !== 'close' && !step.unchecked;
}

/** What a step asks, in one line. */
export function describeStep(step: Step): string {
  const target = step.path ?? step.args?.join(' ') ?? step.id ?? step.list ?? '';
  const note = step.note === undefined ? '' : `(${step.note})`;
  return [step.do, step.method, target, note].filter(Boolean).join(' ');
}
