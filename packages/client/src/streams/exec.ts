// Commands in containers: exec, and attach to what already runs (spec/apiserver.md §12.10, spec/node.md §21).

import { abortable, ApiError, type Status } from '@homeostat/base';
import { isTransportError, TransportError } from '../transport/transport-error.ts';
import { type Channel, openChannel, type StreamDependencies } from './open-channel.ts';

/** Takes what a stream brings; a promise holds the stream back. */
export type Sink = (bytes: Uint8Array) => void | Promise<void>;

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface AttachOptions {
  readonly namespace: string;
  /** The Pod. */
  readonly name: string;
  /** Default: the only container, or the one the Pod's default-container annotation names (the server decides). */
  readonly container?: string;
  /** Sent as it comes; its end is passed on as end of file (needs a server that speaks v5, Kubernetes 1.30). */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly stdout?: Sink;
  /** Not with `tty`, where both come as stdout. */
  readonly stderr?: Sink;
  /** Wants a terminal. */
  readonly tty?: boolean;
  /** Sizes of the terminal as they change. */
  readonly resize?: AsyncIterable<TerminalSize>;
  readonly signal?: AbortSignal;
}

export interface ExecOptions extends AttachOptions {
  /** Not run by a shell. */
  readonly command: readonly string[];
}

/** How a command ended. */
export interface ExecResult {
  /** 0 when it succeeded. */
  readonly exitCode: number;
  /** As the server put it. */
  readonly status: Status;
}

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/**
 * Runs a command in a container; resolves when it has ended. A command that fails is a result, not an error.
 *
 * @throws ApiError when the server refuses or can't run it; TransportError when the connection breaks, or ends before it is known how the
 * command ended; the signal's reason.
 * @example
 * const { exitCode } = await exec({ client, env }, {
 *   namespace: 'default', name: 'web-0', command: ['cat', '/etc/hosts'], stdout: (bytes) => void process.stdout.write(bytes),
 * });
 */
export function exec(dependencies: StreamDependencies, options: ExecOptions): Promise<ExecResult> {
  return run(dependencies, 'exec', options, options.command);
}

/** Joins the streams of a container's main process; resolves when it ends or the server lets go. @throws as {@link exec} */
export function attach(dependencies: StreamDependencies, options: AttachOptions): Promise<ExecResult> {
  return run(dependencies, 'attach', options);
}

/** A command's whole output. */
export interface CapturedExec extends ExecResult {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command and collects its output, up to `outputBytesMax` (default 16 MiB) of each stream.
 * @throws Error when the output is longer, else as {@link exec}
 */
export async function execCaptured(
  dependencies: StreamDependencies,
  {
    outputBytesMax = 16 * 1024 * 1024,
    ...options
  }: Omit<ExecOptions, 'stdout' | 'stderr' | 'tty'> & { readonly outputBytesMax?: number },
): Promise<CapturedExec> {
  const collect = (): { readonly sink: Sink; text(): string } => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    return {
      sink: (bytes) => {
        length += bytes.length;
        if (length > outputBytesMax) throw new Error(`the command wrote more than ${outputBytesMax} bytes`);
        chunks.push(bytes);
      },
      text: () => Buffer.concat(chunks).toString('utf8'),
    };
  };
  const [stdout, stderr] = [collect(), collect()];
  const result = await exec(dependencies, { ...options, stdout: stdout.sink, stderr: stderr.sink });
  return { ...result, stdout: stdout.text(), stderr: stderr.text() };
}

