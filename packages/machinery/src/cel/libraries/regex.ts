// Kubernetes' regex library: find and findAll, in RE2's syntax.

import { type Overload, overloads } from '../functions.ts';
import { compilePattern } from '../patterns.ts';
import { CelError, CelList } from '../values.ts';

export const regex: readonly Overload[] = overloads({
  'string.find(string): string': ([text, pattern]) => findAll(text as string, pattern as string, 1)[0] ?? '',
  'string.findAll(string): list(string)': ([text, pattern]) =>
    CelList.of(findAll(text as string, pattern as string, -1)),
  'string.findAll(string, int): list(string)': ([text, pattern, limit]) =>
    CelList.of(findAll(text as string, pattern as string, Number(limit))),
});

function patternOf(source: string): ReturnType<typeof compilePattern> {
  try {
    return compilePattern(source);
  } catch (error) {
    throw error instanceof CelError ? new CelError(`Illegal regex: ${error.message}`) : error;
  }
}

/** At most `limit` matches; all of them if it is negative. */
function findAll(text: string, pattern: string, limit: number): string[] {
  const found = patternOf(pattern).find(text);
  return limit < 0 ? [...found] : [...found.take(limit)];
}
