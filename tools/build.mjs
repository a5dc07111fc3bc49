// `npm run build`: stages publishable packages under .build/packages: compiled JavaScript and types in dist, manifests whose
// exports point there, generated data beside the code. `npm pack` of each installs and imports in an empty project
// (tests/pack).

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const staged = path.join(root, '.build/packages');

build();

function build() {
  rmSync(path.join(root, '.build'), { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const names = readdirSync(path.join(root, 'packages')).filter((name) =>
    existsSync(path.join(root, 'packages', name, 'package.json')),
  );
  compile(names);
  for (const name of names) stage(name);
  console.log(`staged ${names.length} packages in ${path.relative(process.cwd(), staged) || staged}`);
}

// One program over all packages: types of one package are those of the sources of the others.
function compile(names) {
  const config = {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: path.join(root, 'packages'),
      outDir: path.join(root, '.build/out'),
      typeRoots: [path.join(root, 'node_modules/@types')],
    },
    include: names.map((name) => path.join(root, 'packages', name, 'src/**/*.ts')),
    exclude: ['**/*.test.ts', '**/*.prop.test.ts', '**/*.tmp.ts'],
  };
  const file = path.join(root, '.build/tsconfig.json');
  writeFileSync(file, JSON.stringify(config, undefined, 2));
  execFileSync(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', file], {
    stdio: 'inherit',
    cwd: root,
  });
}

function stage(name) {
  const source = path.join(root, 'packages', name);
  const target = path.join(staged, name);
  mkdirSync(target, { recursive: true });
  cpSync(path.join(root, '.build/out', name, 'src'), path.join(target, 'dist'), { recursive: true });
  copyData(path.join(source, 'src'), path.join(target, 'dist'));
  for (const extra of ['README.md', 'bin']) {
    if (existsSync(path.join(source, extra)))
      cpSync(path.join(source, extra), path.join(target, extra), { recursive: true });
  }
  cpSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
  const manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
  manifest.exports = Object.fromEntries(Object.entries(manifest.exports).map(([key, value]) => [key, toDist(value)]));
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

// JSON that the sources import stands beside the compiled code.
function copyData(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isDirectory()) copyData(source, target);
    else if (entry.name.endsWith('.json')) {
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(source, target);
    }
  }
}

function toDist(value) {
  if (typeof value !== 'string' || !value.endsWith('.ts')) return value;
  const compiled = value.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
  return { types: `${compiled}.d.ts`, default: `${compiled}.js` };
}
