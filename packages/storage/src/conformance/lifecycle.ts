// Cases of the kit: closing and reopening, expiry, large and odd values, holders.

import assert from 'node:assert/strict';
import { holdBytes, holdObject } from '../value-holder.ts';
import { put, rejectsWith, remove, textOf } from './fixture.ts';
import type { DefineCase } from './store-conformance.ts';

export function closeCases(define: DefineCase): void {
  define('close() ends watches with `closed`', async (t) => {
    const waiting = t.watch('/').next();
    const idle = t.watch('/');
    const ends = [rejectsWith('closed', () => waiting), t.store.close()];
    await Promise.all(ends);
    await rejectsWith('closed', () => idle.next());
  });
  define('a closed store refuses everything with `closed`', async (t) => {
    await t.put('/a', '1');
    await t.store.close();
    await rejectsWith('closed', () => t.put('/a', '2'));
    await rejectsWith('closed', () => t.store.get('/a'));
    await rejectsWith('closed', () => t.store.range({ prefix: '/' }));
    await rejectsWith('closed', () => t.store.compact(2));
    await rejectsWith('closed', () => t.watch('/'));
  });
  define('close() twice is once', async (t) => {
    await Promise.all([t.store.close(), t.store.close()]);
    await t.store.close();
  });
  define('close() waits for writes in flight', async (t) => {
    const writes = Array.from({ length: 20 }, (_, index) => t.put(`/k${index}`, 'x'));
    await t.store.close();
    assert.deepEqual((await Promise.all(writes)).at(-1), 21);
  });
}

export function reopenCases(define: DefineCase): void {
  define('reopening finds state, revision and versions', { durable: true }, async (t) => {
    await t.fill('/k/', 10);
    await t.put('/k/000', 'changed');
    await t.delete('/k/009');
    await t.reopen();
    assert.equal(t.store.revision, 13);
    const { item } = await t.store.get('/k/000');
    assert.deepEqual(
      [item?.createRevision, item?.modRevision, item?.version, item && textOf(item)],
      [2, 12, 2, 'changed'],
    );
    assert.equal((await t.store.range({ prefix: '/k/', countOnly: true })).count, 9);
  });
  define('reopening an empty store finds revision 1', { durable: true }, async (t) => {
    await t.reopen();
    assert.deepEqual([t.store.revision, t.store.compactedRevision], [1, 1]);
    assert.equal(await t.put('/a', '1'), 2);
  });
  define('reopening continues the revisions', { durable: true }, async (t) => {
    await t.put('/a', '1');
    await t.reopen();
    assert.equal(await t.put('/a', '2'), 3);
    await t.reopen();
    assert.equal((await t.txn([{ key: '/a', modRevision: 3 }], put('/a', '3'))).revision, 4);
  });
  define('reopening finds what was in flight at the close', { durable: true }, async (t) => {
    const writes = Array.from({ length: 50 }, (_, index) => t.put(`/k${index}`, 'x'));
    await t.reopen();
    await Promise.all(writes);
    assert.equal((await t.store.range({ prefix: '/k', countOnly: true })).count, 50);
  });
  define('reopening keeps the history for reads and watches', { durable: true }, async (t) => {
    await t.put('/a', '1');
    await t.put('/a', '2');
    await t.txn([], remove('/a'), put('/b', '3'));
    await t.reopen();
    assert.equal(await t.text('/a', 2), '1');
    assert.deepEqual(await t.watch('/', 2).names(4), ['put /a', 'put /a', 'delete /a', 'put /b']);
  });
  define('reopening keeps the compaction', { durable: true }, async (t) => {
    for (let step = 0; step < 20; step++) await t.put(`/k${step % 3}`, String(step));
    await t.delete('/k1');
    await t.store.compact(15);
    await t.reopen();
    assert.deepEqual([t.store.revision, t.store.compactedRevision], [22, 15]);
    await rejectsWith('compacted', () => t.store.get('/k0', { revision: 14 }));
    assert.deepEqual(await t.texts('/', 15), ['/k0=12', '/k1=13', '/k2=11']);
    assert.equal((await t.watch('/', 15).events(8)).at(-1)?.type, 'delete');
  });
  define('reopening after a compaction at a deletion keeps the revision', { durable: true }, async (t) => {
    await t.put('/a', '1');
    await t.delete('/a');
    await t.store.compact(3);
    await t.reopen();
    assert.deepEqual([t.store.revision, await t.texts('/')], [3, []]);
    await t.put('/a', '2');
    await t.store.compact(4);
    await t.reopen();
    assert.deepEqual([t.store.revision, await t.texts('/')], [4, ['/a=2']]);
  });
  define('reopening keeps deadlines', { durable: true }, async (t) => {
    await t.put('/a', '1', 60);
    await t.put('/b', '2');
    await t.reopen();
    const watch = t.watch('/');
    await t.env.clock.advance(61_000);
    assert.deepEqual(await watch.names(1), ['delete /a']);
    assert.deepEqual(await t.texts('/'), ['/b=2']);
  });
}

