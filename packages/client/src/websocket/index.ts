// Public names of @homeostat/client/websocket: RFC 6455 for either side, over connections that somebody else made.

export { acceptKey } from './accept-key.ts';
export { encodeFrame, type Frame, FrameError, FrameReader, opcodes } from './frames.ts';
export {
  createMessageConnection,
  type MessageConnection,
  type MessageConnectionOptions,
} from './message-connection.ts';
