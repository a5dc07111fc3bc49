import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRealEnv } from './real-env.ts';

function linesOf(format: 'text' | 'json', error: unknown): string {
  const lines: string[] = [];
  createRealEnv({ format, write: (line) => lines.push(line) }).log.warn('it failed', { error });
  return lines.join('');
}

test('log lines say what happened; a stack is for errors nobody foresaw', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  assert.match(
    linesOf('text', refused),
    /^W\d{4} [\d:.]{12} "it failed" error="Error: connect ECONNREFUSED 127\.0\.0\.1:1"\n$/,
  );
  const { level, msg, error } = JSON.parse(linesOf('json', refused)) as Record<string, unknown>;
  assert.deepEqual([level, msg, error], ['warn', 'it failed', 'Error: connect ECONNREFUSED 127.0.0.1:1']);
  for (const unforeseen of [new TypeError('x is not a function'), Object.assign(new TypeError('x'), { code: 'ERR_X' })])
    assert.match(linesOf('text', unforeseen), /TypeError: x.*\\n +at /);
});
