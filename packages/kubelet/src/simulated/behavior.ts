// What a simulated container does, read from the Pod's annotations (README.md lists them). `simulated.homeostat.dev/<key>` is meant for
// all containers of the Pod, `simulated.homeostat.dev/<container>.<key>` for one, and wins.

import type { Pod } from '@homeostat/api/types/core-v1';
import { durationMs } from '@homeostat/machinery';
import type { ProbeType } from '../probes/probe-spec.ts';
import type { AnyContainer, ContainerKind } from '../runtime/container-runtime.ts';

export const annotationPrefix = 'simulated.homeostat.dev/';

export interface ProbeBehavior {
  /** Fails up to this age of the container. */
  readonly passAfterMs: number;
  /** Fails from this age on. */
  readonly failAfterMs: number;
}

export interface HookBehavior {
  readonly takesMs: number;
  readonly fails: boolean;
}

export interface Behavior {
  readonly pullDelayMs: number | undefined;
  readonly imageError: { readonly reason: string; readonly message: string } | undefined;
  readonly startDelayMs: number;
  readonly startError: { readonly reason: string; readonly message: string } | undefined;
  /** How long it runs before it ends by itself; Infinity: for ever. */
  readonly runForMs: number;
  /** Of the first instance, the second, …; the last one counts for all later ones. */
  readonly exitCodes: readonly number[];
  readonly exitReason: string | undefined;
  readonly exitMessage: string | undefined;
  /** From TERM to the end; Infinity: it does not listen. */
  readonly stopDelayMs: number;
  readonly stopExitCode: number;
  /** By probe; undefined: nothing was said about it. */
  readonly probes: Readonly<Record<ProbeType, ProbeBehavior | undefined>>;
  readonly postStart: HookBehavior;
  readonly preStop: HookBehavior;
  readonly logLines: readonly string[];
  readonly logEveryMs: number;
}

/** A value that can't be understood. */
export class BehaviorError extends Error {
  override readonly name = 'BehaviorError';
}

const jobRunMs = 1_000;

/** Behaviours of containers of which nothing was said, by how long they run. */
const plain = new Map<number, Behavior>();

/** Reads the behaviour of a container. @throws BehaviorError */
export function behaviorOf(pod: Pod, container: AnyContainer, kind: ContainerKind): Behavior {
  const annotations = pod.metadata?.annotations ?? {};
  for (const key in annotations) if (key.startsWith(annotationPrefix)) return readBehavior(pod, container, kind);
  const runForMs = defaultRunMs(pod, container, kind);
  let behavior = plain.get(runForMs);
  if (behavior === undefined) {
    behavior = readBehavior(pod, container, kind);
    plain.set(runForMs, behavior);
  }
  return behavior;
}

function readBehavior(pod: Pod, container: AnyContainer, kind: ContainerKind): Behavior {
  const read = new Reader(pod, container.name);
  const crashAfterMs = read.duration('crash-after');
  const imageReason = read.text('image-error');
  const startError = read.text('start-error');
  return {
    pullDelayMs: read.duration('pull-delay'),
    imageError:
      imageReason === undefined
        ? undefined
        : { reason: imageReason, message: read.text('image-error-message') ?? imageErrorText(container.image ?? '') },
    startDelayMs: read.duration('start-delay') ?? 0,
    startError: startError === undefined ? undefined : splitReason(startError, 'RunContainerError'),
    runForMs: crashAfterMs ?? read.duration('run-for') ?? defaultRunMs(pod, container, kind),
    exitCodes: read.numbers('exit-code') ?? [crashAfterMs === undefined ? 0 : 1],
    exitReason: read.text('exit-reason'),
    exitMessage: read.text('exit-message'),
    stopDelayMs: read.text('stop-delay') === 'never' ? Infinity : (read.duration('stop-delay') ?? 0),
    stopExitCode: read.numbers('stop-exit-code')?.[0] ?? 0,
    probes: { startup: read.probe('startup'), liveness: read.probe('liveness'), readiness: readiness(read) },
    postStart: read.hook('post-start'),
    preStop: read.hook('pre-stop'),
    logLines: (read.text('log-lines') ?? '').split('\n').filter((line) => line !== ''),
    logEveryMs: read.duration('log-every') ?? Infinity,
  };
}

