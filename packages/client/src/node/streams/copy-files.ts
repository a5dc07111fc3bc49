// Files in and out of containers, as `kubectl cp` does it: tar runs in the container, its stream goes through exec. The container
// needs a `tar`.

import path from 'node:path';
import type { Readable } from 'node:stream';
import type { StreamDependencies } from '../../streams/open-channel.ts';
import { exec, type ExecResult } from '../../streams/exec.ts';
import { type EntryName, EntryNames } from './entry-names.ts';

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
 * out are left out, which is logged. What is there already is kept, or replaced by what comes under the same name.
 *
 * @throws CopyError; what {@link exec} throws; Error when something could not be written, or there was nothing to write.
 * @example await copyFromPod({ client, env }, { namespace: 'default', name: 'web-0', from: '/var/log/app', to: './logs' });
 */
export async function copyFromPod(dependencies: StreamDependencies, options: CopyOptions): Promise<void> {
  const { extract } = await import('tar');
  const { dir, base } = splitPodPath(options.from);
  const to = path.resolve(options.to);
  const names = new EntryNames(base, path.basename(to));
  const failed = new AbortController();
  let entries = 0;
  const unpack = extract({
    cwd: path.dirname(to),
    preserveOwner: false,
    filter: (_, entry) => {
      if (names.isWithin(entry as EntryName)) return true;
      dependencies.env.log.warn('not copied: it is, or leads, outside of what was asked for', {
        entry: (entry as EntryName).path,
      });
      return false;
    },
    onReadEntry: (entry) => {
      entries++;
      entry.path = names.rename(entry.path);
      if (entry.type === 'Link' && entry.linkpath !== undefined) entry.linkpath = names.rename(entry.linkpath);
    },
    onwarn: (code, message) => {
      if (isLoss(code)) failed.abort(failure(to, message));
    },
  });
  const finished = new Promise<void>((resolve, reject) =>
    unpack.on('close', resolve).on('error', (error) => reject(failure(to, error))),
  );
  finished.catch((error: unknown) => failed.abort(error));
  const { signal } = options;
  await tarInPod(
    dependencies,
    { ...options, signal: signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]) },
    ['tar', 'cf', '-', '-C', dir, asOperand(base)],
    {
      stdout: (bytes) => {
        if (!unpack.write(Buffer.from(bytes)))
          return new Promise<void>((resolve) => unpack.once('drain', () => resolve()));
        return undefined;
      },
    },
  );
  unpack.end();
  await finished;
  failed.signal.throwIfAborted();
  if (entries === 0) throw new Error(`copying ${options.from}: there was nothing to copy, or it leads elsewhere`);
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
  const target = splitPodPath(options.to);
  if (base === '' || target.base === '.')
    throw new TypeError(`copying ${options.from} to ${options.to}: both need a name of their own`);
  const names = new EntryNames(base, target.base);
  const failed = new AbortController();
  const packed = create(
    {
      cwd: path.dirname(from),
      portable: true,
      onWriteEntry: (entry) => {
        entry.path = names.rename(entry.path);
        if (entry.type === 'Link' && entry.linkpath !== undefined) entry.linkpath = names.rename(entry.linkpath);
      },
      onwarn: (code, message) => {
        if (isLoss(code)) failed.abort(failure(options.to, message));
      },
    },
    // A name that begins with @ would be an archive to take entries from.
    [`./${base}`],
  );
  const { signal } = options;
  await tarInPod(
    dependencies,
    { ...options, signal: signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]) },
    ['tar', 'xmf', '-', '-C', target.dir],
    { stdin: packed as unknown as Readable },
  );
}

/** Warnings of the archive library after which something is missing. Devices and sockets are not copied, which is as it should be. */
function isLoss(code: string): boolean {
  return code !== 'TAR_ENTRY_INFO' && code !== 'TAR_ENTRY_UNSUPPORTED';
}

function failure(to: string, cause: string | Error): Error {
  return new Error(`copying to ${to}: ${typeof cause === 'string' ? cause : cause.message}`, { cause });
}

/** A path in the container as a folder and a name in it; the name is `.` where the path has none. */
function splitPodPath(text: string): { readonly dir: string; readonly base: string } {
  const clean = path.posix.normalize(text).replace(/(?<=.)\/$/, '');
  const { dir, base } = path.posix.parse(clean);
  if (base === '' || base === '.' || base === '..') return { dir: clean, base: '.' };
  return { dir: dir === '' ? '.' : dir, base };
}

/** tar takes a name that begins with a dash for options. */
function asOperand(name: string): string {
  return name.startsWith('-') ? `./${name}` : name;
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
