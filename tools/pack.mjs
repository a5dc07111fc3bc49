// `npm run pack`: builds the packages and packs them into .build/tarballs, for projects beside this checkout:
// npm install <checkout>/.build/tarballs/*.tgz. `npm run pack -- DIRECTORY` packs elsewhere.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const target = path.resolve(process.argv[2] ?? path.join(root, '.build/tarballs'));
execFileSync(process.execPath, [path.join(root, 'tools/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
mkdirSync(target, { recursive: true });
const staged = path.join(root, '.build/packages');
for (const name of readdirSync(staged)) {
  // npm's own script, run by a Node that may be another one than ours.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', target], {
    cwd: path.join(staged, name),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, npm_config_workspaces: undefined },
  });
}
console.log(`${readdirSync(target).length} packages in ${path.relative(process.cwd(), target) || target}`);
