// Files in and out of containers, as `kubectl cp` does it: tar runs in the container, its stream goes through exec. The container
// needs a `tar`.

import path from 'node:path';
import type { Readable } from 'node:stream';
import type { StreamDependencies } from '../../streams/open-channel.ts';
import { exec, type ExecResult } from '../../streams/exec.ts';

export interface CopyOptions {
  readonly namespace: string;
  /** The Pod. */
  readonly name: string;
  readonly container?: string;
  /** A file or folder; in the container for {@link copyFromPod}, here for {@link copyToPod}. */
  readonly from: string;
  /** What it is to be on the other side; its parent folder must exist. */
  readonly to: string;
  readonly signal?: AbortSignal;
}

/** The command in the container did not end well; `stderr` holds up to 64 KiB of what it said. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  readonly exitCode: number;
  readonly stderr: string;

  constructor(exitCode: number, stderr: string) {
    super(`tar in the container ended with ${exitCode}: ${stderr.trim() || 'it said nothing'}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

const stderrBytesMax = 64 * 1024;

/**
 * Copies a file or folder out of a container. Nothing is written outside of `to`: entries with `..`, absolute paths and links that lead
 * out are left out.
 *
 * @throws CopyError; what {@link exec} throws.
 * @example await copyFromPod({ client, env }, { namespace: 'default', name: 'web-0', from: '/var/log/app', to: './logs' });
 */
export async function copyFromPod(dependencies: StreamDependencies, options: CopyOptions): Promise<void> {
  const { extract } = await import('tar');
  const { dir, base } = path.posix.parse(path.posix.normalize(options.from).replace(/(?<=.)\/$/, ''));
  const to = path.resolve(options.to);
  const unpack = extract({
    cwd: path.dirname(to),
    preserveOwner: false,
    filter: (entry) => isWithin(entry, base),
    onReadEntry: (entry) => {
      entry.path = rename(entry.path, base, path.basename(to));
    },
  });
  const finished = new Promise<void>((resolve, reject) => unpack.on('close', resolve).on('error', reject));
  // The failure of the command is what is told first.
  finished.catch(() => {});
  await tarInPod(dependencies, options, ['tar', 'cf', '-', '-C', dir === '' ? '.' : dir, base], {
    stdout: (bytes) => {
      if (!unpack.write(Buffer.from(bytes)))
        return new Promise<void>((resolve) => unpack.once('drain', () => resolve()));
      return undefined;
    },
  });
  unpack.end();
  await finished;
}

/**
 * Copies a file or folder into a container.
 *
 * @throws CopyError; what {@link exec} throws; the error of a file that cannot be read.
 */
export async function copyToPod(dependencies: StreamDependencies, options: CopyOptions): Promise<void> {
  const { create } = await import('tar');
  const from = path.resolve(options.from);
  const base = path.basename(from);
  const target = path.posix.parse(path.posix.normalize(options.to).replace(/(?<=.)\/$/, ''));
  const packed = create(
    {
      cwd: path.dirname(from),
      portable: true,
      onWriteEntry: (entry) => {
        entry.path = rename(entry.path, base, target.base);
      },
    },
    [base],
  );
  await tarInPod(dependencies, options, ['tar', 'xmf', '-', '-C', target.dir === '' ? '.' : target.dir], {
    stdin: packed as unknown as Readable,
  });
}

async function tarInPod(
  dependencies: StreamDependencies,
  { namespace, name, container, signal }: CopyOptions,
  command: readonly string[],
  streams: Pick<Parameters<typeof exec>[1], 'stdin' | 'stdout'>,
): Promise<ExecResult> {
  let stderr = '';
  const result = await exec(dependencies, {
    namespace,
    name,
    command,
    ...streams,
    ...(container === undefined ? {} : { container }),
    ...(signal === undefined ? {} : { signal }),
    stderr: (bytes) => {
      if (stderr.length < stderrBytesMax) stderr += Buffer.from(bytes).toString('utf8');
    },
  });
  if (result.exitCode !== 0) throw new CopyError(result.exitCode, stderr);
  return result;
}

function isWithin(entry: string, base: string): boolean {
  const clean = path.posix.normalize(entry);
  return clean === base || clean.startsWith(`${base}/`);
}

function rename(entry: string, base: string, to: string): string {
  return isWithin(entry, base) ? to + path.posix.normalize(entry).slice(base.length) : entry;
}
