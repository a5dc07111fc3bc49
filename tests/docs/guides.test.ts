// The code of the guides is run: what a block names as its file (`// api.ts`) is written into a folder, and its tests are run there.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');

/** The blocks of a guide that name a file. */
function filesOf(guide: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(root, 'docs/guides', guide), 'utf8');
  const blocks = text.matchAll(/```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g);
  return new Map(Array.from(blocks, ([, file = '', code = '']) => [file, code]));
}

for (const guide of ['first-operator.md', 'testing.md']) {
  test(`the code of ${guide} compiles, and its tests pass`, (t) => {
    // Inside of the repository, where packages and types are found.
    const folder = path.join(root, '.build/guides', guide.replace('.md', ''));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const files = filesOf(guide);
    for (const [file, code] of files) writeFileSync(path.join(folder, file), code);
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const config = { extends: path.join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const run = (...args: readonly string[]): void => {
      const ran = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: withoutTestContext() });
      assert.equal(ran.status, 0, `${args.join(' ')}:\n${ran.stdout}${ran.stderr}`);
    };
    run(path.join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
    const tests = [...files.keys()].filter((file) => file.endsWith('.test.ts'));
    assert.ok(tests.length > 0);
    run('--test', ...tests);
  });
}

/** A test runner inside of a test runner reports to the outer one, unless it does not know of it. */
function withoutTestContext(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, ...rest } = process.env;
  return rest;
}
