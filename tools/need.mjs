// What a test suite needs beyond npm: use it if it is on PATH; on Debian as root install it with apt-get, saying so;
// else fail with the command to run, or the option that leaves the suite out.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const packages = {
  etcd: 'etcd-server',
  containerd: 'containerd',
  runc: 'runc',
  chromium: 'chromium',
  git: 'git',
};

let updated = false;

/** Returns the path of `program`, installing its Debian package when that is possible. @throws with what to do. */
export function need(program, { suite }) {
  const found = which(program);
  if (found !== undefined) return found;
  const name = packages[program];
  if (name !== undefined && existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    console.log(`need: installing ${name} with apt-get, for the suite ${suite}`);
    if (!updated) execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    updated = true;
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    const installed = which(program);
    if (installed !== undefined) return installed;
  }
  const how = name === undefined ? `install ${program}` : `apt-get install ${name}`;
  throw new Error(
    `${suite} needs ${program}: run \`${how}\`, or leave the suite out with \`npm test -- --without ${suite}\``,
  );
}

/** Path of a program on PATH, or undefined. */
export function which(program) {
  const result = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : undefined;
}
