// The patterns of `matches`, `find` and `findAll`, whose errors are those of an evaluation.

import { compilePattern as compile, PatternError, type SearchPattern } from '../structural/pattern.ts';
import { CelError } from './values.ts';

/** @throws CelError with Go's message for a text that is no pattern */
export function compilePattern(source: string): SearchPattern {
  try {
    return compile(source);
  } catch (error) {
    if (error instanceof PatternError) throw new CelError(error.message);
    throw error;
  }
}
