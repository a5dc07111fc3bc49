import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptKey } from './accept-key.ts';
import { encodeFrame, FrameReader, opcodes } from './frames.ts';

test('acceptKey() answers the example of RFC 6455', () => {
  assert.equal(acceptKey('dGhlIHNhbXBsZSBub25jZQ=='), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

const mask = Buffer.from([1, 2, 3, 4]);
const masked = (opcode: number, payload: Uint8Array): Uint8Array => encodeFrame(opcode, payload, mask);

test('FrameReader reads back what either side sends, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom('client' as const, 'server' as const),
      (payloads, step, from) => {
        const encode = from === 'client' ? masked : encodeFrame;
        const bytes = Buffer.concat(payloads.map((payload) => encode(opcodes.binary, payload)));
        const reader = new FrameReader(1_000, from);
        const found: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += step) {
          found.push(...reader.push(bytes.subarray(at, at + step)).map((frame) => frame.payload));
        }
        assert.deepEqual(
          found.map((payload) => [...payload]),
          payloads.map((payload) => [...payload]),
        );
      },
    ),
  );
});

test('FrameReader refuses frames without a mask and frames beyond its bound', () => {
  assert.throws(() => new FrameReader(10).push(encodeFrame(opcodes.text, Buffer.from('hello'))), /must mask/);
  assert.throws(() => new FrameReader(10).push(masked(opcodes.text, Buffer.alloc(11))), /at most 10 bytes/);
});
