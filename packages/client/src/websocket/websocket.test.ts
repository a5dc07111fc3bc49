import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptKey } from './accept-key.ts';
import { createDuplexPair } from '../streams/duplex-pair.ts';
import type { DuplexConnection } from '../transport/transport.ts';
import { isTransportError } from '../transport/transport-error.ts';
import { encodeFrame, FrameError, FrameReader, opcodes } from './frames.ts';
import { createMessageConnection } from './message-connection.ts';

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

test('FrameReader copies a byte a bounded number of times, however small the pieces', () => {
  const payload = Buffer.alloc(16 * 1024 * 1024, 'x');
  const bytes = encodeFrame(opcodes.binary, payload);
  const reader = new FrameReader(payload.length, 'server');
  let found = 0;
  for (let at = 0; at < bytes.length; at += 256)
    for (const frame of reader.push(bytes.subarray(at, at + 256))) found += frame.payload.length;
  assert.equal(found, payload.length);
});

const refusal =
  (closeCode: number) =>
  (error: unknown): boolean =>
    error instanceof FrameError && error.closeCode === closeCode;

test('FrameReader refuses what RFC 6455 forbids', () => {
  const frames: readonly (readonly [number[], number])[] = [
    [[0xc2, 0], 1002], // a reserved bit
    [[0x83, 0], 1002], // a reserved opcode
    [[0x8b, 0], 1002],
    [[0x09, 0], 1002], // a ping in parts
    [[0x89, 126], 1002], // a ping that is too long
    [[0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], 1009],
  ];
  for (const [bytes, code] of frames)
    assert.throws(() => new FrameReader(10, 'server').push(Buffer.from(bytes)), refusal(code), String(bytes));
});

/** What a client reads of these bytes of a server, as texts; what it said itself. */
async function read(...frames: readonly Uint8Array[]): Promise<{ texts: string[]; said: number[]; error: unknown }> {
  const written: Uint8Array[] = [];
  const connection: DuplexConnection = {
    incoming: (async function* () {
      for (const frame of frames) yield await Promise.resolve(frame);
    })(),
    write: (bytes) => Promise.resolve(void written.push(bytes)),
    close: () => Promise.resolve(),
  };
  const { messages } = createMessageConnection(connection, { side: 'client', mask: () => mask, messageBytesMax: 100 });
  const texts: string[] = [];
  let error: unknown;
  try {
    for await (const message of messages) texts.push(Buffer.from(message).toString());
  } catch (caught) {
    error = caught;
  }
  const said = new FrameReader(1_000, 'client').push(Buffer.concat(written));
  return {
    texts,
    error,
    said: said.map(({ opcode, payload }) => (payload.length > 1 ? Buffer.from(payload).readUInt16BE() : opcode)),
  };
}

const part = (opcode: number, text: string, final: boolean): Uint8Array => {
  const frame = encodeFrame(opcode, Buffer.from(text));
  frame[0] = (final ? 0x80 : 0) | opcode;
  return frame;
};
const goodbye = (code: number, reason = ''): Uint8Array =>
  encodeFrame(opcodes.close, Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason)]));

test('messages come in parts, with pings and empty parts between', async () => {
  const empty = Array.from({ length: 10_000 }, () => part(opcodes.continuation, '', false));
  const { texts, said, error } = await read(
    part(opcodes.text, 'he', false),
    encodeFrame(opcodes.ping, Buffer.alloc(0)),
    ...empty,
    part(opcodes.continuation, 'llo', true),
    goodbye(1000),
  );
  assert.deepEqual([texts, said, error], [['hello'], [opcodes.pong, 1000], undefined]);
});

test('parts out of order, and a message beyond the bound, end the connection', async () => {
  for (const [frames, code] of [
    [[part(opcodes.continuation, 'x', true)], 1002],
    [[part(opcodes.binary, 'x', false), part(opcodes.binary, 'y', true)], 1002],
    [[part(opcodes.binary, 'x'.repeat(60), false), part(opcodes.continuation, 'x'.repeat(60), true)], 1009],
  ] as const) {
    const { said, error } = await read(...frames);
    assert.deepEqual([said, isTransportError(error, 'protocol')], [[code], true]);
  }
});

test('a server that gives up says so to the reader', async () => {
  const { error } = await read(goodbye(1011, 'kubelet is gone'));
  assert.ok(isTransportError(error, 'reset'));
  assert.match(error.message, /code 1011: kubelet is gone/);
  assert.equal((await read(encodeFrame(opcodes.close, Buffer.alloc(0)))).error, undefined);
});

test('a close does not wait for somebody who does not read', async () => {
  const [ours, theirs] = createDuplexPair();
  const { send, close } = createMessageConnection(ours, { side: 'server' });
  const stuck = (async () => {
    for (;;) await send(Buffer.alloc(100_000));
  })();
  // The other side holds all it can.
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await close();
  await assert.rejects(stuck, (error) => isTransportError(error, 'reset'));
  for await (const _ of theirs.incoming);
});

test('whatever a server sends ends in messages or in a TransportError', async () => {
  const frame = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 140 }))
    .map(([first, payload]) => {
      const bytes = encodeFrame(opcodes.binary, payload);
      bytes[0] = first;
      return bytes;
    });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(frame, fc.uint8Array({ maxLength: 20 })), { maxLength: 8 }), async (frames) => {
      const { error } = await read(...frames);
      assert.ok(error === undefined || isTransportError(error), String(error));
    }),
  );
});
