// Where an informer gets its objects: list and watch for the reflector, versions and single objects for repairs.
// Made of a client, a resource and a selection.

import type { KubeObject } from '@homeostat/machinery';
import { type Client, type ListPage, metadataOf, type ObjectKey, type ResourceType, splitKey } from '@homeostat/client';
import type { ListWatcher } from '../reflector/reflector.ts';

/** Narrows an informer to part of a resource. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface InformerSource<T extends KubeObject = KubeObject> extends ListWatcher<T> {
  /** The most recent state, metadata only. */
  listVersions(options: { readonly signal: AbortSignal }): AsyncIterable<ListPage>;
  /** The state of one object, not older than `resourceVersion`; undefined when there is none. */
  get(
    key: ObjectKey,
    options: { readonly resourceVersion: string; readonly signal: AbortSignal },
  ): Promise<T | undefined>;
}

/** No page of a list takes longer on a server that is alive: it ends requests after a minute itself. */
const listTimeoutMs = 60_000;

/** Creates the source of an informer over a client. */
export function createInformerSource<T extends KubeObject>(options: {
  readonly client: Client;
  readonly resource: ResourceType<T>;
  readonly select?: Selection;
}): InformerSource<T> {
  const { client, resource, select = {} } = options;
  const metadata = metadataOf(resource);
  return {
    listPages: ({ resourceVersion, limit, signal }) =>
      client.listPages(resource, {
        ...select,
        limit,
        signal,
        timeoutMs: listTimeoutMs,
        ...(resourceVersion === '' ? {} : { resourceVersion }),
      }),
    watch: ({ resourceVersion, sendInitialEvents, timeoutSeconds, signal }) =>
      client.watch(resource, {
        ...select,
        signal,
        timeoutSeconds,
        // The reflector waits itself, so that its state shows why.
        retriesMax: 0,
        allowWatchBookmarks: true,
        ...(resourceVersion === '' ? {} : { resourceVersion }),
        ...(sendInitialEvents ? { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' as const } : {}),
      }),
    listVersions: ({ signal }) => client.listPages(metadata, { ...select, signal, timeoutMs: listTimeoutMs }),
    // A list of one: it needs no right beyond those of the informer, and what the selection leaves out is not there.
    get: async (key, { resourceVersion, signal }) => {
      const { namespace, name } = splitKey(key);
      const fieldSelector = [select.fieldSelector, `metadata.name=${name}`].filter(Boolean).join(',');
      const list = await client.list(resource, {
        ...select,
        namespace,
        fieldSelector,
        resourceVersion,
        signal,
        timeoutMs: listTimeoutMs,
      });
      return list.items.find((object) => object.metadata?.name === name);
    },
  };
}
