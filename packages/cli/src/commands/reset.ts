// `homeostat reset`: deletes a cluster's data directory, after asking.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, textFlag } from '../flags/flag.ts';

/** Files that only a data directory of ours has: anything else is not deleted. */
const marks = ['homeostat.db', 'pki', 'kubeconfig'];

export async function reset(values: FlagValues): Promise<void> {
  const directory = path.resolve(textFlag(values, 'data-dir') ?? '.homeostat');
  if (!existsSync(directory)) {
    process.stdout.write(`nothing to delete: ${directory} does not exist\n`);
    return;
  }
  if (!marks.some((mark) => existsSync(path.join(directory, mark)))) {
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
  rmSync(directory, { recursive: true });
  process.stdout.write(`deleted ${directory}\n`);
}
