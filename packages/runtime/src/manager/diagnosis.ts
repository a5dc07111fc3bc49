// What is going on in a process, as JSON for an operator who looks: which parts run, what queues hold, where informers are, who leads.

import { resourceId } from '@homeostat/client';
import type { Informer, InformerState } from '../informer/informer.ts';
import type { ElectionDiagnosis } from '../leader-election/leader-election-options.ts';
import { type RunnableGroupName, runnableGroups } from './runnable.ts';
import type { RunnableGroup } from './runnable-group.ts';

export interface Diagnosis {
  readonly state: 'new' | 'running' | 'stopping';
  readonly elected: boolean;
  readonly election: ElectionDiagnosis | undefined;
  readonly parts: readonly PartDiagnosis[];
  readonly informers: readonly InformerDiagnosis[];
  /** Pictures that others added, by name. */
  readonly more: Readonly<Record<string, unknown>>;
}

export interface PartDiagnosis {
  readonly name: string;
  readonly group: RunnableGroupName;
  readonly running: boolean;
  /** What the part says of itself; of a controller: its queue, keys in flight and their age, fences. */
  readonly status?: unknown;
}

export interface InformerDiagnosis {
  readonly resource: string;
  readonly synced: boolean;
  readonly objects: number;
  /** The version the cache has reached. */
  readonly resourceVersion: string;
  readonly state: InformerState;
  /** Changes that came and are not in the cache yet. */
  readonly queuedItems: number;
  readonly openWatches: number;
  readonly lastError?: string;
}

export interface DiagnosisSources {
  readonly state: Diagnosis['state'];
  readonly elected: boolean;
  readonly groups: Readonly<Record<RunnableGroupName, RunnableGroup>>;
  readonly informers: readonly Informer[];
  readonly election: ElectionDiagnosis | undefined;
  readonly pictures: ReadonlyMap<string, () => unknown>;
}

export function diagnose(sources: DiagnosisSources): Diagnosis {
  const { state, elected, election, groups } = sources;
  const parts = runnableGroups.flatMap((group) =>
    groups[group].parts.map((part) => ({
      name: part.name,
      group,
      running: groups[group].isRunning(part),
      ...(part.status === undefined ? {} : { status: pictureOf(() => part.status?.()) }),
    })),
  );
  const more = Object.fromEntries(Array.from(sources.pictures, ([name, picture]) => [name, pictureOf(picture)]));
  return { state, elected, election, parts, informers: sources.informers.map(informerDiagnosis), more };
}

function informerDiagnosis(informer: Informer): InformerDiagnosis {
  const { resource, hasSynced, resourceVersion, state, queuedItems, openWatches, lastError } = informer;
  const error = lastError?.error;
  return {
    resource: resourceId(resource),
    synced: hasSynced,
    objects: informer.lister.size,
    resourceVersion,
    state,
    queuedItems,
    openWatches,
    ...(error === undefined ? {} : { lastError: messageOf(error) }),
  };
}

/** As JSON. A part that can't be pictured must not hide the others: then it is its error. */
export function pictureOf(picture: () => unknown): unknown {
  try {
    const value = picture();
    // What is no JSON, a cycle or a bigint, is found here and not when all of it is written.
    return value === undefined ? undefined : (JSON.parse(JSON.stringify(value) ?? 'null') as unknown);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
