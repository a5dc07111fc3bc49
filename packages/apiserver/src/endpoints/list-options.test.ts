import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeListOptions } from './list-options.ts';

const decode = (query: string, watch = false): ReturnType<typeof decodeListOptions> =>
  decodeListOptions(new URLSearchParams(query), watch);

test('decodeListOptions() starts a watch from nowhere with what is there', () => {
  for (const query of ['watch=1', 'watch=1&resourceVersion=0']) {
    const options = decode(query, true);
    assert.equal(options.sendInitialEvents, true);
    assert.equal(options.resourceVersionMatch, 'NotOlderThan');
  }
  assert.equal(decode('watch=1&resourceVersion=5', true).sendInitialEvents, undefined);
});

test('decodeListOptions() refuses what makes no sense', () => {
  assert.throws(() => decode('resourceVersionMatch=Exact'), /forbidden unless resourceVersion is provided/);
  assert.throws(() => decode('resourceVersionMatch=Exact&resourceVersion=0'), /forbidden for resourceVersion "0"/);
  assert.throws(() => decode('sendInitialEvents=true'), /sendInitialEvents is forbidden for list/);
  assert.throws(
    () => decode('watch=1&sendInitialEvents=true', true),
    /requires setting resourceVersionMatch to NotOlderThan/,
  );
  assert.throws(() => decode('limit=abc'), /strconv.ParseInt: parsing "abc": invalid syntax/);
});
