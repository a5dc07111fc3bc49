// Cases of the kit: revisions, compares, atomicity, concurrency.

import assert from 'node:assert/strict';
import { put, rejectsWith, remove, textOf } from './fixture.ts';
import type { DefineCase } from './store-conformance.ts';

export function revisionCases(define: DefineCase): void {
  define('revision is 1 when the store is empty', ({ store }) => {
    assert.equal(store.revision, 1);
    assert.equal(store.compactedRevision, 1);
  });
  define('txn() raises the revision by one per write', async (t) => {
    assert.equal(await t.put('/a', '1'), 2);
    assert.equal(await t.put('/a', '2'), 3);
    assert.equal(await t.delete('/a'), 4);
    assert.equal(t.store.revision, 4);
  });
  define('txn() with several operations uses one revision', async (t) => {
    const { revision } = await t.txn([], put('/a', '1'), put('/b', '2'), put('/c', '3'));
    assert.equal(revision, 2);
    const { items } = await t.store.range({ prefix: '/' });
    assert.deepEqual(
      items.map((item) => item.modRevision),
      [2, 2, 2],
    );
  });
  define('txn() without operations uses no revision', async (t) => {
    await t.put('/a', '1');
    assert.deepEqual(await t.txn([]), { succeeded: true, revision: 2, current: [], previous: [] });
    assert.equal(await t.put('/a', '2'), 3);
  });
  define('txn() that deletes an absent key uses no revision', async (t) => {
    const result = await t.txn([], remove('/absent'));
    assert.deepEqual(result, { succeeded: true, revision: 1, current: [], previous: [undefined] });
    assert.equal(t.store.revision, 1);
  });
  define('txn() that fails uses no revision', async (t) => {
    const result = await t.txn([{ key: '/a', modRevision: 7 }], put('/a', '1'));
    assert.deepEqual(result, { succeeded: false, revision: 1, current: [undefined], previous: [] });
    assert.equal(await t.put('/a', '1'), 2);
  });
  define('a key keeps its createRevision and counts versions', async (t) => {
    await t.put('/other', 'x');
    await t.put('/a', '1');
    await t.put('/a', '2');
    const { item } = await t.store.get('/a');
    assert.deepEqual([item?.createRevision, item?.modRevision, item?.version], [3, 4, 2]);
  });
  define('a key created again starts at version 1', async (t) => {
    await t.put('/a', '1');
    await t.put('/a', '2');
    await t.delete('/a');
    await t.put('/a', '3');
    const { item } = await t.store.get('/a');
    assert.deepEqual([item?.createRevision, item?.modRevision, item?.version], [5, 5, 1]);
  });
}

export function compareCases(define: DefineCase): void {
  define('txn() creates when modRevision 0 is asked and the key is absent', async (t) => {
    const result = await t.txn([{ key: '/a', modRevision: 0 }], put('/a', '1'));
    assert.deepEqual([result.succeeded, result.revision], [true, 2]);
    assert.equal(await t.text('/a'), '1');
  });
  define('txn() refuses to create what exists and shows it', async (t) => {
    await t.put('/a', '1');
    const result = await t.txn([{ key: '/a', modRevision: 0 }], put('/a', '2'));
    assert.equal(result.succeeded, false);
    assert.equal(result.current.length, 1);
    assert.equal(result.current[0] && textOf(result.current[0]), '1');
    assert.equal(await t.text('/a'), '1');
  });
  define('txn() updates when modRevision is the present one', async (t) => {
    const modRevision = await t.put('/a', '1');
    assert.equal((await t.txn([{ key: '/a', modRevision }], put('/a', '2'))).succeeded, true);
    assert.equal(await t.text('/a'), '2');
  });
  define('txn() refuses a stale modRevision', async (t) => {
    const modRevision = await t.put('/a', '1');
    await t.put('/a', '2');
    const result = await t.txn([{ key: '/a', modRevision }], put('/a', '3'));
    assert.equal(result.succeeded, false);
    assert.equal(result.current[0]?.modRevision, 3);
    assert.equal(await t.text('/a'), '2');
  });
  define('txn() refuses a modRevision of a deleted key', async (t) => {
    const modRevision = await t.put('/a', '1');
    await t.delete('/a');
    const result = await t.txn([{ key: '/a', modRevision }], put('/a', '2'));
    assert.deepEqual([result.succeeded, result.current], [false, [undefined]]);
    assert.equal(await t.text('/a'), undefined);
  });
  define('txn() refuses the modRevision of an earlier life of a key', async (t) => {
    const modRevision = await t.put('/a', '1');
    await t.delete('/a');
    await t.put('/a', '2');
    assert.equal((await t.txn([{ key: '/a', modRevision }], remove('/a'))).succeeded, false);
    assert.equal(await t.text('/a'), '2');
  });
  define('txn() deletes when modRevision is the present one', async (t) => {
    const modRevision = await t.put('/a', '1');
    const result = await t.txn([{ key: '/a', modRevision }], remove('/a'));
    assert.equal(result.succeeded, true);
    assert.equal(result.previous[0] && textOf(result.previous[0]), '1');
    assert.equal(await t.text('/a'), undefined);
  });
  define('txn() does nothing at all when one of several compares fails', async (t) => {
    const modRevision = await t.put('/a', '1');
    const compare = [
      { key: '/a', modRevision },
      { key: '/b', modRevision: 9 },
    ];
    const result = await t.txn(compare, put('/a', '2'), put('/c', '3'));
    assert.equal(result.succeeded, false);
    assert.deepEqual(
      result.current.map((item) => item?.key),
      ['/a', undefined],
    );
    assert.deepEqual(await t.texts('/'), ['/a=1']);
  });
  define('txn() may compare keys that it does not write', async (t) => {
    const modRevision = await t.put('/guard', 'x');
    assert.equal((await t.txn([{ key: '/guard', modRevision }], put('/a', '1'))).succeeded, true);
    await t.put('/guard', 'y');
    assert.equal((await t.txn([{ key: '/guard', modRevision }], put('/a', '2'))).succeeded, false);
    assert.equal(await t.text('/a'), '1');
  });
  define('txn() only compares when there are no operations', async (t) => {
    await t.put('/a', '1');
    assert.equal((await t.txn([{ key: '/a', modRevision: 2 }])).succeeded, true);
    assert.equal((await t.txn([{ key: '/a', modRevision: 1 }])).succeeded, false);
  });
  define('txn() shows the state before, per operation and in their order', async (t) => {
    await t.put('/b', 'old b');
    await t.put('/c', 'old c');
    const { previous } = await t.txn([], put('/c', 'new'), put('/a', 'new'), remove('/b'));
    assert.deepEqual(
      previous.map((item) => item && textOf(item)),
      ['old c', undefined, 'old b'],
    );
  });
  define('txn() refuses more operations than it can take, whole', async (t) => {
    const operations = Array.from({ length: 1025 }, (_, index) => put(`/many/${index}`, 'x'));
    await rejectsWith('too-large', () => t.txn([], ...operations));
    assert.equal(t.store.revision, 1);
  });
  define('txn() refuses a key that occurs twice', async (t) => {
    await assert.rejects(t.txn([], put('/a', '1'), remove('/a')), /twice/);
    assert.equal(t.store.revision, 1);
  });
  define('txn() takes a thousand operations at once', async (t) => {
    const operations = Array.from({ length: 1000 }, (_, index) => put(`/many/${index}`, String(index)));
    assert.equal((await t.txn([], ...operations)).revision, 2);
    assert.equal((await t.store.range({ prefix: '/many/', countOnly: true })).count, 1000);
  });
}

