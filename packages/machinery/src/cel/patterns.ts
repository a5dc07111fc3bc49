// The patterns of `matches`, `find` and `findAll`: kept by their texts, the oldest dropped beyond a bound, because an
// expression may compute them anew for every item.

import { compilePattern as compile, PatternError, type SearchPattern } from '../structural/pattern.ts';
import { CelError } from './values.ts';

const patternsMax = 500;
const patterns = new Map<string, SearchPattern>();

/** @throws CelError with Go's message for a text that is no pattern */
export function compilePattern(source: string): SearchPattern {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = compiled(source);
  if (patterns.size >= patternsMax) patterns.delete(patterns.keys().next().value ?? '');
  patterns.set(source, pattern);
  return pattern;
}

function compiled(source: string): SearchPattern {
  try {
    return compile(source);
  } catch (error) {
    if (error instanceof PatternError) throw new CelError(error.message);
    throw error;
  }
}
