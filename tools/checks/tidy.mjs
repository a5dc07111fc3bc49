// Small rules of the house that the linter has no rule for.

import { sources } from './files.mjs';

const rules = [
  {
    pattern: /\bnew Date\(\s*\)/,
    message: 'new Date() reads the clock: take Env.clock.nowMs() (law 8)',
    except: /(base\/src\/platform|^tests|^bench|^tools|^examples|\.test\.ts$)/,
  },
  { pattern: /^export \*/m, message: 'star exports hide what is public: name each export', except: /generated/ },
  { pattern: /\b(TODO|FIXME|XXX)\b/, message: 'unfinished work has no place on main' },
  { pattern: /\b(it|test|describe)\.(skip|only|todo)\(/, message: 'tests run, all of them' },
  { pattern: /@ts-ignore/, message: 'use @ts-expect-error with a reason' },
];

// Titles say what a test file is about.
const headerExempt = /generated|\.d\.ts$|\.(test|prop\.test)\.ts$/;

/** Returns a list of problems, one sentence each. */
export function checkTidy() {
  const problems = [];
  for (const { path, text } of sources('packages/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts')) {
    if (/generated/.test(path)) continue;
    for (const rule of rules) {
      if (rule.except?.test(path)) continue;
      const match = rule.pattern.exec(text);
      if (match !== null) problems.push(`${path}:${lineOf(text, match.index)}: ${rule.message}`);
    }
    if (!headerExempt.test(path) && !/^(#!.*\n)?(\/\/|\/\*)/.test(text))
      problems.push(`${path}: no header comment: say in a sentence what the file is`);
    if (/(^|\/)(utils|helpers|common|misc)(\/|\.ts)/.test(path))
      problems.push(`${path}: name it after the noun it is about`);
  }
  return problems;
}

function lineOf(text, index) {
  return text.slice(0, index).split('\n').length;
}
