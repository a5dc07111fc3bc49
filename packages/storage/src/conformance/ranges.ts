// Cases of the kit: get, range, order of keys, pages and reads at old revisions.

import assert from 'node:assert/strict';
import { put, rejectsWith, remove } from './fixture.ts';
import type { DefineCase } from './store-conformance.ts';

export function rangeCases(define: DefineCase): void {
  define('get() answers undefined for an absent key, with the revision', async (t) => {
    await t.put('/a', '1');
    assert.deepEqual(await t.store.get('/b'), { item: undefined, revision: 2 });
  });
  define('get() is exact about the key', async (t) => {
    await t.put('/abc', '1');
    assert.equal(await t.text('/ab'), undefined);
    assert.equal(await t.text('/abcd'), undefined);
  });
  define('range() of an empty store is empty', async ({ store }) => {
    assert.deepEqual(await store.range({ prefix: '/' }), { items: [], revision: 1, more: false, count: 0 });
  });
  define('range() answers the keys of the prefix alone', async (t) => {
    await t.txn(
      [],
      put('/a', '0'),
      put('/b/1', '1'),
      put('/b/2', '2'),
      put('/b', 'x'),
      put('/b0', 'y'),
      put('/c', '3'),
    );
    assert.deepEqual(await t.texts('/b/'), ['/b/1=1', '/b/2=2']);
  });
  define('range() of the empty prefix answers everything', async (t) => {
    await t.txn([], put('a', '1'), put('/b', '2'), put('\u{10ffff}', '3'));
    assert.deepEqual(await t.texts(''), ['/b=2', 'a=1', '\u{10ffff}=3']);
  });
  define('range() is in the order of bytes', async (t) => {
    const keys = ['/A', '/a', '/a-b', '/a.b', '/a/b', '/a0', '/B', '/_', '/~', '/é', '/\u{ff5e}', '/\u{1f600}'];
    await t.txn([], ...keys.map((key) => put(key, 'x')));
    const { items } = await t.store.range({ prefix: '/' });
    const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(
      items.map(({ key }) => key),
      byBytes,
    );
  });
  define('range() finds prefixes that end in any character', async (t) => {
    await t.txn([], put('/\ud7ff1', '1'), put('/\ue000', '2'), put('/\u{10ffff}1', '3'), put('/\u{1f600}1', '4'));
    assert.deepEqual(await t.texts('/\ud7ff'), ['/\ud7ff1=1']);
    assert.deepEqual(await t.texts('/\u{1f600}'), ['/\u{1f600}1=4']);
    assert.deepEqual(await t.texts('/\u{10ffff}'), ['/\u{10ffff}1=3']);
  });
  define('range() with a limit says that there is more, and how much there is', async (t) => {
    const keys = await t.fill('/k/', 10);
    const page = await t.store.range({ prefix: '/k/', limit: 4 });
    assert.deepEqual(
      page.items.map(({ key }) => key),
      keys.slice(0, 4),
    );
    assert.deepEqual([page.more, page.count], [true, 10]);
  });
  define('range() with a limit of just as many says that there is no more', async (t) => {
    await t.fill('/k/', 4);
    const page = await t.store.range({ prefix: '/k/', limit: 4 });
    assert.deepEqual([page.items.length, page.more, page.count], [4, false, 4]);
  });
  define('range() starts at `from`, inclusive, and counts from there', async (t) => {
    const keys = await t.fill('/k/', 6);
    const page = await t.store.range({ prefix: '/k/', from: '/k/003' });
    assert.deepEqual(
      page.items.map(({ key }) => key),
      keys.slice(3),
    );
    assert.deepEqual([page.more, page.count], [false, 3]);
  });
  define('range() may start at a key that does not exist', async (t) => {
    await t.fill('/k/', 3);
    const page = await t.store.range({ prefix: '/k/', from: '/k/000\0' });
    assert.deepEqual(
      page.items.map(({ key }) => key),
      ['/k/001', '/k/002'],
    );
  });
  define('range() that starts after the last key is empty', async (t) => {
    await t.fill('/k/', 3);
    assert.deepEqual(await t.store.range({ prefix: '/k/', from: '/k/9' }), {
      items: [],
      revision: 4,
      more: false,
      count: 0,
    });
  });
  define('range() refuses a start outside the prefix', async (t) => {
    await assert.rejects(t.store.range({ prefix: '/k/', from: '/j' }));
  });
  define('range() with countOnly counts and returns no items', async (t) => {
    await t.fill('/k/', 5);
    assert.deepEqual(await t.store.range({ prefix: '/k/', countOnly: true }), {
      items: [],
      revision: 6,
      more: false,
      count: 5,
    });
    assert.equal((await t.store.range({ prefix: '/k/', from: '/k/002', countOnly: true })).count, 3);
  });
  define('range() of thousands of keys is complete and in order', async (t) => {
    const key = (index: number): string => `/n/${String((index * 7919) % 5000).padStart(5, '0')}`;
    for (let begin = 0; begin < 5000; begin += 1000) {
      await t.txn([], ...Array.from({ length: 1000 }, (_, index) => put(key(begin + index), 'x')));
    }
    const { items } = await t.store.range({ prefix: '/n/' });
    assert.deepEqual(
      items.map((item) => item.key),
      Array.from({ length: 5000 }, (_, index) => `/n/${String(index).padStart(5, '0')}`),
    );
  });
  define('range() does not change after it was answered', async (t) => {
    await t.put('/a', '1');
    const { items } = await t.store.range({ prefix: '/' });
    await t.put('/a', '2');
    await t.put('/b', '3');
    assert.deepEqual(
      items.map((item) => [item.key, item.modRevision]),
      [['/a', 2]],
    );
  });
}

