// Scope: a task never outlives the scope that started it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortable, aborted, createDeferred, Scope } from './scope.ts';

test('Scope close() aborts its tasks and waits until the last one has ended', async () => {
  const scope = new Scope();
  const ended: string[] = [];
  scope.spawn('a', async (signal) => {
    await aborted(signal);
    await Promise.resolve();
    ended.push('a');
  });
  scope.spawn('b', async (signal) => {
    await aborted(signal);
    ended.push('b');
  });
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(scope.size, 2);
  await scope.close();
  assert.deepEqual(ended.sort(), ['a', 'b']);
  assert.equal(scope.size, 0);
});

test('Scope join() throws what the first failed task threw, after the others have ended', async () => {
  const scope = new Scope();
  let otherEnded = false;
  scope.spawn('other', async (signal) => {
    await aborted(signal);
    otherEnded = true;
  });
  scope.spawn('failing', () => Promise.reject(new Error('broken')));
  await assert.rejects(scope.join(), /broken/);
  assert.equal(otherEnded, true);
  assert.equal(scope.signal.aborted, true);
});

test('Scope aborts with the signal of its parent', async () => {
  const parent = new AbortController();
  await using scope = new Scope({ signal: parent.signal });
  parent.abort(new Error('stop'));
  assert.equal(scope.signal.aborted, true);
  let ran = false;
  scope.spawn('late', () => {
    ran = true;
    return Promise.resolve();
  });
  await scope.join();
  assert.equal(ran, false);
});

test('abortable() rejects with the reason when the signal aborts first, and resolves otherwise', async () => {
  const controller = new AbortController();
  const never = createDeferred<number>();
  const waiting = abortable(never.promise, controller.signal);
  controller.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.equal(await abortable(Promise.resolve(7), new AbortController().signal), 7);
});