export function concurrencyCases(define: DefineCase): void {
  define('of concurrent creates of one key exactly one succeeds', async (t) => {
    const attempts = Array.from({ length: 20 }, (_, index) =>
      t.txn([{ key: '/a', modRevision: 0 }], put('/a', String(index))),
    );
    const results = await Promise.all(attempts);
    assert.deepEqual(
      results.map(({ succeeded }) => succeeded),
      [true, ...Array.from({ length: 19 }, () => false)],
    );
    assert.equal(await t.text('/a'), '0');
  });
  define('a refused transaction sees the write that beat it', async (t) => {
    const [, lost] = await Promise.all([
      t.txn([{ key: '/a', modRevision: 0 }], put('/a', 'winner')),
      t.txn([{ key: '/a', modRevision: 0 }], put('/a', 'loser')),
    ]);
    assert.equal(lost.current[0] && textOf(lost.current[0]), 'winner');
    assert.equal(lost.current[0]?.modRevision, 2);
  });
  define('concurrent writes get consecutive revisions in the order of the calls', async (t) => {
    const revisions = await Promise.all(Array.from({ length: 100 }, (_, index) => t.put(`/k${index}`, 'x')));
    assert.deepEqual(
      revisions,
      Array.from({ length: 100 }, (_, index) => index + 2),
    );
  });
  define('writes of one key that follow one another without waiting all count', async (t) => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => t.put('/a', String(index))));
    const { item } = await t.store.get('/a');
    assert.deepEqual([item?.version, item && textOf(item), item?.createRevision], [50, '49', 2]);
  });
  define('create, delete and create again may be in flight together', async (t) => {
    await Promise.all([t.put('/a', '1'), t.delete('/a'), t.put('/a', '2'), t.delete('/a'), t.put('/b', '3')]);
    assert.deepEqual(await t.texts('/'), ['/b=3']);
    assert.equal(t.store.revision, 6);
    assert.equal((await t.txn([{ key: '/a', modRevision: 0 }], put('/a', '4'))).succeeded, true);
  });
  define('a chain of compare-and-set in flight succeeds link by link', async (t) => {
    const links = Array.from({ length: 30 }, (_, index) =>
      t.txn([{ key: '/a', modRevision: index === 0 ? 0 : index + 1 }], put('/a', String(index))),
    );
    assert.ok((await Promise.all(links)).every(({ succeeded }) => succeeded));
    assert.equal(await t.text('/a'), '29');
  });
  define('counters raised by optimistic retries lose nothing', async (t) => {
    const raise = async (): Promise<void> => {
      for (;;) {
        const { item } = await t.store.get('/counter');
        const next = String(Number(item ? textOf(item) : '0') + 1);
        const { succeeded } = await t.txn(
          [{ key: '/counter', modRevision: item?.modRevision ?? 0 }],
          put('/counter', next),
        );
        if (succeeded) return;
      }
    };
    await Promise.all(Array.from({ length: 25 }, raise));
    assert.equal(await t.text('/counter'), '25');
  });
  define('a read after an acknowledged write sees it', async (t) => {
    for (let index = 0; index < 20; index++) {
      const revision = await t.put('/a', String(index));
      assert.ok(t.store.revision >= revision);
      assert.equal(await t.text('/a'), String(index));
    }
  });
}
