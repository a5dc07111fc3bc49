import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLeaderTerm, parseLeaderTerm } from './leader-term.ts';

test('a term survives its header, whatever its holder is called', () => {
  const term = {
    namespace: 'kube-system',
    name: 'lock',
    uid: '3f2c',
    holder: 'hÖst;a/b=c, d_%41\n',
    transitions: 2_147_483_647,
  };
  const value = formatLeaderTerm(term);
  assert.match(value, /^[\x21-\x7e]+$/);
  assert.deepEqual(parseLeaderTerm(value), term);
});

test('what is no term is not read as one', () => {
  for (const value of [
    '',
    'a/b',
    'a/b;uid=u;holder=;transitions=1',
    'a/b;uid=u;holder=h;transitions=-1',
    'a/b;uid=u;holder=%zz;transitions=1',
    'a/b/c;uid=u;holder=h;transitions=1',
  ])
    assert.equal(parseLeaderTerm(value), undefined, value);
});
