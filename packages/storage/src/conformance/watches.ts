// Cases of the kit: watches live and from the past, their order, bounds and ends.

import assert from 'node:assert/strict';
import { put, rejectsWith, remove, textOf } from './fixture.ts';
import type { DefineCase } from './store-conformance.ts';

export function watchCases(define: DefineCase): void {
  define('watch() delivers creates, updates and deletes', async (t) => {
    const watch = t.watch('/');
    await t.put('/a', '1');
    await t.put('/a', '2');
    await t.delete('/a');
    const [create, update, gone] = await watch.events(3);
    assert.deepEqual([create?.type, create?.revision, create?.previous], ['put', 2, undefined]);
    assert.equal(create?.current && textOf(create.current), '1');
    assert.deepEqual([update?.type, update?.revision], ['put', 3]);
    assert.equal(update?.current && textOf(update.current), '2');
    assert.equal(update?.previous && textOf(update.previous), '1');
    assert.deepEqual([gone?.type, gone?.revision, gone?.current], ['delete', 4, undefined]);
    assert.equal(gone?.previous && textOf(gone.previous), '2');
  });
  define('watch() delivers only what comes after the call', async (t) => {
    await t.put('/a', '1');
    const watch = t.watch('/');
    await t.put('/b', '2');
    assert.deepEqual(await watch.names(1), ['put /b']);
    await watch.assertNoMore();
  });
  define('watch() is fixed by the call, not by the first read', async (t) => {
    const watch = t.watch('/');
    await t.fill('/k/', 5);
    assert.equal((await watch.events(5))[0]?.revision, 2);
  });
  define('watch() delivers its prefix alone', async (t) => {
    const watch = t.watch('/b/');
    await t.txn([], put('/a', '0'), put('/b', '0'), put('/b/1', '1'), put('/b0', '0'));
    await t.put('/c', '0');
    await t.put('/b/2', '2');
    assert.deepEqual(await watch.names(2), ['put /b/1', 'put /b/2']);
    await watch.assertNoMore();
  });
  define('watch() of a prefix that does not end in a slash', async (t) => {
    const watch = t.watch('/pods/def');
    await t.txn([], put('/pods/default/a', '1'), put('/pods/other/a', '2'), put('/pods/def', '3'));
    assert.deepEqual(await watch.names(2), ['put /pods/default/a', 'put /pods/def']);
    await watch.assertNoMore();
  });
  define('watch() of the empty prefix delivers everything', async (t) => {
    const watch = t.watch('');
    await t.put('x', '1');
    await t.put('/y/z', '2');
    assert.deepEqual(await watch.names(2), ['put x', 'put /y/z']);
  });
  define('watch() delivers the events of one transaction together and in its order', async (t) => {
    await t.put('/b', '0');
    const watch = t.watch('/');
    await t.txn([], put('/c', '1'), remove('/b'), put('/a', '2'));
    const batch = await watch.batch();
    assert.ok(batch.type === 'events');
    assert.equal(batch.revision, 3);
    assert.deepEqual(
      batch.events.map(({ type, key }) => `${type} ${key}`),
      ['put /c', 'delete /b', 'put /a'],
    );
  });
  define('watch() says nothing of transactions that change nothing', async (t) => {
    const watch = t.watch('/');
    await t.txn([{ key: '/a', modRevision: 9 }], put('/a', '1'));
    await t.delete('/absent');
    await t.txn([]);
    await watch.assertNoMore();
  });
  define('watch() sees a write no later than a read does', async (t) => {
    const watch = t.watch('/');
    const seen = watch.events(1);
    await t.put('/a', '1');
    assert.equal((await seen)[0]?.revision, t.store.revision);
  });
  define('watch() delivers nothing that a read could not see', async (t) => {
    const watch = t.watch('/');
    const writes = Array.from({ length: 30 }, (_, index) => t.put('/a', String(index)));
    for (let index = 0; index < 30; index++) {
      const [event] = await watch.events(1);
      assert.ok(event !== undefined && t.store.revision >= event.revision);
    }
    await Promise.all(writes);
  });
  define('many watches of one prefix all get everything', async (t) => {
    const watches = Array.from({ length: 20 }, () => t.watch('/k/'));
    await t.fill('/k/', 10);
    for (const watch of watches) assert.equal((await watch.events(10)).at(-1)?.revision, 11);
  });
  define('watches of nested prefixes each get their share', async (t) => {
    const outer = t.watch('/r/');
    const middle = t.watch('/r/pods/');
    const inner = t.watch('/r/pods/ns/');
    await t.put('/r/pods/ns/a', '1');
    await t.put('/r/pods/other/a', '2');
    await t.put('/r/nodes/a', '3');
    assert.equal((await outer.events(3)).length, 3);
    assert.equal((await middle.events(2)).length, 2);
    assert.equal((await inner.events(1)).length, 1);
    await inner.assertNoMore();
  });
}

