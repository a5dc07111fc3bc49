// `npm run check`: every static check, under a minute; each failure says which command mends it.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { checkImportLaw } from './checks/import-law.mjs';
import { checkTidy } from './checks/tidy.mjs';

const steps = [
  command('types', ['node_modules/typescript/bin/tsc', '-p', '.'], 'mend the types; `npx tsc -p .` shows them alone'),
  command('lint', ['node_modules/oxlint/bin/oxlint', '--deny-warnings'], '`npx oxlint --fix` mends some'),
  command(
    'format',
    ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
    '`npm run format`',
  ),
  list('import law', checkImportLaw, 'move the import down, or the code up (ARCHITECTURE.md)'),
  list('tidy', checkTidy, 'mend the lines named'),
  ...(existsSync('tools/generate.mjs')
    ? [command('generated files', ['tools/generate.mjs', '--verify'], '`npm run generate` (needs Go)')]
    : []),
  command('reference', ['tools/reference.mjs', '--verify'], '`npm run reference`'),
];

let failed = 0;
for (const step of steps) {
  const started = performance.now();
  const output = await step.run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (output === undefined) {
    console.log(`ok   ${step.name} (${seconds} s)`);
    continue;
  }
  failed++;
  console.log(`FAIL ${step.name} (${seconds} s): ${step.mend}\n${output}\n`);
}
if (failed > 0) {
  console.log(`${failed} of ${steps.length} checks failed`);
  process.exitCode = 1;
}

function command(name, args, mend) {
  return {
    name,
    mend,
    run: () =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
        let output = '';
        child.stdout.on('data', (chunk) => (output += chunk));
        child.stderr.on('data', (chunk) => (output += chunk));
        child.on('close', (code) => resolve(code === 0 ? undefined : output.trimEnd() || `exit code ${code}`));
      }),
  };
}

function list(name, check, mend) {
  return {
    name,
    mend,
    run: () => {
      const problems = check();
      return Promise.resolve(problems.length === 0 ? undefined : problems.join('\n'));
    },
  };
}
