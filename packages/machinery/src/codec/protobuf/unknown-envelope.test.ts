// The envelope of Kubernetes protobuf.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEnveloped, unwrapUnknown, wrapUnknown } from './unknown-envelope.ts';

test('wrapUnknown() and unwrapUnknown() are inverse', () => {
  const raw = Uint8Array.from([0x0a, 0x00]);
  const bytes = wrapUnknown({ apiVersion: 'apps/v1', kind: 'Deployment', raw });
  assert.ok(isEnveloped(bytes));
  const opened = unwrapUnknown(bytes);
  assert.deepEqual(
    { ...opened, raw: new Uint8Array(opened.raw) },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      raw,
      contentEncoding: '',
      contentType: '',
    },
  );
});

test('unwrapUnknown() refuses in the words of upstream', () => {
  const cases: readonly (readonly [bytes: readonly number[], message: string])[] = [
    [[], 'empty data'],
    [[0x7b, 0x7d], 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    [[0x6b, 0x38, 0x73, 0x00], 'empty body'],
    [[0x6b, 0x38, 0x73, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 'unexpected EOF'],
    [[0x6b, 0x38, 0x73, 0x00, 0x12, 0x05, 0x00], 'unexpected EOF'],
  ];
  for (const [bytes, message] of cases) assert.throws(() => unwrapUnknown(Uint8Array.from(bytes)), { message });
});
