// What is published works: the packages are built, packed, installed in an empty project, imported by plain Node, and one of
// them opens a SQLite store (its worker must be found in the installed package).

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');

// npm's own script, run by a Node that may be another one than ours.
function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_config_workspaces: undefined },
  });
}

test('packed packages install in an empty project, import, and open a SQLite store', (t) => {
  const project = mkdtempSync(path.join(tmpdir(), 'homeostat-pack-'));
  t.after(() => rmSync(project, { recursive: true }));
  const tarballs = path.join(project, 'tarballs');
  execFileSync(process.execPath, [path.join(root, 'tools/pack.mjs'), tarballs], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const staged = path.join(root, '.build/packages');
  const names = readdirSync(staged);
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  const files = readdirSync(tarballs).map((file) => path.join(tarballs, file));
  npm(['install', '--silent', '--no-audit', '--no-fund', '--legacy-peer-deps', ...files], project);
  const published = names.map(
    (name) => (JSON.parse(readFileSync(path.join(staged, name, 'package.json'), 'utf8')) as { name: string }).name,
  );
  writeFileSync(
    path.join(project, 'try.mjs'),
    [
      ...published.map((name) => `await import(${JSON.stringify(name)});`),
      `import { createRealEnv } from '@homeostat/base/node';`,
      `import { openSqliteStore } from '@homeostat/storage/sqlite';`,
      `const store = await openSqliteStore({ directory: './data', env: createRealEnv() });`,
      `const value = { bytes: () => new TextEncoder().encode('hello'), object: undefined };`,
      `const written = await store.txn({ compare: [], operations: [{ type: 'put', key: '/a', value }] });`,
      `await store.close();`,
      `console.log(JSON.stringify({ revision: written.revision }));`,
    ].join('\n'),
  );
  const output = execFileSync(process.execPath, ['try.mjs'], { cwd: project, encoding: 'utf8' });
  assert.match(output.trim().split('\n').at(-1) ?? '', /^\{"revision":\d+\}$/);
  const version = execFileSync(
    process.execPath,
    [path.join(project, 'node_modules/homeostat/bin/homeostat.mjs'), 'version'],
    { cwd: project, encoding: 'utf8' },
  );
  assert.match(version, /^homeostat \d+\.\d+\.\d+ /);
});