/** Containers run for ever, except those that are there to do something and end. */
function defaultRunMs({ metadata }: Pod, { restartPolicy }: AnyContainer, kind: ContainerKind): number {
  if (kind === 'init') return restartPolicy === 'Always' ? Infinity : 0;
  if (kind === 'ephemeral') return Infinity;
  const job = metadata?.ownerReferences?.some((owner) => owner.controller === true && owner.kind === 'Job');
  return job === true ? jobRunMs : Infinity;
}

function readiness(read: Reader): ProbeBehavior | undefined {
  const probe = read.probe('readiness');
  const delayMs = read.duration('ready-delay');
  const ready = read.text('ready');
  if (probe === undefined && delayMs === undefined && ready === undefined) return undefined;
  if (ready === 'false') return never;
  return { passAfterMs: Math.max(delayMs ?? 0, probe?.passAfterMs ?? 0), failAfterMs: probe?.failAfterMs ?? Infinity };
}

const always: ProbeBehavior = { passAfterMs: 0, failAfterMs: Infinity };
const never: ProbeBehavior = { passAfterMs: Infinity, failAfterMs: Infinity };

function imageErrorText(image: string): string {
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": not found`;
}

function splitReason(text: string, otherwise: string): { reason: string; message: string } {
  const match = /^([A-Z][A-Za-z]+)(?::\s*(.*))?$/s.exec(text);
  if (match === null) return { reason: otherwise, message: text };
  return { reason: match[1] ?? otherwise, message: match[2] ?? 'the simulated container does not start' };
}

class Reader {
  readonly #annotations: Readonly<Record<string, string>>;
  readonly #container: string;

  constructor(pod: Pod, container: string) {
    this.#annotations = pod.metadata?.annotations ?? {};
    this.#container = container;
  }

  text(key: string): string | undefined {
    const annotations = this.#annotations;
    return annotations[`${annotationPrefix}${this.#container}.${key}`] ?? annotations[`${annotationPrefix}${key}`];
  }

  duration(key: string): number | undefined {
    const text = this.text(key);
    if (text === undefined || text === 'never') return undefined;
    return this.#toMs(key, text);
  }

  numbers(key: string): readonly number[] | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    return text.split(',').map((part) => {
      const value = part.trim();
      if (!/^[0-9]{1,3}$/.test(value) || Number(value) > 255) throw wrong(key, text, 'exit codes from 0 to 255');
      return Number(value);
    });
  }

  /** `pass`, `fail`, `pass-after=2s`, `fail-after=30s`, or both of the latter with a comma. */
  probe(key: string): ProbeBehavior | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    if (text === 'pass') return always;
    if (text === 'fail') return never;
    let behavior = always;
    for (const part of text.split(',')) {
      const match = /^\s*(pass|fail)-after=(.+?)\s*$/.exec(part);
      if (match === null) throw wrong(key, text, 'pass, fail, pass-after=<duration> or fail-after=<duration>');
      const ms = this.#toMs(key, match[2] ?? '');
      behavior = match[1] === 'pass' ? { ...behavior, passAfterMs: ms } : { ...behavior, failAfterMs: ms };
    }
    return behavior;
  }

  /** How long the hook takes, or `fail`. */
  hook(key: string): HookBehavior {
    const text = this.text(key);
    if (text === undefined) return { takesMs: 0, fails: false };
    return text === 'fail' ? { takesMs: 0, fails: true } : { takesMs: this.#toMs(key, text), fails: false };
  }

  #toMs(key: string, text: string): number {
    try {
      return Math.max(0, durationMs(text));
    } catch (error) {
      throw wrong(key, text, 'a duration such as 500ms, 30s or 1h5m', error);
    }
  }
}

function wrong(key: string, text: string, expected: string, cause?: unknown): BehaviorError {
  return new BehaviorError(`annotation ${annotationPrefix}${key}: "${text}" is not understood: expected ${expected}`, {
    cause,
  });
}