export function expiryCases(define: DefineCase): void {
  define('an entry with ttlSeconds is deleted after that time', async (t) => {
    await t.put('/a', '1', 60);
    const watch = t.watch('/');
    await t.env.clock.advance(59_000);
    assert.equal(await t.text('/a'), '1');
    await t.env.clock.advance(2000);
    const [event] = await watch.events(1);
    assert.deepEqual([event?.type, event?.key, event?.revision], ['delete', '/a', 3]);
    assert.equal(event?.previous && textOf(event.previous), '1');
    assert.equal(await t.text('/a'), undefined);
  });
  define('an entry put again lives from then on', async (t) => {
    await t.put('/a', '1', 60);
    await t.env.clock.advance(50_000);
    await t.put('/a', '2', 60);
    await t.env.clock.advance(50_000);
    assert.equal(await t.text('/a'), '2');
    const watch = t.watch('/');
    await t.env.clock.advance(11_000);
    assert.deepEqual(await watch.names(1), ['delete /a']);
  });
  define('an entry put again without ttlSeconds lives for ever', async (t) => {
    await t.put('/a', '1', 60);
    await t.put('/a', '2');
    const watch = t.watch('/');
    await t.env.clock.advance(3_600_000);
    await watch.assertNoMore();
    assert.equal(await t.text('/a'), '2');
  });
  define('an entry deleted and created again is not touched by the old deadline', async (t) => {
    await t.put('/a', '1', 60);
    await t.delete('/a');
    await t.put('/a', '2', 600);
    const watch = t.watch('/');
    await t.env.clock.advance(61_000);
    await watch.assertNoMore();
    assert.equal(await t.text('/a'), '2');
  });
  define('entries expire in the order of their deadlines', async (t) => {
    await t.put('/late', 'x', 90);
    await t.put('/soon', 'x', 30);
    await t.put('/middle', 'x', 60);
    const watch = t.watch('/');
    await t.env.clock.advance(100_000);
    assert.deepEqual(await watch.names(3), ['delete /soon', 'delete /middle', 'delete /late']);
  });
  define('many entries with one deadline all expire, one revision each', async (t) => {
    await Promise.all(Array.from({ length: 600 }, (_, index) => t.put(`/k${index}`, 'x', 60)));
    const watch = t.watch('/');
    await t.env.clock.advance(61_000);
    const events = await watch.events(600);
    assert.equal(new Set(events.map(({ revision }) => revision)).size, 600);
    assert.equal((await t.store.range({ prefix: '/', countOnly: true })).count, 0);
  });
}

export function valueCases(define: DefineCase): void {
  define('a value of megabytes comes back whole', async (t) => {
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) % 251);
    await t.txn([], { type: 'put', key: '/big', value: holdBytes(bytes.slice()) });
    if (t.durable) await t.reopen();
    assert.deepEqual((await t.store.get('/big')).item?.value.bytes(), bytes);
  });
  define('an empty value is not an absent one', async (t) => {
    await t.put('/empty', '');
    if (t.durable) await t.reopen();
    const { item } = await t.store.get('/empty');
    assert.equal(item?.value.bytes().byteLength, 0);
  });
  define('values may be any bytes', async (t) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await t.txn([], { type: 'put', key: '/bytes', value: holdBytes(bytes.slice()) });
    if (t.durable) await t.reopen();
    assert.deepEqual((await t.store.get('/bytes')).item?.value.bytes(), bytes);
  });
  define('a value that is a view into a larger buffer is stored alone', async (t) => {
    const buffer = new TextEncoder().encode('xxxxxxxxxxxxvaluexxxxxxxxxxxx');
    await t.txn([], { type: 'put', key: '/view', value: holdBytes(buffer.subarray(12, 17)) });
    if (t.durable) await t.reopen();
    assert.equal(await t.text('/view'), 'value');
  });
  define('keys may be any well-formed text', async (t) => {
    const keys = ['/with space', '/quote\'"', '/new\nline', '/ünï', '/😀', '/zero\0byte'];
    await t.txn([], ...keys.map((key) => put(key, key)));
    if (t.durable) await t.reopen();
    for (const key of keys) assert.equal(await t.text(key), key);
  });
  define('keys that are no well-formed text are refused', async (t) => {
    await assert.rejects(t.put('/\ud800', 'x'), /well-formed/);
  });
  define('a holder is encoded at most once, however often it is stored and read', async (t) => {
    let encoded = 0;
    const value = holdObject({ name: 'a' }, () => {
      encoded++;
      return new TextEncoder().encode('{"name":"a"}');
    });
    const watch = t.watch('/');
    await t.txn([], { type: 'put', key: '/a', value });
    await t.txn([], { type: 'put', key: '/b', value });
    for (const { current } of await watch.events(2)) assert.equal(current && textOf(current), '{"name":"a"}');
    assert.equal(await t.text('/a'), '{"name":"a"}');
    assert.equal(encoded, 1);
  });
  define('a watch gets the very object that was written', async (t) => {
    const object = { name: 'a' };
    const watch = t.watch('/');
    await t.txn([], { type: 'put', key: '/a', value: holdObject(object, () => new Uint8Array([1])) });
    assert.equal((await watch.events(1))[0]?.current?.value.object, object);
  });
  define('a read gets the very holder that was written', { keepsHolders: true }, async (t) => {
    let encoded = 0;
    const value = holdObject({ name: 'a' }, () => new Uint8Array([encoded++]));
    await t.txn([], { type: 'put', key: '/a', value });
    assert.equal((await t.store.get('/a')).item?.value, value);
    const [event] = await t.watch('/', 2).events(1);
    assert.equal(event?.current?.value, value);
    await t.put('/a', 'x');
    assert.equal((await t.store.get('/a', { revision: 2 })).item?.value, value);
    assert.equal(encoded, 0, 'nobody asked for the bytes');
  });
  define('an object left in a holder by one reader is there for the next', async (t) => {
    await t.put('/a', '1');
    const first = (await t.store.get('/a')).item;
    assert.ok(first);
    const object = { decoded: true };
    first.value.object = object;
    assert.equal((await t.store.get('/a')).item?.value.object, object);
  });
}
