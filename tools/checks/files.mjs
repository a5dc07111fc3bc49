// Lists the repository's own TypeScript sources with their text, once per run of the checks.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Files git knows or would add, below `patterns`, as { path, text }. */
export function sources(...patterns) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return listed
    .split('\n')
    .filter((path) => path !== '' && existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
