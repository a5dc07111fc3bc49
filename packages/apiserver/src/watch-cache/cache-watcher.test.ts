import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CacheEvent } from './cache-event.ts';
import { CacheWatcher } from './cache-watcher.ts';
import { ObjectVersion } from './object-version.ts';
import { StoredObject } from './stored-object.ts';

const version = (revision: number, app: string): ObjectVersion =>
  new ObjectVersion('n/a', revision, new StoredObject({ metadata: { name: 'a', labels: { app } } }));

function watcher(queueLengthMax = 10): CacheWatcher {
  const matches = (candidate: ObjectVersion): boolean => candidate.stored.metadata?.labels?.['app'] === 'web';
  return new CacheWatcher({ predicate: { namespace: 'n', name: '', matches }, queueLengthMax, onClose: () => {} });
}

test('a watcher sees objects enter and leave its selector', () => {
  const cases: readonly [string | undefined, string | undefined, string | undefined][] = [
    [undefined, 'web', 'ADDED'],
    ['db', 'web', 'ADDED'],
    ['web', 'web', 'MODIFIED'],
    ['web', 'db', 'DELETED'],
    ['web', undefined, 'DELETED'],
    ['db', 'db', undefined],
    ['db', undefined, undefined],
  ];
  for (const [before, now, wanted] of cases) {
    const event = new CacheEvent(
      7,
      now === undefined ? undefined : version(7, now),
      before === undefined ? undefined : version(3, before),
      0,
    );
    const item = watcher().seen(event);
    assert.equal(item?.type, wanted, `${before} → ${now}`);
    // What left is shown as it was, at the revision of the change.
    if (wanted === 'DELETED') assert.equal(item?.version.object.metadata?.labels?.['app'], 'web');
    if (item !== undefined) assert.equal(item.version.object.metadata?.resourceVersion, '7');
  }
});

test('a watcher whose queue is full is ended', () => {
  const slow = watcher(2);
  for (let revision = 1; revision <= 3; revision++)
    slow.offer(new CacheEvent(revision, version(revision, 'web'), undefined, 0));
  assert.equal(slow.closed, true);
  assert.deepEqual(slow.take(), []);
});
