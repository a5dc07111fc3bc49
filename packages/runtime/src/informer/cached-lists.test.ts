// Cached lists: pages of one moment, tokens that expire, selectors by index. Case C10; numbers 51 and 66 of spec/client.md §9.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { isExpired, keyOf, resourceType } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { byField } from '../store/indexes.ts';
import { createStore } from '../store/store.ts';
import { CachedLists, type CachedListOptions } from './cached-lists.ts';

interface Box extends KubeObject {
  readonly spec: { readonly nodeName?: string; readonly size?: number };
}

const boxes = resourceType<Box>({
  group: 'example.com',
  version: 'v1',
  resource: 'boxes',
  kind: 'Box',
  namespaced: true,
});

function setUp() {
  const env = createVirtualEnv();
  const { reader, writer } = createStore<Box>({ namespaced: true });
  writer.addIndexes([byField('spec.nodeName'), byField('spec.size')]);
  const state = { synced: true, version: 10 };
  const lists = new CachedLists<Box>({
    resource: boxes,
    clock: env.clock,
    random: env.random,
    lister: reader,
    resourceVersion: () => String(state.version),
    synced: () => state.synced,
  });
  const put = (
    name: string,
    options: { namespace?: string; nodeName?: string; size?: number; app?: string } = {},
  ): void => {
    const { namespace = 'x', nodeName, size, app } = options;
    const box: Box = {
      metadata: { name, namespace, ...(app === undefined ? {} : { labels: { app } }) },
      spec: { ...(nodeName === undefined ? {} : { nodeName }), ...(size === undefined ? {} : { size }) },
    };
    writer.set(keyOf(box), box);
  };
  const names = (options: CachedListOptions): string[] =>
    lists.list(options).items.map(({ metadata }) => metadata?.name ?? '');
  return { env, lists, put, names, writer, state };
}

const code = (expected: number) => (error: unknown) => error instanceof ApiError && error.code === expected;

describe('CachedLists', () => {
  it('C10 gives all objects of one moment over its pages, and says how many are left', () => {
    const { lists, put, writer, state } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) put(name);
    const first = lists.list({ limit: 2 });
    assert.equal(first.kind, 'BoxList');
    assert.equal(first.metadata?.remainingItemCount, 3);
    writer.delete('x/c');
    put('f');
    put('d', { size: 9 });
    state.version = 13;
    const second = lists.list({ limit: 2, continue: first.metadata?.continue ?? '' });
    assert.equal(second.metadata?.resourceVersion, '10');
    const third = lists.list({ limit: 2, continue: second.metadata?.continue ?? '' });
    assert.deepEqual(
      [...first.items, ...second.items, ...third.items].map(
        ({ metadata, spec }) => `${metadata?.name}${spec.size ?? ''}`,
      ),
      ['a', 'b', 'c', 'd', 'e'],
    );
    assert.equal(third.metadata?.continue, undefined);
    assert.deepEqual(lists.list({}).items.length, 5);
    assert.equal(lists.list({}).metadata?.resourceVersion, '13');
  });

  it('C10 answers 410 for a list that was given up: after 5 minutes, or for 16 others', async () => {
    const { env, lists, put } = setUp();
    for (const name of ['a', 'b', 'c']) put(name);
    const start = (): string => lists.list({ limit: 1 }).metadata?.continue ?? '';
    const token = start();
    await env.clock.advance(290_000);
    const later = lists.list({ limit: 1, continue: token }).metadata?.continue ?? '';
    await env.clock.advance(290_000);
    assert.equal(lists.list({ continue: later }).items.length, 1);
    await env.clock.advance(301_000);
    assert.throws(() => lists.list({ continue: later }), isExpired);
    const first = start();
    const others = Array.from({ length: 16 }, start);
    assert.throws(() => lists.list({ continue: first }), isExpired);
    assert.equal(lists.list({ continue: others[0] ?? '' }).items.length, 2);
  });

  it('refuses tokens of no sense, of other selectors and of other caches', () => {
    const { lists, put } = setUp();
    put('a');
    put('b');
    const token = lists.list({ limit: 1 }).metadata?.continue ?? '';
    assert.throws(() => lists.list({ continue: 'nonsense' }), code(400));
    assert.throws(() => lists.list({ continue: token, labelSelector: 'app=web' }), code(400));
    assert.throws(() => setUp().lists.list({ continue: token.replace(/^.{8}/, '00000000') }), isExpired);
  });

  it('51 66 selects by label and by indexed fields, in one namespace or all', () => {
    const { lists, put, names } = setUp();
    put('a', { nodeName: 'n1', app: 'web', size: 1 });
    put('b', { nodeName: 'n1', size: 2 });
    put('c', { nodeName: 'n2', app: 'web', size: 2 });
    put('a', { namespace: 'y', nodeName: 'n1', app: 'web', size: 2 });
    put('d');
    assert.deepEqual(names({ fieldSelector: 'spec.nodeName=n1' }), ['a', 'b', 'a']);
    assert.deepEqual(names({ namespace: 'x', fieldSelector: 'spec.nodeName=n1' }), ['a', 'b']);
    assert.deepEqual(names({ fieldSelector: 'spec.nodeName=n1,spec.size=2' }), ['b', 'a']);
    assert.deepEqual(names({ fieldSelector: 'spec.nodeName=' }), ['d']);
    assert.deepEqual(names({ labelSelector: 'app in (web)', fieldSelector: 'spec.nodeName==n1' }), ['a', 'a']);
    assert.deepEqual(names({ fieldSelector: 'metadata.name=a' }), ['a', 'a']);
    assert.deepEqual(names({ fieldSelector: 'metadata.namespace=y,metadata.name=a' }), ['a']);
    assert.deepEqual(names({ namespace: 'x', fieldSelector: 'metadata.namespace=y' }), []);
    assert.deepEqual(names({ namespace: 'x', fieldSelector: 'metadata.name=zzz' }), []);
    assert.equal(lists.list({ limit: 1, labelSelector: 'app=web' }).metadata?.remainingItemCount, undefined);
  });

  it('66 says what is wrong with a selector, and when the cache is not filled', () => {
    const { lists, state } = setUp();
    assert.throws(
      () => lists.list({ fieldSelector: 'spec.colour=red' }),
      /Index with name field:spec.colour does not exist/,
    );
    assert.throws(
      () => lists.list({ fieldSelector: 'spec.nodeName!=n1' }),
      /boxes can't be selected by spec.nodeName!=n1: only = /,
    );
    assert.throws(() => lists.list({ labelSelector: 'a in' }), code(400));
    assert.throws(() => lists.list({ fieldSelector: 'nonsense' }), code(400));
    state.synced = false;
    assert.throws(() => lists.list(), code(503));
  });

  it('gives each object of the first moment once, whatever happens between pages', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), remove: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        (before, between, limit) => {
          const { lists, put, writer, names } = setUp();
          const apply = ({ name, remove }: { readonly name: string; readonly remove: boolean }): void => {
            if (remove) writer.delete(`x/${name}`);
            else put(name);
          };
          before.forEach(apply);
          const expected = names({});
          const seen: string[] = [];
          let token: string | undefined = '';
          for (let page = 0; token !== undefined; page++) {
            const { items, metadata } = lists.list({ limit, continue: token });
            assert.ok(items.length <= limit);
            seen.push(...items.map((item) => item.metadata?.name ?? ''));
            token = metadata?.continue;
            between.slice(page * 3, page * 3 + 3).forEach(apply);
          }
          assert.deepEqual(seen, expected);
        },
      ),
    );
  });
});
