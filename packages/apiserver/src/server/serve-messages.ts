// A one-way WebSocket: the server sends messages, the client's are ignored except for close and ping (spec §6.1).

import type { ApiRequest, ApiResponse, DuplexConnection } from '@homeostat/client';
import { acceptKey, encodeFrame, FrameReader, opcodes } from '@homeostat/client/websocket';

const clientPayloadBytesMax = 64 * 1024;
const normalClosure = Buffer.from([0x03, 0xe8]);

export function isWebSocketRequest(request: ApiRequest): boolean {
  return (
    request.method === 'GET' &&
    (request.headers['upgrade'] ?? '').toLowerCase() === 'websocket' &&
    /(^|,)\s*upgrade\s*(,|$)/i.test(request.headers['connection'] ?? '')
  );
}

export interface MessageStream {
  /** One message each. */
  readonly messages: AsyncIterable<Uint8Array>;
  readonly kind: 'text' | 'binary';
}

/** Answers an upgrade request with a stream of messages. */
export function serveMessages(request: ApiRequest, stream: MessageStream): ApiResponse {
  const key = request.headers['sec-websocket-key'] ?? '';
  return {
    status: 101,
    headers: { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': acceptKey(key) },
    body: { kind: 'upgrade', run: (connection) => run(connection, stream) },
  };
}

async function run(connection: DuplexConnection, stream: MessageStream): Promise<void> {
  const iterator = stream.messages[Symbol.asyncIterator]();
  const reading = readUntilClose(connection, () => void iterator.return?.());
  const opcode = stream.kind === 'text' ? opcodes.text : opcodes.binary;
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), reading.then(() => undefined)]);
      if (next === undefined || next.done === true) break;
      await connection.write(encodeFrame(opcode, next.value));
    }
    await connection.write(encodeFrame(opcodes.close, normalClosure));
  } finally {
    // The messages may be waiting for their next; the end of the connection wakes them.
    await connection.close();
    await iterator.return?.();
  }
}

/** Resolves when the client closes or breaks the protocol. */
async function readUntilClose(connection: DuplexConnection, onClose: () => void): Promise<void> {
  const reader = new FrameReader(clientPayloadBytesMax);
  try {
    for await (const bytes of connection.incoming) {
      for (const { opcode, payload } of reader.push(bytes)) {
        if (opcode === opcodes.close) return;
        if (opcode === opcodes.ping) await connection.write(encodeFrame(opcodes.pong, payload));
      }
    }
  } catch {
    // A client that breaks the protocol or the connection is one that left.
  } finally {
    onClose();
  }
}
