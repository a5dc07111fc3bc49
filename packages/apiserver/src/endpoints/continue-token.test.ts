import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeContinue, encodeContinue } from './continue-token.ts';

test('decodeContinue() reads what encodeContinue() wrote', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.stringMatching(/^[a-z0-9.-]{1,20}$/), (revision, name) => {
      fc.pre(name !== '.' && name !== '..');
      const token = { revision, start: `/${name}\u0000` };
      assert.deepEqual(decodeContinue(encodeContinue(token)), token);
    }),
  );
});

test('encodeContinue() has upstream’s form', () => {
  assert.equal(
    encodeContinue({ revision: 1868, start: '/t-3\u0000' }),
    'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTg2OCwic3RhcnQiOiIvdC0zXHUwMDAwIn0',
  );
});

test('decodeContinue() refuses tampered tokens with the reason', () => {
  const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const cases: readonly [string, RegExp][] = [
    ['!!!', /illegal base64 data at input byte 0/],
    [token({}), /does not recognize this encoded version $/],
    [token({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }), /incorrect encoded start resourceVersion/],
    [token({ v: 'meta.k8s.io/v1', rv: 5, start: '' }), /encoded start key empty/],
    [token({ v: 'meta.k8s.io/v1', rv: 5, start: '../secrets/x' }), /continue key is not valid: \.\.\/secrets\/x/],
    [
      token({ v: 'meta.k8s.io/v1', rv: '5', start: 'a' }),
      /cannot unmarshal string into Go struct field continueToken.rv/,
    ],
  ];
  for (const [text, wanted] of cases) assert.throws(() => decodeContinue(text), wanted);
});
