// A second version of a controller beside the first: after each run of the first it is rehearsed on the caches as that run saw them, and what
// the two would leave behind is compared. Nothing of it is ever written, and the first never waits for it.

import { type Env, createDeferred, Pacer } from '@homeostat/base';
import { type Client, isNotFound, type ObjectKey, type ResourceType, splitKey } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import { fenceId } from '../controller/fenced-client.ts';
import type { Observe, RunObserver, StartedRun } from '../controller/run-observer.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { Registration } from '../informer/informer.ts';
import type { Runnable } from '../manager/runnable.ts';
import { createPretendClient, type RehearsedWrite } from '../rehearsal/pretend-client.ts';
import { PretendedWorld } from '../rehearsal/pretended-world.ts';
import type { Shown } from '../rehearsal/rehearsal-caches.ts';
import { createRehearser, type Past, type Rehearser, type Stage } from '../rehearsal/rehearsal.ts';
import { ChangeLog, type Moment } from './change-log.ts';
import { type CompareOptions, compareWrites, type Difference } from './difference.ts';
import { createPastLister } from './past-lister.ts';
import { RunRecording } from './run-recording.ts';
import { ShadowReport, type ShadowPicture } from './shadow-report.ts';

export interface ShadowOptions {
  readonly env: Env;
  /** For live reads that the first version did not make. */
  readonly client: Client;
  /** Those of the first version, so that both share caches. */
  readonly informers: InformerFactory;
  /** The name of the controller that is shadowed. */
  readonly of: string;
  /** The second version. It reconciles the same resource; its name does not matter. */
  readonly definition: ControllerDefinition;
  /** Hears of each difference. What it throws is logged. */
  readonly onDifference?: (difference: Difference) => void;
  /** Runs that wait to be compared; of more, the new one is dropped and counted. Default 64. */
  readonly queueMax?: number;
  /** Changes of caches remembered for them, a resource; a run before them is dropped and counted. Default 4,096. */
  readonly changesMax?: number;
  /** Times that differ by no more than this are the same, milliseconds; default 60 s. */
  readonly timeToleranceMs?: number;
  /** Fields that do not matter, by their paths as differences show them; default none. */
  readonly ignore?: CompareOptions['ignore'];
  /** See {@link createRehearser}. */
  readonly onStage?: (stage: Stage | undefined) => void;
}

/** Runs beside a controller; give `observe` to it, and the shadow to a manager (group `always`). */
export interface Shadow extends Runnable {
  readonly observe: Observe;
  /** For diagnostics: counts of runs, and the differences by kind and field. */
  picture(): ShadowPicture;
}

/**
 * Creates a shadow; it follows nothing before `run`.
 *
 * @example
 * const shadow = createShadow({ env, client, informers, of: 'web', definition: webV2 });
 * manager.addController(createController(web, { client, env, informers, observers: [shadow.observe] }));
 * manager.add(shadow, { group: 'always' });
 * manager.addDiagnosis('shadow', () => shadow.picture());
 */
export function createShadow(options: ShadowOptions): Shadow {
  return new ShadowRunner(options);
}

/** Of a rehearsed run whose definition gives no time limit. */
const timeoutMsDefault = 60_000;

interface Job {
  readonly key: ObjectKey;
  readonly startedMs: number;
  readonly recording: RunRecording;
  readonly moments: ReadonlyMap<string, Moment>;
}

class ShadowRunner implements Shadow {
  readonly name: string;
  readonly #options: ShadowOptions;
  readonly #rehearser: Rehearser;
  readonly #logs = new Map<string, ChangeLog>();
  readonly #report: ShadowReport;
  readonly #jobs: Job[] = [];
  readonly #queueMax: number;
  #follows = false;
  #wake: () => void = () => {};

