// The handshake of the streaming subresources (exec, attach, portforward): a GET that becomes a WebSocket of binary messages
// whose first byte names a channel (spec/apiserver.md §12.10). KEP-4006.

import type { Env, Timer } from '@homeostat/base';
import type { Client } from '../client/client.ts';
import { pods } from '../resources.ts';
import { type QueryParameters, resourcePath } from '../rest/resource-path.ts';
import { decodeError } from '../rest/decode-error.ts';
import { TransportError } from '../transport/transport-error.ts';
import type { ApiResponse } from '../transport/transport.ts';
import { acceptKey } from '../websocket/accept-key.ts';
import { createMessageConnection, type MessageConnection } from '../websocket/message-connection.ts';
import { createDuplexPair } from './duplex-pair.ts';

/** What the streaming calls need. */
export interface StreamDependencies {
  readonly client: Client;
  /** Randomness for keys and masks. */
  readonly env: Env;
}

export interface ChannelRequest {
  readonly namespace: string;
  readonly name: string;
  readonly subresource: 'exec' | 'attach' | 'portforward';
  readonly query: QueryParameters;
  /** Subprotocols in the order of preference. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Channel extends MessageConnection {
  readonly protocol: string;
}

/**
 * Opens the channel.
 * @throws ApiError when the server refuses; TransportError when it is not a WebSocket server; the signal's reason.
 */
export async function openChannel({ client, env }: StreamDependencies, request: ChannelRequest): Promise<Channel> {
  const { namespace, name, subresource, query, protocols, signal } = request;
  const hangUp = new AbortController();
  const key = Buffer.from(env.random.bytes(16)).toString('base64');
  const response = await client.send({
    method: 'GET',
    path: resourcePath(pods, { namespace, name, subresource }),
    query,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      'sec-websocket-protocol': protocols.join(', '),
    },
    signal: signal === undefined ? hangUp.signal : AbortSignal.any([signal, hangUp.signal]),
  });
  if (response.body.kind !== 'upgrade') {
    throw await decodeError(response, { method: 'GET', group: '', resource: `pods/${subresource}`, name });
  }
  const { body } = response;
  try {
    return upgrade(body, checkedProtocol(response, key, protocols), { env, signal, hangUp });
  } catch (error) {
    drop(body);
    throw error;
  }
}

/** Ends a connection that nobody wants. */
function drop(body: UpgradeBody): void {
  const [ours, theirs] = createDuplexPair();
  body.run(theirs).catch(() => {});
  void ours.close();
}

type UpgradeBody = Extract<ApiResponse['body'], { readonly kind: 'upgrade' }>;

function checkedProtocol(response: ApiResponse, key: string, protocols: readonly string[]): string {
  const header = (name: string): string => {
    const value = response.headers[name] ?? '';
    return typeof value === 'string' ? value : (value[0] ?? '');
  };
  if (header('sec-websocket-accept') !== acceptKey(key)) {
    throw new TransportError('protocol', 'the server switched protocols, but not to this WebSocket');
  }
  const protocol = header('sec-websocket-protocol');
  if (!protocols.includes(protocol)) {
    throw new TransportError(
      'protocol',
      `the server speaks ${protocol || 'no protocol'}, wanted ${protocols.join(', ')}`,
    );
  }
  return protocol;
}

interface UpgradeOptions {
  readonly env: Env;
  readonly signal: AbortSignal | undefined;
  /** Ends the request, and with it the connection. */
  readonly hangUp: AbortController;
}

function upgrade(body: UpgradeBody, protocol: string, { env, signal, hangUp }: UpgradeOptions): Channel {
  signal?.throwIfAborted();
  const [ours, theirs] = createDuplexPair();
  const connection = createMessageConnection(ours, { side: 'client', mask: () => env.random.bytes(4) });
  const onAbort = (): void => void connection.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  const heartbeat = beat(connection, env);
  let ended = false;
  let lastCall: Timer | undefined;
  const end = (): Promise<void> => {
    ended = true;
    lastCall?.cancel();
    heartbeat.stop();
    signal?.removeEventListener('abort', onAbort);
    return ours.close();
  };
  // The connection's end shows in `messages`; what broke it is no news then.
  body.run(theirs).then(end, (error: unknown) => {
    env.log.debug('a stream broke', { error });
    return end();
  });
  const close = async (code?: number, reason?: string): Promise<void> => {
    heartbeat.stop();
    signal?.removeEventListener('abort', onAbort);
    if (!ended)
      lastCall ??= env.clock.setTimer(hangUpAfterMs, () =>
        hangUp.abort(new TransportError('reset', 'the server did not let go of the connection')),
      );
    await connection.close(code, reason);
  };
  return {
    protocol,
    messages: connection.messages,
    send: (message) => connection.send(message),
    ping: () => connection.ping(),
    close,
  };
}

/** What a server that neither reads nor hangs up gets after our goodbye. */
const hangUpAfterMs = 5_000;

/** As often as a proxy with a short idle time-out needs it. */
const pingEveryMs = 10_000;

/** Pings until it is stopped, the next when the last has been taken. */
function beat(connection: MessageConnection, env: Env): { stop(): void } {
  let stopped = false;
  const next = (): Timer =>
    env.clock.setTimer(pingEveryMs, () => {
      connection.ping().then(
        () => {
          if (!stopped) timer = next();
        },
        () => {}, // the end shows in the messages
      );
    });
  let timer = next();
  return {
    stop: () => {
      stopped = true;
      timer.cancel();
    },
  };
}
