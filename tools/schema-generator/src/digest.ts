// The digest of what went into the generated files and what came out, so that a stale or hand-edited file is found
// without Go.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const digestFile = 'packages/api/src/generated/DIGEST';
const folders = ['tools/schema-generator', 'packages/api/src/generated', 'packages/controllers/src/shared/generated'];

/** The text of DIGEST: a line `sha256  path` for each input and output, and one for all of them. */
export function computeDigest(root: string): string {
  const paths = folders
    .flatMap((folder) => filesBelow(join(root, folder)))
    .map((path) => relative(root, path).replaceAll('\\', '/'))
    .filter((path) => path !== digestFile && !path.endsWith('.md'))
    .sort();
  const lines = paths.map((path) => `${sha256(readFileSync(join(root, path)))}  ${path}\n`);
  return `${lines.join('')}${sha256(lines.join(''))}  all of the above\n`;
}

/** The differences between DIGEST and the files; empty when all is well. */
export function verifyDigest(root: string): readonly string[] {
  const read = (text: string) =>
    new Map(text.split('\n').flatMap((line) => (line === '' ? [] : [[line.slice(66), line.slice(0, 64)]])));
  const wanted = read(readFileSync(join(root, digestFile), 'utf8'));
  const found = read(computeDigest(root));
  const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  return names.filter((name) => wanted.get(name) !== found.get(name));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
