// What a bounded memory keeps and what it forgets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from './recent-map.ts';

test('RecentMap remembers what was used lately and forgets the rest', () => {
  const map = new RecentMap<string, number>(() => new Map(), 3);
  for (let i = 0; i < 6; i++) {
    map.set(`key-${i}`, i);
    assert.equal(map.get('key-0'), 0, 'used all the time');
  }
  assert.equal(map.get('key-5'), 5);
  for (let i = 0; i < 6; i++) map.set(`other-${i}`, i);
  assert.equal(map.get('key-0'), undefined);
  assert.equal(map.get('key-5'), undefined);
  assert.equal(map.get('other-5'), 5);
});
