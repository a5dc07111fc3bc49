// `homeostat reset`: deletes a cluster's data directory, after asking; never one that a running cluster has.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, textFlag } from '../flags/flag.ts';
import { toStartProblem } from '../process/start-problem.ts';

/** What only a data directory of ours has, with and without data on disk: anything else is not deleted. */
const marks: readonly (readonly string[])[] = [['state.db'], ['pki/ca.crt', 'kubeconfig']];

export async function reset(values: FlagValues): Promise<void> {
  const directory = path.resolve(textFlag(values, 'data-dir') ?? '.homeostat');
  if (!existsSync(directory)) {
    process.stdout.write(`nothing to delete: ${directory} does not exist\n`);
    return;
  }
  if (!marks.some((files) => files.every((file) => existsSync(path.join(directory, file))))) {
    throw new CliError(
      `${directory} does not look like a data directory of homeostat; delete it by hand if you mean it`,
    );
  }
  if (!boolFlag(values, 'yes')) {
    if (!process.stdin.isTTY) throw new CliError('reset asks before it deletes; use --yes where nobody can answer');
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await prompt.question(`Delete ${directory} and everything in it? [y/N] `);
    prompt.close();
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was deleted');
  }
  await deleteUnused(directory);
  process.stdout.write(`deleted ${directory}\n`);
}

// The lock is held until all is gone: a cluster that starts meanwhile is refused.
async function deleteUnused(directory: string): Promise<void> {
  const { lockDirectory } = await import('@homeostat/storage/sqlite');
  const { createRealEnv } = await import('@homeostat/base/node');
  try {
    const lock = lockDirectory(directory, createRealEnv().clock.nowMs());
    rmSync(directory, { recursive: true });
    lock.release();
  } catch (error) {
    throw toStartProblem(error, { host: '', port: 0, dataDir: directory });
  }
}
