// Nothing that answered like the real control plane once answers otherwise later: every recording that has steps in
// passing.json is replayed, and the steps listed there are compared.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { readPassing } from './passing.ts';

it('every step of passing.json still passes', { timeout: 1_800_000 }, async () => {
  const names = [...readPassing().keys()];
  assert.ok(names.length > 0, 'passing.json lists nothing');
  const { code, output } = await check(names);
  const lost = output.split('\n').filter((line) => line.startsWith('LOST'));
  assert.deepEqual(lost, [], output);
  assert.equal(code, 0, output);
});

async function check(names: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const only = `^(${names.join('|')})$`;
  const args = [join(import.meta.dirname, 'run.ts'), '--check', '--only', only];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output };
}
