import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseImageName } from './image-name.ts';

const hex = 'a'.repeat(64);

test('parseImageName() normalises names as container runtimes do', () => {
  const names: Readonly<Record<string, readonly [repository: string, tag: string, digest: string]>> = {
    nginx: ['docker.io/library/nginx', 'latest', ''],
    'nginx:1.27': ['docker.io/library/nginx', '1.27', ''],
    'team/app': ['docker.io/team/app', 'latest', ''],
    'index.docker.io/nginx': ['docker.io/library/nginx', 'latest', ''],
    'localhost/app:v1': ['localhost/app', 'v1', ''],
    'localhost:5000/app': ['localhost:5000/app', 'latest', ''],
    'registry.k8s.io/pause:3.10': ['registry.k8s.io/pause', '3.10', ''],
    '[::1]:5000/app:v1': ['[::1]:5000/app', 'v1', ''],
    [`nginx@sha256:${hex}`]: ['docker.io/library/nginx', '', `sha256:${hex}`],
    [`example.com/a/b:v1@sha256:${hex}`]: ['example.com/a/b', 'v1', `sha256:${hex}`],
  };
  for (const [name, [repository, tag, digest]] of Object.entries(names)) {
    assert.deepEqual(parseImageName(name), { repository, tag, digest }, name);
  }
});

test('parseImageName() refuses what no runtime could pull', () => {
  const bad = ['', ' nginx', 'Nginx', 'nginx:', 'a//b', 'nginx:tag with space', hex, `nginx@sha256:${hex.slice(1)}`];
  for (const name of bad) assert.equal(parseImageName(name), undefined, name);
});