export function pastWatchCases(define: DefineCase): void {
  define('watch() from a past revision delivers from there, then what follows', async (t) => {
    await t.fill('/k/', 10);
    const watch = t.watch('/k/', 7);
    await t.put('/k/new', 'x');
    const events = await watch.events(6);
    assert.deepEqual(
      events.map(({ revision }) => revision),
      [7, 8, 9, 10, 11, 12],
    );
  });
  define('watch() from the past without a match delivers what follows', async (t) => {
    await t.fill('/other/', 10);
    const watch = t.watch('/k/', 2);
    await t.put('/k/a', 'x');
    assert.deepEqual(
      (await watch.events(1)).map(({ revision }) => revision),
      [12],
    );
  });
  define('watch() from the past shows the states of then', async (t) => {
    await t.put('/a', '1');
    await t.put('/a', '2');
    await t.delete('/a');
    const events = await t.watch('/', 2).events(3);
    assert.deepEqual(
      events.map(({ current }) => current && textOf(current)),
      ['1', '2', undefined],
    );
    assert.deepEqual(
      events.map(({ previous }) => previous && textOf(previous)),
      [undefined, '1', '2'],
    );
  });
  define('watch() from the past keeps the events of one transaction together', async (t) => {
    await t.txn([], put('/a', '1'), put('/x', '0'), put('/b', '2'));
    const batch = await t.watch('/', 1).batch();
    assert.ok(batch.type === 'events' && batch.events.length === 3);
  });
  define('watch() from the next revision is a watch from now', async (t) => {
    await t.put('/a', '1');
    const watch = t.watch('/', 3);
    await t.put('/a', '2');
    assert.deepEqual(
      (await watch.events(1)).map(({ revision }) => revision),
      [3],
    );
  });
  define('watch() from a future revision waits for it', async (t) => {
    const watch = t.watch('/', 5);
    await t.fill('/k/', 6);
    assert.deepEqual(
      (await watch.events(3)).map(({ revision }) => revision),
      [5, 6, 7],
    );
  });
  define('watch() from a compacted revision fails at the call', async (t) => {
    await t.fill('/k/', 9);
    await t.store.compact(6);
    assert.equal((await rejectsWith('compacted', () => t.watch('/', 5))).revision, 6);
  });
  define('watch() from the compacted revision itself delivers its change, with the state before', async (t) => {
    await t.put('/a', '1');
    await t.put('/a', '2');
    const revision = await t.delete('/a');
    await t.store.compact(revision);
    const [event] = await t.watch('/', revision).events(1);
    assert.deepEqual([event?.type, event?.revision], ['delete', revision]);
    assert.equal(event?.previous && textOf(event.previous), '2');
  });
  define('watch() opened before a compaction has no gap', async (t) => {
    await t.fill('/k/', 10);
    const watch = t.watch('/', 2);
    assert.equal((await watch.events(3)).length, 3);
    await t.store.compact(11);
    await t.put('/k/new', 'x');
    assert.deepEqual(
      (await watch.events(8)).map(({ revision }) => revision),
      [5, 6, 7, 8, 9, 10, 11, 12],
    );
  });
  define('watches opened at every point of a stream of writes have no gap', async (t) => {
    const watches = [];
    const writes = [];
    for (let step = 0; step < 40; step++) {
      writes.push(t.put(`/k${step % 7}`, String(step)));
      watches.push(t.watch('/', step + 2));
      if (step % 8 === 7) await writes[step];
    }
    await Promise.all(writes);
    for (const [step, watch] of watches.entries()) {
      const events = await watch.events(40 - step);
      assert.deepEqual(
        events.map(({ revision }) => revision),
        Array.from({ length: 40 - step }, (_, index) => step + 2 + index),
      );
    }
  });
}