async function run(
  dependencies: StreamDependencies,
  subresource: 'exec' | 'attach',
  options: AttachOptions,
  command?: readonly string[],
): Promise<ExecResult> {
  const { namespace, name, container, stdin, stdout, stderr, tty = false, resize, signal } = options;
  const channel = await openChannel(dependencies, {
    namespace,
    name,
    subresource,
    query: {
      container,
      command,
      stdin: stdin !== undefined,
      stdout: stdout !== undefined,
      stderr: stderr !== undefined && !tty,
      tty,
    },
    protocols,
    ...(signal === undefined ? {} : { signal }),
  });
  const ended = new AbortController();
  let inputError: { readonly error: unknown } | undefined;
  const sending = async (task: Promise<void> | undefined): Promise<void> => {
    try {
      await task;
    } catch (error) {
      // A broken connection is reported by the reader.
      if (ended.signal.aborted || isTransportError(error)) return;
      inputError = { error };
      await channel.close();
    }
  };
  const senders = Promise.all([
    sending(stdin && sendInput(channel, stdin, ended.signal)),
    sending(resize && sendSizes(channel, resize, ended.signal)),
  ]);
  const failed = (): void => {
    signal?.throwIfAborted();
    if (inputError !== undefined) throw inputError.error;
  };
  try {
    const status = await receive(channel, { stdout, stderr, signal });
    failed();
    // Whoever lets go of a process that runs on has no status to give; a command has one.
    if (status === undefined && command !== undefined)
      throw new TransportError('reset', 'the server ended the stream without saying how the command ended');
    return toResult(status ?? success);
  } catch (error) {
    failed();
    throw error;
  } finally {
    ended.abort();
    await channel.close();
    await senders;
  }
}

/** A Status is short. */
const statusBytesMax = 1024 * 1024;

/** Gives each message to its sink, in order; the Status of the error channel, if one came. */
async function receive(
  channel: Channel,
  { stdout, stderr, signal }: Pick<AttachOptions, 'stdout' | 'stderr' | 'signal'>,
): Promise<Status | undefined> {
  const sinks = new Map([
    [channels.stdout, stdout],
    [channels.stderr, stderr],
  ] as const) as ReadonlyMap<number | undefined, Sink | undefined>;
  const said: Uint8Array[] = [];
  let saidBytes = 0;
  for await (const message of channel.messages) {
    const payload = message.subarray(1);
    // The server opens every channel with an empty message.
    if (payload.length === 0) continue;
    if (message[0] === channels.error) {
      saidBytes += payload.length;
      if (saidBytes > statusBytesMax) throw new TransportError('protocol', 'the status of the command is too long');
      said.push(payload);
    } else {
      const taken = sinks.get(message[0])?.(payload);
      if (taken !== undefined) await abortable(taken, signal);
    }
  }
  return said.length === 0 ? undefined : toStatus(Buffer.concat(said).toString('utf8'));
}

function toStatus(text: string): Status {
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status === 'object' && status !== null) return status as Status;
  } catch {
    // Told below.
  }
  throw new TransportError('protocol', `the status of the command is no Status: ${text.slice(0, 200)}`);
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } as Status;

function toResult(status: Status): ExecResult {
  if (status.status === 'Success') return { exitCode: 0, status };
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined && /^\d+$/.test(code))
    return { exitCode: Number(code), status };
  throw ApiError.fromStatus(status);
}

/** Pieces small enough that one write holds nothing up. */
const pieceBytesMax = 32 * 1024;

async function sendInput(channel: Channel, stdin: AsyncIterable<Uint8Array>, ended: AbortSignal): Promise<void> {
  await each(stdin, ended, async (bytes) => {
    for (let at = 0; at < bytes.length; at += pieceBytesMax) {
      await channel.send(Buffer.concat([Buffer.of(channels.stdin), bytes.subarray(at, at + pieceBytesMax)]));
    }
  });
  if (ended.aborted || channel.protocol !== 'v5.channel.k8s.io') return;
  await channel.send(Buffer.of(channels.close, channels.stdin));
}

async function sendSizes(channel: Channel, sizes: AsyncIterable<TerminalSize>, ended: AbortSignal): Promise<void> {
  await each(sizes, ended, ({ width, height }) => {
    const payload = Buffer.from(JSON.stringify({ Width: width, Height: height }));
    return channel.send(Buffer.concat([Buffer.of(channels.resize), payload]));
  });
}

/** Hands items on until they or the connection end. The source is told to stop, and never waited for. */
async function each<T>(source: AsyncIterable<T>, ended: AbortSignal, send: (item: T) => Promise<void>): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await abortable(iterator.next(), ended);
      if (next.done === true) return;
      await send(next.value);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    iterator.return?.().catch(() => {});
  }
}
