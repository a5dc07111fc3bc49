// `npm test`: everything. Suites run one after another; `--without NAME` leaves one out (never in CI), `--only NAME`
// runs one; other arguments go to Node's test runner.

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

// Each suite: its test files and how many of them run at a time. Suites with servers run alone.
const suites = [
  {
    name: 'unit',
    files: ['packages/*/src/**/*.test.ts', 'tests/api/**/*.test.ts', 'tests/machinery/**/*.test.ts'],
    concurrency: 2,
  },
  { name: 'runtime', files: ['tests/runtime/**/*.test.ts'], concurrency: 2 },
  { name: 'examples', files: ['examples/**/*.test.ts'], concurrency: 2 },
  { name: 'controllers', files: ['tests/controllers/**/*.test.ts'], concurrency: 2 },
  { name: 'scheduler', files: ['tests/scheduler/**/*.test.ts'], concurrency: 2 },
  { name: 'kubelet', files: ['tests/kubelet/**/*.test.ts'], concurrency: 2 },
  { name: 'sim', files: ['tests/sim/**/*.test.ts'], concurrency: 2 },
  { name: 'crash', files: ['tests/crash/**/*.test.ts'], concurrency: 1 },
  { name: 'apiserver', files: ['tests/apiserver/**/*.test.ts'], concurrency: 2 },
  { name: 'e2e', files: ['tests/e2e/**/*.test.ts'], concurrency: 1 },
  { name: 'docs', files: ['tests/docs/**/*.test.ts'], concurrency: 1 },
  { name: 'foreign', files: ['tests/foreign/**/*.test.ts'], concurrency: 1 },
  { name: 'pack', files: ['tests/pack/**/*.test.ts'], concurrency: 1 },
  { name: 'clients', files: ['tests/clients/**/*.test.ts'], concurrency: 1 },
  { name: 'golden', files: ['tests/golden/**/*.test.ts'], concurrency: 1 },
];

const { only, without, rest } = parse(process.argv.slice(2));
if (process.env.CI === 'true' && without.length > 0) {
  console.error('npm test: nothing is left out in CI');
  process.exit(2);
}
for (const name of [...only, ...without]) {
  if (!suites.some((suite) => suite.name === name)) {
    console.error(`npm test: no suite ${name}; there are ${suites.map((suite) => suite.name).join(', ')}`);
    process.exit(2);
  }
}

// A test nobody runs is worse than none.
const known = new Set(suites.flatMap((suite) => globSync(suite.files)));
const orphans = globSync('{packages,tests,examples}/**/*.test.ts', { exclude: ['**/node_modules/**'] }).filter(
  (file) => !known.has(file),
);
if (orphans.length > 0) {
  console.error(`npm test: these tests belong to no suite of tools/test.mjs:\n${orphans.join('\n')}`);
  process.exit(2);
}

const chosen = suites.filter(
  (suite) => (only.length === 0 || only.includes(suite.name)) && !without.includes(suite.name),
);
const failed = [];
for (const suite of chosen) {
  const files = globSync(suite.files).sort();
  if (files.length === 0) continue;
  console.log(`\n# suite ${suite.name}: ${files.length} files`);
  const code = await run(['--test', `--test-concurrency=${suite.concurrency}`, ...rest, ...files]);
  if (code !== 0) failed.push(suite.name);
}
if (failed.length > 0) {
  console.error(`\nfailed suites: ${failed.join(', ')}`);
  process.exitCode = 1;
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function parse(args) {
  const only = [];
  const without = [];
  const rest = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--only') only.push(args[++i]);
    else if (args[i] === '--without') without.push(args[++i]);
    else rest.push(args[i]);
  }
  return { only, without, rest };
}
