import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CacheEvent } from './cache-event.ts';
import { EventWindow } from './event-window.ts';
import { ObjectVersion } from './object-version.ts';
import { StoredObject } from './stored-object.ts';

function event(revision: number, arrivedMs: number): CacheEvent {
  return new CacheEvent(revision, new ObjectVersion('a', revision, new StoredObject({})), undefined, arrivedMs);
}

test('EventWindow keeps a quiet resource’s history and bounds a busy one’s', () => {
  const window = new EventWindow(10);
  for (let i = 0; i < 100; i++) window.push(event(11 + i, i * 1_000_000));
  assert.equal(window.floor, 10, 'a hundred events stay, however old');
  window.push(event(200, 200_000_000));
  assert.equal(window.floor, 11, 'beyond that the old ones go');
  const busy = new EventWindow(0);
  for (let i = 1; i <= 30_000; i++) busy.push(event(i, 0));
  assert.equal(busy.floor, 10_000);
  assert.equal(busy.after(29_998).length, 2);
  assert.equal(busy.after(10_000).length, 20_000);
});

test('EventWindow lets go of the frames of all but the latest events', () => {
  const window = new EventWindow(0);
  const events = Array.from({ length: 400 }, (_unused, index) => event(index + 1, 0));
  for (const item of events) window.push(item);
  assert.equal(events[0]?.frames, undefined);
  assert.notEqual(events[399]?.frames, undefined);
});
