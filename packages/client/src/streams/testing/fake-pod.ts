// A Pod as the streaming subresources show it, for tests: what a kubelet does on the other end of exec and port-forward.

import type { ApiRequest, ApiResponse, DuplexConnection, Handle } from '../../transport/transport.ts';
import { acceptKey } from '../../websocket/accept-key.ts';
import { createMessageConnection, type MessageConnection } from '../../websocket/message-connection.ts';

export interface FakeExec {
  readonly query: URLSearchParams;
  /** Ends with the client's end of file, or its goodbye. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Sizes of the terminal that were sent so far. */
  readonly sizes: readonly unknown[];
  stdout(content: string | Uint8Array): Promise<void>;
  stderr(content: string | Uint8Array): Promise<void>;
  /** The channel of the Status. */
  error(content: string): Promise<void>;
}

export interface FakePodOptions {
  /** What a command does; its exit code. Undefined: the connection breaks. `silent`: it is closed without a Status. */
  run?(exec: FakeExec): Promise<number | 'silent' | undefined>;
  /** What listens on the port; undefined: nobody. */
  serve?(incoming: AsyncIterable<Uint8Array>, write: (text: string) => Promise<void>): Promise<void>;
  /** Subprotocols it speaks; default v5 and v4. */
  readonly protocols?: readonly string[];
}

/** Answers the requests of one Pod. */
export function createFakePod(options: FakePodOptions): Handle {
  const spoken = options.protocols ?? ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
  return (request) => {
    const wanted = (request.headers['sec-websocket-protocol'] ?? '').split(', ');
    const protocol = wanted.find((each) => spoken.includes(each)) ?? '';
    const work = request.path.endsWith('/portforward') ? forward : execute;
    return Promise.resolve(
      switchProtocols(request, protocol, (messages, connection) => work(options, request, messages, connection)),
    );
  };
}

function switchProtocols(
  request: ApiRequest,
  protocol: string,
  work: (messages: MessageConnection, connection: DuplexConnection) => Promise<void>,
): ApiResponse {
  return {
    status: 101,
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': acceptKey(request.headers['sec-websocket-key'] ?? ''),
      'sec-websocket-protocol': protocol,
    },
    body: {
      kind: 'upgrade',
      run: (connection) => work(createMessageConnection(connection, { side: 'server' }), connection),
    },
  };
}

async function execute(
  { run }: FakePodOptions,
  request: ApiRequest,
  messages: MessageConnection,
  connection: DuplexConnection,
): Promise<void> {
  const send = (channel: number, content: string | Uint8Array): Promise<void> =>
    messages.send(Buffer.concat([Buffer.of(channel), typeof content === 'string' ? Buffer.from(content) : content]));
  const sizes: unknown[] = [];
  await send(1, '');
  const code = await run?.({
    query: new URLSearchParams(request.query),
    input: readInput(messages, sizes),
    sizes,
    stdout: (content) => send(1, content),
    stderr: (content) => send(2, content),
    error: (content) => send(3, content),
  });
  if (code === undefined) {
    await connection.close();
    return;
  }
  if (code !== 'silent') await send(3, JSON.stringify(code === 0 ? { status: 'Success' } : failure(code)));
  await messages.close();
}

function failure(code: number): object {
  const causes = [{ reason: 'ExitCode', message: String(code) }];
  const message = `command terminated with non-zero exit code: exit status ${code}`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message,
    details: { causes },
  };
}

async function* readInput(messages: MessageConnection, sizes: unknown[]): AsyncGenerator<Uint8Array, void, void> {
  for await (const message of messages.messages) {
    if (message[0] === 0) yield message.subarray(1);
    else if (message[0] === 4) sizes.push(JSON.parse(Buffer.from(message.subarray(1)).toString('utf8')));
    else if (message[0] === 255) return;
  }
}

async function forward({ serve }: FakePodOptions, request: ApiRequest, messages: MessageConnection): Promise<void> {
  const port = Number(new URLSearchParams(request.query).get('ports'));
  const portBytes = Buffer.of(port & 0xff, port >> 8);
  await messages.send(Buffer.concat([Buffer.of(0), portBytes]));
  await messages.send(Buffer.concat([Buffer.of(1), portBytes]));
  if (serve === undefined) await messages.send(Buffer.concat([Buffer.of(1), Buffer.from('connection refused\n')]));
  else {
    const write = (text: string): Promise<void> => messages.send(Buffer.concat([Buffer.of(0), Buffer.from(text)]));
    await serve(readPort(messages), write);
  }
  await messages.close();
}

async function* readPort(messages: MessageConnection): AsyncGenerator<Uint8Array, void, void> {
  for await (const message of messages.messages) yield message.subarray(1);
}
