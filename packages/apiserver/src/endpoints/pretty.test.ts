import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { indentJson, wantsPretty } from './pretty.ts';

test('indentJson() writes what JSON.stringify would with two spaces', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json);
      assert.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }),
  );
});

test('wantsPretty() believes the query first, then the user agent', () => {
  assert.equal(wantsPretty(new URLSearchParams('pretty=1'), 'kubectl'), true);
  assert.equal(wantsPretty(new URLSearchParams('pretty=false'), 'curl/8'), false);
  assert.equal(wantsPretty(new URLSearchParams(), 'curl/8'), true);
  assert.equal(wantsPretty(new URLSearchParams(), 'kubectl'), false);
});
