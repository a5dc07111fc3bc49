// The import law (ARCHITECTURE.md): packages import lower levels only, by name, and declare what they import;
// inside a package some folders may not import one another; node: modules only at the edges.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sources } from './files.mjs';

const levels = {
  base: 0,
  machinery: 1,
  storage: 1,
  api: 2,
  client: 3,
  runtime: 4,
  apiserver: 5,
  controllers: 5,
  scheduler: 5,
  kubelet: 5,
  proxy: 5,
  cluster: 6,
  testing: 7,
  cli: 7,
  dashboard: 7,
};

// Level 5 packages know the API, never the API server's or the storage's code.
const extraForbidden = {
  controllers: ['storage', 'apiserver'],
  scheduler: ['storage', 'apiserver'],
  kubelet: ['storage', 'apiserver'],
  proxy: ['storage', 'apiserver'],
};

// [package, folder, folders it may not import]: stages of the loop are joined only by informer and controller,
// and one controller does not know another.
const folderLaws = [
  ['runtime', 'reflector', ['delta-fifo', 'store', 'workqueue', 'controller', 'informer', 'manager']],
  ['runtime', 'delta-fifo', ['reflector', 'workqueue', 'controller', 'informer', 'manager']],
  ['runtime', 'store', ['reflector', 'delta-fifo', 'workqueue', 'controller', 'informer', 'manager']],
  ['runtime', 'workqueue', ['reflector', 'delta-fifo', 'store', 'informer', 'controller', 'manager']],
];

const nodeAllowed = [
  /^packages\/base\/src\/(platform\/|node\.ts)/,
  /^packages\/[^/]+\/src\/(.*\/)?node(\/|\.ts$)/,
  /^packages\/storage\/src\/sqlite\//,
  /^packages\/kubelet\/src\/(process|cri)\//,
  /^packages\/(cli|testing|cluster)\//,
  /(\.test|\.prop\.test)\.ts$/,
  /^packages\/storage\/src\/conformance\//,
];

/** Returns a list of problems, one sentence each. */
export function checkImportLaw() {
  const problems = [];
  const declared = new Map();
  const controllerFolders = readdirSync('packages/controllers/src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
    .map((entry) => entry.name);
  const laws = [
    ...folderLaws,
    ...controllerFolders.map((name) => ['controllers', name, controllerFolders.filter((other) => other !== name)]),
  ];
  for (const { path: file, text } of sources('packages/*.ts', 'packages/**/*.ts')) {
    const owner = file.split('/')[1];
    if (!declared.has(owner)) {
      const manifest = JSON.parse(readFileSync(`packages/${owner}/package.json`, 'utf8'));
      declared.set(owner, new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })));
    }
    for (const specifier of importsOf(text)) {
      const problem = judge(file, owner, specifier, declared.get(owner), laws);
      if (problem !== undefined) problems.push(`${file}: ${problem}`);
    }
  }
  return problems;
}

function judge(file, owner, specifier, declaredDependencies, laws) {
  if (specifier.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    if (!target.startsWith(`packages/${owner}/`)) return `relative import leaves the package: ${specifier}`;
    const from = file.split('/')[3];
    const to = target.split('/')[3];
    const law = laws.find(([name, folder]) => name === owner && folder === from);
    if (law?.[2].includes(to) && !isTest(file)) return `folder ${from} may not import folder ${to}`;
    return undefined;
  }
  if (specifier.startsWith('node:')) {
    return nodeAllowed.some((pattern) => pattern.test(file))
      ? undefined
      : `${specifier} outside the edges of the system`;
  }
  const match = /^(?:@homeostat\/([a-z-]+)|(homeostat))(\/|$)/.exec(specifier);
  if (match === null) {
    const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
    if (declaredDependencies.has(name) || (isTest(file) && name === 'fast-check')) return undefined;
    if (/\/(conformance|testing)\//.test(file) && name === 'fast-check') return undefined;
    return `undeclared dependency: ${name}`;
  }
  const target = match[1] ?? 'cli';
  if (target === owner) return undefined;
  if (!declaredDependencies.has(match[2] ?? `@homeostat/${target}`)) return `undeclared workspace import: ${specifier}`;
  if (levels[target] >= levels[owner])
    return `${owner} (level ${levels[owner]}) may not import ${target} (level ${levels[target]})`;
  if (extraForbidden[owner]?.includes(target)) return `${owner} may not import ${target}`;
  return undefined;
}

function isTest(file) {
  return /\.(test|prop\.test)\.ts$/.test(file);
}

function* importsOf(text) {
  const pattern =
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  for (const match of text.matchAll(pattern)) yield match[1] ?? match[2] ?? match[3];
}
