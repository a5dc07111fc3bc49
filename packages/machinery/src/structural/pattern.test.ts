import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern, lazyPattern, PatternError } from './pattern.ts';

function refusal(source: string): string {
  try {
    compilePattern(source);
    return 'compiles';
  } catch (error) {
    assert.ok(error instanceof PatternError);
    return error.message;
  }
}

test('compilePattern() refuses with the words of Go', () => {
  assert.equal(refusal('['), 'error parsing regexp: missing closing ]: `[`');
  assert.equal(refusal('a**'), 'error parsing regexp: invalid nested repetition operator: `**`');
  assert.equal(refusal('(?=a)'), 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`');
  assert.equal(refusal('\\1'), 'error parsing regexp: invalid escape sequence: `\\1`');
  assert.equal(refusal('a{1001}'), 'error parsing regexp: invalid repeat count: `{1001}`');
  assert.equal(refusal('a\\'), 'error parsing regexp: trailing backslash at end of expression: ``');
});

test('compilePattern() reads the syntax of Go: inner flags, absolute anchors, POSIX classes', () => {
  assert.equal(compilePattern('(?i)^abc\\z').test('ABC'), true);
  assert.equal(compilePattern('^[[:alpha:]]+$').test('abc'), true);
  assert.equal(compilePattern('b').test('abc'), true);
  // `$` without the flag `m` is the end of the text alone.
  assert.equal(compilePattern('^a$').test('a\n'), false);
});

test('a pattern takes time linear in the text', () => {
  const pattern = compilePattern('^(a+)+$');
  const started = performance.now();
  assert.equal(pattern.test(`${'a'.repeat(20_000)}b`), false);
  // A backtracking engine would need longer than the universe is old.
  assert.ok(performance.now() - started < 5_000);
});

test('lazyPattern() is the same pattern, compiled later', () => {
  const pattern = lazyPattern('^x');
  assert.deepEqual(
    ['xy', 'yx'].map((text) => pattern.test(text)),
    [true, false],
  );
});

test('compilePattern() compiles a text once, within its bound', () => {
  const pattern = compilePattern('^once$');
  assert.equal(compilePattern('^once$'), pattern);
  for (let i = 0; i < 500; i++) compilePattern(`^${i}$`);
  assert.notEqual(compilePattern('^once$'), pattern);
});