  constructor(options: ShadowOptions) {
    const { of, definition, client, env, informers, queueMax = 64, changesMax = 4_096 } = options;
    this.name = `shadow of ${of}`;
    this.#options = options;
    this.#queueMax = queueMax;
    // One that hangs would keep all others waiting.
    const limited = { timeoutMs: timeoutMsDefault, ...definition };
    this.#rehearser = createRehearser(limited, { client, env, informers }, options.onStage);
    for (const { id } of this.#rehearser.caches.watches) this.#logs.set(id, new ChangeLog(changesMax));
    this.#report = new ShadowReport(of, env, options.onDifference);
  }

  readonly observe: Observe = ({ name, for: own }) => {
    const { of, definition } = this.#options;
    if (name !== of) return undefined;
    if (fenceId(own.resource) !== fenceId(definition.for.resource))
      throw new Error(`a shadow of ${of} must reconcile ${own.resource.resource} too`);
    return { started: (run) => this.#started(run) };
  };

  picture(): ShadowPicture {
    return this.#report.picture(this.#jobs.length);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const registrations: Registration[] = [];
    const onAbort = (): void => this.#wake();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (const { id, informer, watch } of this.#rehearser.caches.watches) {
        const log = this.#logs.get(id);
        const registration = informer.addHandler(
          (change) => {
            // What was there before is no change.
            if (change.type !== 'added' || !change.initial) log?.add(change);
          },
          { resyncPeriodMs: 0 },
        );
        registrations.push(registration);
        if (watch.optional !== true) await registration.waitForSync(signal);
      }
      this.#follows = true;
      await this.#work(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#follows = false;
      signal.removeEventListener('abort', onAbort);
      for (const job of this.#jobs.splice(0)) release(job);
      await Promise.all(registrations.map((registration) => registration.remove()));
    }
  }

  #started({ key, startedMs, live }: StartedRun): RunObserver | undefined {
    // A run that reads live sees what no cache has shown.
    if (!this.#follows || live || this.#jobs.length >= this.#queueMax) {
      this.#report.count(this.#jobs.length >= this.#queueMax ? 'dropped' : 'skipped');
      return undefined;
    }
    const recording = new RunRecording();
    const moments = new Map(Array.from(this.#logs, ([id, log]) => [id, log.mark()]));
    const job: Job = { key, startedMs, recording, moments };
    return {
      wrapClient: (client) => recording.record(client),
      sending(write, before) {
        recording.sending(write, before);
        return () => {};
      },
      ended: ({ outcome }) => {
        const isDone = outcome === 'success' || outcome === 'requeue' || outcome === 'requeue_after';
        if (!isDone || recording.incomplete || !this.#follows) this.#report.count('skipped');
        else if (this.#jobs.length >= this.#queueMax) this.#report.count('dropped');
        else {
          this.#jobs.push(job);
          this.#wake();
          return;
        }
        release(job);
      },
    };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options.env;
    const pacer = new Pacer(clock);
    while (!signal.aborted) {
      const [job] = this.#jobs;
      if (job === undefined) {
        const filled = createDeferred<void>();
        this.#wake = () => filled.resolve();
        await filled.promise;
        pacer.restart();
        continue;
      }
      try {
        await this.#compare(job, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#report.count('skipped');
        log.error('a shadow could not be compared', { controller: this.#options.of, key: job.key, error });
      } finally {
        this.#jobs.shift();
        release(job);
      }
      if (pacer.due()) await pacer.yield();
    }
  }

  async #compare({ key, startedMs, recording, moments }: Job, signal: AbortSignal): Promise<void> {
    const { of, timeToleranceMs = 60_000, ignore = () => false } = this.#options;
    if ([...moments.values()].some((moment) => moment.changed() === undefined)) {
      this.#report.count('dropped');
      return;
    }
    const past: Past = {
      shown: pastOf(moments),
      client: recording.answers(this.#options.client),
      nowMs: startedMs,
    };
    const first = await this.#replay(recording, past);
    if (first === undefined) {
      this.#report.count('skipped');
      return;
    }
    const second = await this.#rehearser.rehearse(key, { past, signal });
    if ([...moments.values()].some((moment) => moment.changed() === undefined)) {
      this.#report.count('dropped');
      return;
    }
    const run = { controller: of, key };
    const differences: Difference[] = [
      ...compareWrites(run, { first, second: second.writes }, { timeToleranceMs, ignore }),
    ];
    if (second.error !== undefined)
      differences.push({ ...run, kind: 'fails', resource: '', object: key, fields: [], error: second.error });
    this.#report.count(differences.length === 0 ? 'same' : 'different');
    for (const difference of differences) this.#report.add(difference);
  }

  /** What the first version's writes come to by the same rules; undefined when they can't be pretended. */
  async #replay(recording: RunRecording, past: Past): Promise<readonly RehearsedWrite[] | undefined> {
    const writes: RehearsedWrite[] = [];
    const client = createPretendClient({
      client: past.client,
      world: new PretendedWorld(),
      read: (resource, key) => this.#read(resource, key, past),
      dryRun: 'local',
      nowMs: () => past.nowMs,
      action: () => undefined,
      onWrite: (write) => writes.push(write),
      replayed: true,
    });
    for (const { replay } of recording.writes) {
      try {
        await replay(client);
      } catch {
        return undefined;
      }
    }
    return writes;
  }

  async #read(resource: ResourceType, key: ObjectKey, past: Past): Promise<KubeObject | undefined> {
    const cached = this.#rehearser.caches.find(resource, key, past.shown);
    if (cached !== undefined) return cached.object;
    try {
      return await past.client.get(resource, splitKey(key));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

const unchanged: ReadonlyMap<ObjectKey, KubeObject | undefined> = new Map();

function pastOf(moments: ReadonlyMap<string, Moment>): Shown {
  return ({ id, lister, watch }) =>
    createPastLister({
      base: lister,
      changed: () => moments.get(id)?.changed() ?? unchanged,
      indexes: watch.indexes ?? [],
    });
}

function release({ moments }: Job): void {
  for (const moment of moments.values()) moment.release();
}
