// Regular expressions as Go reads them (RE2), in linear time: whoever may create a CustomResourceDefinition must not be able
// to stop the server with a pattern that backtracks. See docs/adr/0020-linear-time-patterns.md.

import { RE2JS } from 're2js';

/** A text that is no regular expression; the message is Go's (``error parsing regexp: missing closing ]: `[` ``). */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

export interface Pattern {
  /** The expression as written. */
  readonly source: string;
  /** Whether the expression matches somewhere in the text. Time is linear in the text's length. */
  test(text: string): boolean;
}

export interface SearchPattern extends Pattern {
  /** The matches from left to right, without overlaps; the search goes only as far as they are read. */
  find(text: string): Generator<string, undefined>;
}

const patternsMax = 500;
const patterns = new Map<string, SearchPattern>();

/**
 * Compiles a regular expression in Go's syntax: no look-around, no back-references. The latest {@link patternsMax} are kept by
 * their texts: schemas repeat them, are compiled more than once, and one with counts (`a{1000}`) takes a millisecond.
 *
 * @throws PatternError
 */
export function compilePattern(source: string): SearchPattern {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = compileAnew(source);
  if (patterns.size >= patternsMax) patterns.delete(patterns.keys().next().value ?? '');
  patterns.set(source, pattern);
  return pattern;
}

function compileAnew(source: string): SearchPattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    throw new PatternError(messageOf(error), { cause: error });
  }
  return { source, test: (text) => compiled.test(text), find: (text) => matchesOf(compiled, text) };
}

function* matchesOf(compiled: RE2JS, text: string): Generator<string, undefined> {
  const matcher = compiled.matcher(text);
  while (matcher.find()) yield matcher.group() ?? '';
}

/** A pattern that is compiled when it is first needed, if ever. @throws PatternError from `test` */
export function lazyPattern(source: string): Pattern {
  let compiled: Pattern | undefined;
  return { source, test: (text) => (compiled ??= compilePattern(source)).test(text) };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Go prints the fragment even where it is empty.
  return message.endsWith('expression') ? `${message}: \`\`` : message;
}
