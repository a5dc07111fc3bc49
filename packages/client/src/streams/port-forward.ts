// A connection to a port of a Pod, through the API server. One WebSocket carries one connection, over the channels that every
// supported version of Kubernetes speaks (`v4.channel.k8s.io`: channel 0 data, 1 errors; spec/apiserver.md §12.11).

import type { DuplexConnection } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { openChannel, type StreamDependencies } from './open-channel.ts';

export interface PortForwardOptions {
  readonly namespace: string;
  /** The Pod. */
  readonly name: string;
  /** Port inside the Pod, 1 … 65535. */
  readonly port: number;
  readonly signal?: AbortSignal;
}

const dataChannel = 0;
const pieceBytesMax = 32 * 1024;

/**
 * Connects. What the Pod says of a port nobody listens on comes as the error of `incoming`. The protocol has no half-close: closing
 * ends both directions.
 *
 * @throws ApiError when the server refuses; TransportError when the connection breaks; the signal's reason.
 * @example
 * const connection = await portForward({ client, env }, { namespace: 'default', name: 'db-0', port: 5432 });
 */
export async function portForward(
  dependencies: StreamDependencies,
  { namespace, name, port, signal }: PortForwardOptions,
): Promise<DuplexConnection> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`a port is 1 to 65535, not ${port}`);
  const channel = await openChannel(dependencies, {
    namespace,
    name,
    subresource: 'portforward',
    query: { ports: [String(port)] },
    protocols: ['v4.channel.k8s.io', 'portforward.k8s.io'],
    ...(signal === undefined ? {} : { signal }),
  });
  return {
    incoming: readData(channel.messages, port),
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; at += pieceBytesMax) {
        await channel.send(Buffer.concat([Buffer.of(dataChannel), bytes.subarray(at, at + pieceBytesMax)]));
      }
    },
    close: () => channel.close(),
  };
}

/** Each channel begins with the port's number, in two bytes. */
async function* readData(messages: AsyncIterable<Uint8Array>, port: number): AsyncGenerator<Uint8Array, void, void> {
  const begun = new Set<number>();
  for await (const message of messages) {
    const channel = message[0] ?? 0;
    let payload = message.subarray(1);
    if (!begun.has(channel)) {
      begun.add(channel);
      payload = payload.subarray(2);
    }
    if (payload.length === 0) continue;
    if (channel === dataChannel) yield payload;
    else throw new TransportError('refused', `port ${port}: ${Buffer.from(payload).toString('utf8').trim()}`);
  }
}
