// Writing kubeconfigs back (spec/client.md §2.1): the file an entry came from, under the lock that kubectl takes, in one step.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Env } from '@homeostat/base';
import { encodeYaml, type Json } from '@homeostat/machinery';
import { KubeconfigError } from '../kubeconfig/kubeconfig.ts';
import { kubeconfigPaths, type LoadKubeconfigOptions, readKubeconfigFile } from './load-kubeconfig.ts';

const lockPauseMs = 100;
const lockTriesMax = 50;

/** A kubeconfig file as it is written: lists of named entries. */
export type KubeconfigContent = Readonly<Record<string, Json>>;

/**
 * Changes a file. `change` runs under the lock; it gets what is in the file (an empty Config for a new one) and gives what shall be. Other
 * programs see the old file or the new one, never a part. Comments are not kept, as kubectl keeps none; a new file is for its owner
 * alone, an old one keeps its mode.
 * @throws KubeconfigError when the file is not a kubeconfig, or its lock `<file>.lock` is not free for five seconds.
 */
export async function modifyKubeconfig(options: {
  readonly env: Env;
  readonly file: string;
  readonly change: (content: KubeconfigContent) => KubeconfigContent;
}): Promise<void> {
  const { env, file, change } = options;
  // A link stays a link: what it points to is replaced.
  const target = existsSync(file) ? realpathSync(file) : file;
  mkdirSync(dirname(target), { recursive: true, mode: 0o750 });
  const unlock = await lock(env, `${file}.lock`);
  try {
    const content = readKubeconfigFile(target) ?? { apiVersion: 'v1', kind: 'Config' };
    if (typeof content !== 'object' || Array.isArray(content))
      throw new KubeconfigError(`${file}: a kubeconfig must be a mapping`);
    const text = encodeYaml(change(content as KubeconfigContent));
    const temporary = `${target}.${env.random.uuid()}.tmp`;
    try {
      writeFileSync(temporary, text, { mode: existsSync(target) ? statSync(target).mode & 0o777 : 0o600 });
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  } finally {
    unlock();
  }
}

/** Selects a context for the next programs, as kubectl does: in the first file that exists, else in a new one, the last. */
export async function setCurrentContext(
  env: Env,
  options: LoadKubeconfigOptions & { readonly context: string },
): Promise<void> {
  const paths = kubeconfigPaths(options);
  const file = paths.find((path) => existsSync(path)) ?? paths.at(-1);
  if (file === undefined) throw new KubeconfigError('there is no kubeconfig to write to');
  const change = (content: KubeconfigContent): KubeconfigContent => ({
    ...content,
    'current-context': options.context,
  });
  await modifyKubeconfig({ env, file, change });
}

/** Changes one user's entry in the file it came from: a refreshed token. @throws KubeconfigError when the file has no such user. */
export async function updateKubeconfigUser(
  env: Env,
  options: {
    readonly file: string;
    readonly name: string;
    readonly change: (user: KubeconfigContent) => KubeconfigContent;
  },
): Promise<void> {
  const { file, name, change } = options;
  await modifyKubeconfig({
    env,
    file,
    change: (content) => {
      const { users = [] } = content;
      if (!Array.isArray(users) || !users.some((entry) => isNamed(entry, name)))
        throw new KubeconfigError(`${file}: there is no user ${JSON.stringify(name)}`);
      const update = (entry: Json): Json =>
        isNamed(entry, name) ? { ...entry, user: change((entry['user'] ?? {}) as KubeconfigContent) } : entry;
      return { ...content, users: users.map(update) };
    },
  });
}

function isNamed(entry: Json, name: string): entry is { readonly [key: string]: Json } {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    !Array.isArray(entry) &&
    (entry as KubeconfigContent)['name'] === name
  );
}

async function lock(env: Env, path: string): Promise<() => void> {
  for (let tries = 1; ; tries++) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (tries >= lockTriesMax) {
        throw new KubeconfigError(`${path} is held by another program; remove it when none runs`, { cause: error });
      }
    }
    await env.clock.sleep(lockPauseMs);
  }
}
