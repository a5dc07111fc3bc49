// Random expressions: sums and conditions against plain arithmetic, and any text at all, which must be answered, never thrown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCelEnvironment } from './environment.ts';
import { estimateCost } from './estimate-cost.ts';
import { dynType, intType, listType, mapType, stringType } from './types.ts';

const environment = createCelEnvironment({
  variables: { n: intType, s: stringType, l: listType(stringType), m: mapType(stringType, intType), d: dynType },
});
const bindings = { n: 3, s: 'text', l: ['a', 'b'], m: { a: 1 }, d: { x: [1, 'y', null] } };

interface Sum {
  readonly text: string;
  readonly value: bigint;
}

interface Truth {
  readonly text: string;
  readonly value: boolean;
}

const { sum } = fc.letrec<{ sum: Sum; truth: Truth }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 5 },
    fc.integer({ min: -50, max: 50 }).map((value) => ({ text: String(value), value: BigInt(value) })),
    fc.tuple(fc.constantFrom('+', '-', '*'), tie('sum'), tie('sum')).map(([sign, a, b]) => ({
      text: `(${a.text} ${sign} ${b.text})`,
      value: sign === '+' ? a.value + b.value : sign === '-' ? a.value - b.value : a.value * b.value,
    })),
    fc.tuple(tie('truth'), tie('sum'), tie('sum')).map(([c, a, b]) => ({
      text: `(${c.text} ? ${a.text} : ${b.text})`,
      value: c.value ? a.value : b.value,
    })),
    fc.array(tie('sum'), { maxLength: 4 }).map((items) => ({
      text: items.length === 0 ? '0' : `[${items.map(({ text }) => text).join(', ')}].map(x, x + 1).sum()`,
      value: items.reduce((total, { value }) => total + value + 1n, 0n),
    })),
  ),
  truth: fc.oneof(
    { maxDepth: 5 },
    fc.boolean().map((value) => ({ text: String(value), value })),
    fc.tuple(fc.constantFrom('<', '<=', '==', '!='), tie('sum'), tie('sum')).map(([sign, a, b]) => ({
      text: `(${a.text} ${sign} ${b.text})`,
      value:
        sign === '<'
          ? a.value < b.value
          : sign === '<='
            ? a.value <= b.value
            : (a.value === b.value) === (sign === '=='),
    })),
    fc.tuple(fc.constantFrom('&&', '||'), tie('truth'), tie('truth')).map(([sign, a, b]) => ({
      text: `(${a.text} ${sign} ${b.text})`,
      value: sign === '&&' ? a.value && b.value : a.value || b.value,
    })),
    tie('truth').map(({ text, value }) => ({ text: `!${text}`, value: !value })),
  ),
}));

const int64Max = 2n ** 63n - 1n;

test('compile() and evaluate() agree with plain arithmetic', () => {
  fc.assert(
    fc.property(sum, ({ text, value }) => {
      const { program, error } = environment.compile(text);
      assert.ok(program, error ?? text);
      const result = program.evaluate(bindings);
      if (result.error !== undefined) assert.equal(result.error, 'integer overflow');
      else assert.equal(result.value, value);
      if (value > int64Max) assert.equal(result.error, 'integer overflow');
    }),
    { numRuns: 500 },
  );
});

const words = [
  'n', 's', 'l', 'm', 'd', 'x', 'true', 'null', '1', '2u', '1.5', "'a'", "b'b'", '[', ']', '{', '}', '(', ')', '.', ',', ':', '?',
  '+', '-', '*', '/', '%', '!', '&&', '||', '==', '<', 'in', '.all(x, ', '.map(x, ', '.size()', 'size(', 'has(d.x)', '.?', '[?',
  '.matches(', 'string(', 'int(', 'type(', '.format([', '.orValue(', 'optional.of(', "timestamp('2024-01-01T00:00:00Z')", '@', '"',
]; // prettier-ignore

const anyText = fc.oneof(
  fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(' ')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

test('compile() answers any text, and what compiles can be estimated and evaluated', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { program, error } = environment.compile(text);
      if (program === undefined) {
        assert.match(error, /^compilation failed: ERROR: <input>:\d+:\d+: /);
        return;
      }
      assert.ok(estimateCost(program.checked) >= 0);
      const result = program.evaluate(bindings, { costBudget: 10_000 });
      assert.ok(result.error === undefined || typeof result.error === 'string');
    }),
    { numRuns: 3000 },
  );
});

// Each would take for ever, or all memory, if only its steps were counted.
const bombs: readonly string[] = [
  `'x'${".replace('x', 'xxxxxxxxxxxxxxxx')".repeat(30)}`,
  `'x'${".replace('', 'xxxxxxxxxxxxxxxx')".repeat(30)}`,
  `['x']${'.map(a, a + a + a + a + a + a + a + a)'.repeat(30)}`,
  `[[1]]${'.map(a, a + a)'.repeat(60)}[0].sort().size()`,
  `[[1]]${'.map(a, a + a)'.repeat(60)}[0].distinct().size()`,
  `[[1]]${'.map(a, a + a)'.repeat(60)}[0].distinct().size()`,
  `[['x']]${'.map(a, a + a)'.repeat(60)}.map(a, a.join('x'))`,
  `[['x']]${'.map(a, a + a)'.repeat(60)}.map(a, '%s'.format([a]))`,
  `[[1]]${'.map(a, a + a)'.repeat(60)}[0] == [1]${'.map(a, a)'.repeat(3)} || [[1]]${'.map(a, a + a)'.repeat(60)}[0].exists(x, x == 2)`,
  `lists.range(1000000).map(a, lists.range(1000000)).map(a, a.size())`,
  `lists.range(100000).transformMapEntry(i, v, {v: i})`,
];

test('evaluate() ends soon and within memory, however much an expression would grow', () => {
  for (const bomb of bombs) {
    const { program, error } = environment.compile(bomb);
    assert.ok(program, error ?? bomb);
    assert.equal(program.evaluate(bindings).exhausted, true, bomb);
  }
});
