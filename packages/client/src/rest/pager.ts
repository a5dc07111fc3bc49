// Pages of a list (spec/client.md §1.4). A token that expires on the way restarts as one full list, because the
// snapshot the first pages came from no longer exists.

import type { KubeList, KubeObject } from '@homeostat/machinery';
import type { ListOptions, ListPage } from '../client/client.ts';
import { TransportError } from '../transport/transport-error.ts';
import { isExpired } from './predicates.ts';

const defaultPageSize = 500;

/** Yields the pages of a list; `limit` is the page size (0: everything in one answer). */
export async function* readPages<T extends KubeObject>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  options: ListOptions,
): AsyncGenerator<ListPage<T>, void, void> {
  const limit = options.limit ?? defaultPageSize;
  // A token names its snapshot; the server refuses a resourceVersion beside it.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
  let token = options.continue ?? '';
  let resourceVersion: string | undefined;
  do {
    let page: KubeList<T>;
    try {
      page = await list(token === '' ? withLimit(options, limit) : { ...withLimit(rest, limit), continue: token });
    } catch (error) {
      if (token === '' || !isExpired(error)) throw error;
      const full = await list(withLimit(options, 0));
      yield { items: full.items, resourceVersion: full.metadata?.resourceVersion ?? '', restarted: true, more: false };
      return;
    }
    resourceVersion ??= page.metadata?.resourceVersion ?? '';
    const next = page.metadata?.continue ?? '';
    if (next !== '' && next === token && page.items.length === 0)
      throw new TransportError('protocol', 'the list goes on and on: an empty page has its own token');
    token = next;
    yield { items: page.items, resourceVersion, restarted: false, more: token !== '' };
  } while (token !== '');
}

function withLimit(options: ListOptions, limit: number): ListOptions {
  const { limit: _limit, continue: _continue, ...rest } = options;
  return limit === 0 ? rest : { ...rest, limit };
}

/** All pages as one list. After a restart it is the full list alone. */
export async function readAll<T extends KubeObject>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  options: ListOptions,
): Promise<KubeList<T>> {
  let items: T[] = [];
  let resourceVersion = '';
  let first: KubeList<T> | undefined;
  const noteFirst = async (page: ListOptions): Promise<KubeList<T>> => {
    const answer = await list(page);
    first ??= answer;
    return answer;
  };
  for await (const page of readPages(noteFirst, options)) {
    if (page.restarted) items = [];
    for (const item of page.items) items.push(item);
    ({ resourceVersion } = page);
  }
  return { ...first, metadata: { resourceVersion }, items };
}
