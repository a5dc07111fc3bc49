import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLabels, formatSelector, selectorText } from './label-text.ts';

test('formatLabels() sorts by key and says <none> for nothing', () => {
  assert.equal(formatLabels({ b: '2', a: '1' }), 'a=1,b=2');
  assert.equal(formatLabels({}), '<none>');
  assert.equal(formatLabels(undefined), '<none>');
});

test('selectorText() writes every operator, values and requirements in order', () => {
  const selector = {
    matchLabels: { z: 'y' },
    matchExpressions: [
      { key: 'n', operator: 'NotIn', values: ['2', '1'] },
      { key: 'i', operator: 'In', values: ['only'] },
      { key: 'e', operator: 'Exists' },
      { key: 'd', operator: 'DoesNotExist' },
    ],
  };
  assert.equal(selectorText(selector), '!d,e,i in (only),n notin (1,2),z=y');
  assert.equal(selectorText({}), '');
  assert.equal(formatSelector({}), '<none>');
});
