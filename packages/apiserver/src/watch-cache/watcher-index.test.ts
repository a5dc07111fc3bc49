import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CacheEvent } from './cache-event.ts';
import { CacheWatcher, inScope, type Predicate } from './cache-watcher.ts';
import { ObjectVersion } from './object-version.ts';
import { StoredObject } from './stored-object.ts';
import { WatcherIndex } from './watcher-index.ts';

const field = 'spec.nodeName';
const fieldsOf = (version: ObjectVersion) =>
  version.fields((object) => ({ [field]: (object as { spec?: { nodeName?: string } }).spec?.nodeName ?? '' }));

const version = (path: string, node: string): ObjectVersion =>
  new ObjectVersion(path, 5, new StoredObject({ metadata: { name: path }, spec: { nodeName: node } } as never));

const name = fc.constantFrom('', 'a', 'b');
const predicate: fc.Arbitrary<Predicate> = fc
  .record({ namespace: name, name, node: fc.option(name) })
  .map(({ namespace, name: object, node }) => ({
    namespace,
    name: object,
    ...(node === null
      ? {}
      : { matches: (candidate) => fieldsOf(candidate)[field] === node, indexed: { field, value: node } }),
  }));
const path = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('a', 'b', 'c')).map((parts) => parts.join('/'));
const node = fc.option(fc.constantFrom('', 'a', 'b'), { nil: undefined });

test('every watcher that an event matters to gets it, once', () => {
  fc.assert(
    fc.property(fc.array(predicate, { maxLength: 12 }), path, node, node, (predicates, where, before, now) => {
      const index = new WatcherIndex([field], fieldsOf);
      const watchers = predicates.map(
        (each) => new CacheWatcher({ predicate: each, queueLengthMax: 10, onClose: (gone) => index.remove(gone) }),
      );
      for (const watcher of watchers) index.add(watcher);
      const current = now === undefined ? undefined : version(where, now);
      const previous = before === undefined ? undefined : version(where, before);
      index.dispatch(new CacheEvent(7, current, previous, 0));
      for (const watcher of watchers) {
        const concerns = [current, previous].some((each) => each !== undefined && inScope(watcher.predicate, each));
        assert.equal(watcher.take().length, concerns ? 1 : 0);
      }
      for (const watcher of watchers) watcher.close();
      assert.equal(index.size, 0);
      index.dispatch(new CacheEvent(8, current, previous, 0));
      assert.ok(watchers.every((watcher) => watcher.take().length === 0));
    }),
  );
});
