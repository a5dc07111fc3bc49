// Nothing that answered like the real control plane once answers otherwise later: every recording that has steps in
// passing.json is replayed, and the steps listed there are compared. Recordings are in real time, and many are replayed at
// once; one that lost a step is replayed again on fresh components, because a busy machine is no regression.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { readPassing } from './passing.ts';

interface Verdict {
  readonly code: number | null;
  /** Names of recordings that lost steps. */
  readonly lost: readonly string[];
  readonly output: string;
}

it('every step of passing.json still passes', { timeout: 1_800_000 }, async (test) => {
  const names = [...readPassing().keys()];
  assert.ok(names.length > 0, 'passing.json lists nothing');
  const first = await check(names);
  if (first.lost.length === 0) {
    assert.equal(first.code, 0, first.output);
    return;
  }
  test.diagnostic(`replayed again: ${first.lost.join(', ')}`);
  const second = await check(first.lost);
  assert.deepEqual(second.lost, [], `${first.output}\n\nagain:\n${second.output}`);
  assert.equal(second.code, 0, second.output);
});

async function check(names: readonly string[]): Promise<Verdict> {
  const args = [join(import.meta.dirname, 'run.ts'), '--check', '--only', `^(${names.join('|')})$`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const lost = [...output.matchAll(/^LOST (\S+):/gm)].map((match) => match[1] ?? '');
  return { code, lost, output };
}
