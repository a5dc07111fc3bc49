// Writing back, in a folder of its own.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { loadKubeconfig } from './load-kubeconfig.ts';
import { modifyKubeconfig, setCurrentContext, updateKubeconfigUser } from './modify-kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
after(() => rmSync(folder, { recursive: true }));
const env = createVirtualEnv();
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('setCurrentContext()', () => {
  it('writes to the first file that exists, which decides', async () => {
    const a = write('a', 'contexts: [{name: x}]\nusers: [{name: u, user: {token: t}}]');
    const b = write('b', 'current-context: x');
    const variable = [join(folder, 'missing'), a, b].join(delimiter);
    await setCurrentContext(env, { variable, context: 'y' });
    assert.equal(loadKubeconfig({ variable }).currentContext, 'y');
    assert.equal(loadKubeconfig({ path: a }).users.get('u')?.value.token, 't');
    assert.equal(loadKubeconfig({ path: b }).currentContext, 'x');
  });

  it('makes a file that only its owner can read', async () => {
    await setCurrentContext(env, { home: join(folder, 'home'), context: 'y' });
    const path = join(folder, 'home', '.kube', 'config');
    assert.match(readFileSync(path, 'utf8'), /kind: Config/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });
});

describe('modifyKubeconfig()', () => {
  it('waits for the lock of another program, says when it is not given back, and leaves none behind', async () => {
    const file = write('locked', 'current-context: x');
    write('locked.lock', '');
    const failing = assert.rejects(
      modifyKubeconfig({ env, file, change: (content) => content }),
      /locked\.lock is held by another program/,
    );
    await env.clock.advance(10_000);
    await failing;
    const waiting = modifyKubeconfig({ env, file, change: () => ({ 'current-context': 'y' }) });
    await env.clock.advance(200);
    rmSync(`${file}.lock`);
    await env.clock.advance(200);
    await waiting;
    assert.equal(loadKubeconfig({ path: file }).currentContext, 'y');
    const broken = modifyKubeconfig({
      env,
      file,
      change: () => {
        throw new Error('no');
      },
    });
    await assert.rejects(broken, /no/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => /lock$|tmp$/.test(name)),
      [],
    );
  });

  it('leaves a link a link', async () => {
    const file = write('target', 'current-context: x');
    symlinkSync(file, join(folder, 'link'));
    await modifyKubeconfig({ env, file: join(folder, 'link'), change: () => ({ 'current-context': 'y' }) });
    assert.equal(loadKubeconfig({ path: file }).currentContext, 'y');
  });
});

describe('updateKubeconfigUser()', () => {
  it('changes that user alone, and refuses an unknown one', async () => {
    const file = write('users', 'users: [{name: a, user: {token: a}}, {name: b, user: {token: b}}]');
    await updateKubeconfigUser(env, { file, name: 'b', change: (user) => ({ ...user, token: 'c' }) });
    const { users } = loadKubeconfig({ path: file });
    assert.deepEqual([users.get('a')?.value.token, users.get('b')?.value.token], ['a', 'c']);
    await assert.rejects(updateKubeconfigUser(env, { file, name: 'z', change: (user) => user }), /no user "z"/);
  });
});