export function historyCases(define: DefineCase): void {
  define('get() at a revision answers the state of then', async (t) => {
    const first = await t.put('/a', '1');
    const second = await t.put('/a', '2');
    const third = await t.delete('/a');
    assert.equal(await t.text('/a', first), '1');
    assert.equal(await t.text('/a', second), '2');
    assert.equal(await t.text('/a', third), undefined);
    assert.equal(await t.text('/a', 1), undefined);
  });
  define('get() at a revision answers that revision', async (t) => {
    await t.put('/a', '1');
    await t.put('/a', '2');
    assert.equal((await t.store.get('/a', { revision: 2 })).revision, 2);
    assert.equal((await t.store.get('/a', { revision: 0 })).revision, 3);
  });
  define('range() at every revision is exact', async (t) => {
    const expected: string[][] = [[], []];
    const state = new Map<string, string>();
    for (let step = 0; step < 60; step++) {
      const key = `/k${(step * 7) % 11}`;
      if (step % 5 === 4 && state.has(key)) {
        state.delete(key);
        await t.delete(key);
      } else {
        state.set(key, String(step));
        await t.put(key, String(step));
      }
      expected.push([...state].map(([name, text]) => `${name}=${text}`).sort());
    }
    for (const [revision, texts] of expected.entries()) {
      if (revision > 0) assert.deepEqual((await t.texts('/', revision)).sort(), texts, `revision ${revision}`);
    }
  });
  define('range() at a revision is exact over a long history', async (t) => {
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 25 }, (_, index) => t.put(`/k${index}`, `${round}`)));
    }
    for (const round of [39, 0, 17, 5, 38]) {
      const texts = await t.texts('/', 1 + 25 * (round + 1));
      assert.ok(texts.length === 25 && texts.every((text) => text.endsWith(`=${round}`)), `round ${round}`);
    }
  });
  define('range() pages at an exact revision, whatever is written between the pages', async (t) => {
    const keys = await t.fill('/k/', 10);
    const seen: string[] = [];
    let page = await t.store.range({ prefix: '/k/', limit: 3 });
    const { revision } = page;
    for (;;) {
      seen.push(...page.items.map(({ key }) => key));
      if (!page.more) break;
      await t.txn([], remove(keys[9 - seen.length] ?? ''), put(`/k/new${seen.length}`, 'x'), put('/k/005', 'changed'));
      page = await t.store.range({ prefix: '/k/', from: `${seen.at(-1)}\0`, limit: 3, revision });
      assert.equal(page.revision, revision);
    }
    assert.deepEqual(seen, keys);
  });
  define('range() at an old revision counts the keys of then', async (t) => {
    await t.fill('/k/', 5);
    const revision = t.store.revision;
    await t.txn([], remove('/k/000'), remove('/k/001'));
    assert.equal((await t.store.range({ prefix: '/k/', revision, countOnly: true })).count, 5);
    assert.equal((await t.store.range({ prefix: '/k/', countOnly: true })).count, 3);
  });
  define('get() and range() refuse a revision that is yet to come', async (t) => {
    await t.put('/a', '1');
    assert.equal((await rejectsWith('future', () => t.store.get('/a', { revision: 3 }))).revision, 2);
    await rejectsWith('future', () => t.store.range({ prefix: '/', revision: 100 }));
  });
}

export function compactionCases(define: DefineCase): void {
  define('compact() keeps the current state', async (t) => {
    await t.fill('/k/', 5);
    await t.put('/k/000', 'changed');
    await t.store.compact(t.store.revision);
    assert.equal((await t.texts('/k/')).length, 5);
    assert.equal(await t.text('/k/000'), 'changed');
    assert.equal(t.store.compactedRevision, 7);
  });
  define('compact() makes older revisions unreadable and says which is the first', async (t) => {
    await t.fill('/k/', 9);
    await t.store.compact(6);
    assert.equal((await rejectsWith('compacted', () => t.store.get('/k/000', { revision: 5 }))).revision, 6);
    await rejectsWith('compacted', () => t.store.range({ prefix: '/', revision: 1 }));
  });
  define('compact() leaves its own revision and later ones exact', async (t) => {
    for (let step = 0; step < 10; step++) await t.put('/a', String(step));
    await t.store.compact(6);
    for (let revision = 6; revision <= 11; revision++) assert.equal(await t.text('/a', revision), String(revision - 2));
  });
  define('compact() at a deletion keeps the key deleted', async (t) => {
    await t.put('/a', '1');
    const revision = await t.delete('/a');
    await t.put('/b', '2');
    await t.store.compact(revision);
    assert.deepEqual(await t.texts('/'), ['/b=2']);
    assert.deepEqual(await t.texts('/', revision), []);
  });
  define('compact() refuses the future', async (t) => {
    await t.put('/a', '1');
    assert.equal((await rejectsWith('future', () => t.store.compact(3))).revision, 2);
  });
  define('compact() at or below the last compaction does nothing', async (t) => {
    await t.fill('/k/', 5);
    await t.store.compact(4);
    await t.store.compact(4);
    await t.store.compact(2);
    assert.equal(t.store.compactedRevision, 4);
  });
  define('compact() again and again beside writes loses nothing', async (t) => {
    for (let round = 0; round < 10; round++) {
      const writes = Array.from({ length: 20 }, (_, index) => t.put(`/k${index}`, `${round}`));
      await Promise.all([...writes, t.store.compact(t.store.revision)]);
    }
    const texts = await t.texts('/');
    assert.ok(texts.length === 20 && texts.every((text) => text.endsWith('=9')));
    assert.equal(t.store.revision, 201);
  });
}
