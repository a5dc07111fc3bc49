// Every informer's cache is what the store has: same objects, same versions (case B29).

import { keyOf } from '@homeostat/client';
import type { InformerFactory } from '@homeostat/runtime';
import { stateId, type StoreState } from '../store-state.ts';

/** Objects a cache lacks, has too many of, or has in another version. Informers that select a part are not looked at. */
export function checkCaches(informers: InformerFactory, state: StoreState): readonly string[] {
  return informers.wholeInformers().flatMap((informer) => {
    const { resource } = informer;
    const stored = new Map(
      state.list(resource).map((object) => [keyOf(object), object.metadata?.resourceVersion ?? '']),
    );
    const problems: string[] = [];
    for (const object of informer.lister.list()) {
      const key = keyOf(object);
      const version = stored.get(key);
      stored.delete(key);
      if (version === undefined) problems.push(`the cache of ${stateId(resource)} has ${key}, which is gone`);
      else if (version !== object.metadata?.resourceVersion)
        problems.push(
          `the cache of ${stateId(resource)} has ${key} at ${object.metadata?.resourceVersion}, the store at ${version}`,
        );
    }
    for (const key of stored.keys()) problems.push(`the cache of ${stateId(resource)} lacks ${key}`);
    return problems;
  });
}