export function watchEndCases(define: DefineCase): void {
  define('a watch ends when its signal aborts', async (t) => {
    const watch = t.watch('/');
    const waiting = watch.next();
    watch.abort();
    assert.equal((await waiting).done, true);
    assert.equal((await watch.next()).done, true);
  });
  define('a watch opened with an aborted signal is over', async (t) => {
    const signal = AbortSignal.abort();
    await t.put('/a', '1');
    for await (const batch of t.store.watch({ prefix: '/', fromRevision: 1, signal })) assert.fail(`got ${batch.type}`);
  });
  define('a watch that was left does not disturb the others', async (t) => {
    const left = t.watch('/');
    const kept = t.watch('/');
    await left.leave();
    await t.put('/a', '1');
    assert.deepEqual(await kept.names(1), ['put /a']);
    assert.equal((await left.next()).done, true);
  });
  define('a watch whose reader falls behind ends with slow-watcher', async (t) => {
    const watch = t.watch('/', undefined, 10);
    await t.fill('/k/', 11);
    await rejectsWith('slow-watcher', () => watch.next());
    assert.equal((await watch.next()).done, true);
  });
  define('a watch may be behind as far as its bound', async (t) => {
    const watch = t.watch('/', undefined, 10);
    await t.fill('/k/', 10);
    assert.equal((await watch.events(10)).length, 10);
    await t.fill('/l/', 10);
    assert.equal((await watch.events(10)).length, 10);
  });
  define('a slow watch does not slow the others', async (t) => {
    const slow = t.watch('/', undefined, 5);
    const quick = t.watch('/');
    await t.fill('/k/', 20);
    assert.equal((await quick.events(20)).length, 20);
    await rejectsWith('slow-watcher', () => slow.next());
  });
  define('events of other prefixes do not count against the bound', async (t) => {
    const watch = t.watch('/k/', undefined, 2);
    await t.fill('/other/', 50);
    await t.put('/k/a', '1');
    assert.deepEqual(await watch.names(1), ['put /k/a']);
  });
  define('the past does not count against the bound', async (t) => {
    await t.fill('/k/', 50);
    assert.equal((await t.watch('/k/', 1, 10).events(50)).length, 50);
  });
  define('requestProgress() tells an idle watch the current revision', async (t) => {
    await t.fill('/other/', 5);
    const watch = t.watch('/k/');
    const waiting = watch.batch();
    t.store.requestProgress();
    assert.deepEqual(await waiting, { type: 'progress', revision: 6 });
  });
  define('requestProgress() comes after the events up to its revision', async (t) => {
    const watch = t.watch('/');
    await t.fill('/k/', 3);
    t.store.requestProgress();
    assert.equal((await watch.events(3)).length, 3);
    assert.deepEqual(await watch.batch(), { type: 'progress', revision: 4 });
  });
  define('requestProgress() comes after the past of a watch', async (t) => {
    await t.fill('/k/', 3);
    const watch = t.watch('/', 2);
    t.store.requestProgress();
    assert.equal((await watch.events(3)).length, 3);
    assert.deepEqual(await watch.batch(), { type: 'progress', revision: 4 });
  });
  define('requestProgress() asked often is told once', async (t) => {
    const watch = t.watch('/');
    for (let times = 0; times < 100; times++) t.store.requestProgress();
    assert.deepEqual(await watch.batch(), { type: 'progress', revision: 1 });
    await t.put('/a', '1');
    assert.equal((await watch.batch()).type, 'events');
  });
}
