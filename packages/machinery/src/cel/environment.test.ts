// Expressions with their values and errors: the specification's examples, Kubernetes' libraries, upstream's texts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCelEnvironment } from './environment.ts';
import { toJson } from './to-json.ts';
import * as types from './types.ts';

const spec = types.structType('spec', new Map<string, types.CelType>([
  ['a', types.stringType],
  ['n', types.intType],
  ['l', types.listType(types.stringType)],
  ['o', types.structType('o', new Map([['x', types.intType]]))],
  ['free', types.structType('free', new Map())],
  ['m', types.mapType(types.stringType, types.stringType)],
  ['any', types.dynType],
  ['at', types.timestampType],
])); // prettier-ignore
const environment = createCelEnvironment({ variables: { self: spec, dynamic: types.dynType } });
const self = {
  a: 'text',
  n: 5,
  l: ['x', 'y'],
  o: { x: 1 },
  m: { k: 'v' },
  any: { deep: [1, 2.5] },
  at: '2024-01-02T03:04:05Z',
};

function evaluate(expression: string): unknown {
  const { program, error } = environment.compile(expression);
  if (program === undefined) return error;
  const result = program.evaluate({ self, dynamic: { one: 1, half: 0.5, none: null, list: ['a'] } });
  return result.error ?? toJson(result.value);
}

const values: readonly (readonly [expression: string, value: unknown])[] = [
  ['1 + 2 * 3 - 4', 3],
  ['-7 / 2', -3],
  ['-7 % 2', -1],
  ['1.5 + 1.5', 3],
  ['2u * 3u', 6],
  ['--3', 3],
  ['!!true', true],
  ['1 < 2.5 && 2u > 1', true],
  ["'a' + 'b' == 'ab'", true],
  ["b'\\xff' == b'\\377'", true],
  ["r'\\n'.size()", 2],
  ["'''a\nb'''", 'a\nb'],
  ["'\\u00e9\\U0001F600'", 'é😀'],
  ['true ? 1 : 2', 1],
  ['[1, 2] + [3]', [1, 2, 3]],
  ["{'a': 1}.a", 1],
  ["{1: 'x'}[1]", 'x'],
  ["'a' in {'a': 1}", true],
  ['2 in [1, 2]', true],
  ['[1, 2, 3].all(x, x > 0)', true],
  ['[1, 2, 3].exists(x, x == 2)', true],
  ['[1, 2, 3].exists_one(x, x > 1)', false],
  ['[1, 2, 3].map(x, x * 2)', [2, 4, 6]],
  ['[1, 2, 3].map(x, x > 1, x * 2)', [4, 6]],
  ['[1, 2, 3].filter(x, x != 2)', [1, 3]],
  ['[1, 2].all(i, v, v == i + 1)', true],
  ['[1, 2].transformList(i, v, i + v)', [1, 3]],
  ["{'a': 1}.transformMap(k, v, v + 1)", { a: 2 }],
  ["['a'].transformMapEntry(i, v, {v: i})", { a: 0 }],
  ["{'a': 1}.exists(k, v, k == 'a' && v == 1)", true],
  ['[[1], [2]].all(l, l.all(x, x > 0))', true],
  ['[3, 1, 2].sortBy(x, -x)', [3, 2, 1]],
  ['has(self.a) && !has(self.free)', true],
  ['self.?a.orValue("none")', 'text'],
  ['self.?o.x.hasValue()', true],
  ["self.m[?'nope'].orValue('none')", 'none'],
  ['[?optional.of(1), ?optional.none(), 2]', [1, 2]],
  ['optional.of(2).optMap(x, x * 2).value()', 4],
  ['optional.none().or(optional.of(1)).value()', 1],
  ['type(self.any) == map && type(self.n) == int', true],
  ['self.any.deep[1]', 2.5],
  ['self.any.deep[0] + 1', 2],
  ['dynamic.one == 1 && dynamic.half < 1', true],
  ['dynamic.none == null', true],
  ['false && dynamic.nope', false],
  ['dynamic.nope || true', true],
  ['[dynamic, {}].exists(x, x.one == 1)', true],
  ['self.at.getFullYear() == 2024 && self.at.getDayOfWeek() == 2', true],
  ["self.at.getHours('+02:00')", 5],
  ["self.at.getHours('America/New_York')", 22],
  ["string(self.at + duration('1h30m'))", '2024-01-02T04:34:05Z'],
  ["duration('90s').getMinutes()", 1],
  ["string(duration('1h'))", '3600s'],
  ["timestamp('2024-01-01T00:00:00Z') < self.at", true],
  ["int('42') + int(2.9) + int(3u)", 47],
  ["double('1e3')", 1000],
  ['string(1.0)', '1'],
  ['string(1e21)', '1000000000000000000000'],
  ["size('😀')", 1],
  ["'hello'.charAt(4) + 'x'.charAt(1)", 'o'],
  ["'tacocat'.indexOf('ac', 3)", -1],
  ["'tacocat'.lastIndexOf('a')", 5],
  ["'TacoCÆt'.lowerAscii()", 'tacocÆt'],
  ["'hello hello'.replace('he', 'we', 1)", 'wello hello'],
  ["'a,b,c'.split(',', 2)", ['a', 'b,c']],
  ["'hello'.substring(1, 3)", 'el'],
  ["' \\ttrim\\n'.trim()", 'trim'],
  ["['x', 'y'].join('-')", 'x-y'],
  [`strings.quote("a\\"b")`, '"a\\"b"'],
  ["'%s %d %.2f %x %b %%'.format(['a', 5, 1.005, 255, 5])", 'a 5 1.00 ff 101 %'],
  ["'%s'.format([[1, 'a', true]])", '[1, a, true]'],
  ['[1, 2, 2].isSorted() && ["b", "c"].min() == "b" && [1.5].sum() == 1.5', true],
  ['[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)', 2],
  ['lists.range(3)', [0, 1, 2]],
  ['[1, 2, 2].distinct()', [1, 2]],
  ['[[1], [2, 3]].flatten()', [1, 2, 3]],
  ["'abc 123'.find('[0-9]+')", '123'],
  ["'1 2 3'.findAll('[0-9]', 2)", ['1', '2']],
  ["'foobar'.matches('^fo+')", true],
  ["url('https://user@example.com:8080/a%20b?x=1&x=2').getHost()", 'example.com:8080'],
  ["url('https://[::1]:80/').getHostname()", '::1'],
  ["url('/a?x=1&x=2').getQuery()['x']", ['1', '2']],
  ["isURL('nope')", false],
  ['sets.contains([1, 2], [2]) && sets.intersects([1], [1]) && sets.equivalent([1, 1], [1])', true],
  ["quantity('1.5Gi').isGreaterThan(quantity('1Gi')) && quantity('3').add(1).asInteger() == 4", true],
  ["isQuantity('x') || quantity('1').compareTo(quantity('1000m')) != 0", false],
  ["ip('::1').isLoopback() && ip('10.0.0.1').family() == 4 && isIP('10.0.0.01') == false", true],
  ["string(ip('2001:db8:0:0::1'))", '2001:db8::1'],
  ["ip.isCanonical('2001:DB8::1')", false],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true],
  ["string(cidr('10.1.2.3/8').masked())", '10.0.0.0/8'],
  ["semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('v1', true).major() == 1", true],
  ["format.dns1123Label().validate('Bad').hasValue() && !format.named('uuid').value().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", true],
  ["'a-b' == 'a-b' // the rest is a comment", true],
]; // prettier-ignore

const runtimeErrors: readonly (readonly [expression: string, error: string])[] = [
  ['dynamic.nope', 'no such key: nope'],
  ['[1][2]', 'index out of bounds: 2'],
  ['1 / 0', 'division by zero'],
  ['1 % 0', 'modulus by zero'],
  ['9223372036854775807 + 1', 'integer overflow'],
  ["self.m['zz']", 'no such key: zz'],
  ["dynamic.one + 'x'", 'no such overload'],
  ['dynamic.one.startsWith("x")', 'no such overload: startsWith(int, string)'],
  ['optional.none().value()', 'optional.none() dereference'],
];

const compileErrors: readonly (readonly [expression: string, error: string])[] = [
  [
    'self.a ==',
    "1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.a ==\n | .........^",
  ],
  ['self.nope == 1', "1:5: undefined field 'nope'\n | self.nope == 1\n | ....^"],
  ['self.a == 1', "1:8: found no matching overload for '_==_' applied to '(string, int)'\n | self.a == 1\n | .......^"],
  ['self.n > "x"', "1:8: found no matching overload for '_>_' applied to '(int, string)'\n | self.n > \"x\"\n | .......^"],
  ['self.free.x == 1', "1:10: undefined field 'x'\n | self.free.x == 1\n | .........^"],
  ['foo(self.a)', "1:4: undeclared reference to 'foo' (in container '')\n | foo(self.a)\n | ...^"],
  ['nope.x', "1:1: undeclared reference to 'nope' (in container '')\n | nope.x\n | ^"],
  ['self.', "1:6: Syntax error: no viable alternative at input '.'\n | self.\n | .....^"],
  ['x y', "1:3: Syntax error: extraneous input 'y' expecting <EOF>\n | x y\n | ..^"],
  ['Object{a: 1', "1:12: Syntax error: mismatched input '<EOF>' expecting {'}', ','}\n | Object{a: 1\n | ...........^"],
  ['(1', "1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"],
  ['self.a @ 1', "1:8: Syntax error: token recognition error at: '@'"],
  ['[1].all(1, true)', '1:9: argument must be a simple name'],
  ['has(1)', '1:5: invalid argument to has() macro'],
  ['1.all(x, x)', "cannot be range of a comprehension (must be list, map, or dynamic)"],
  ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
  ["duration('x')", '1:10: invalid duration argument'],
  ["'a'.matches('(')", '1:13: invalid matches argument'],
  ["self.a.contains(1)", "1:16: found no matching overload for 'contains' applied to 'string.(int)'"],
]; // prettier-ignore

describe('createCelEnvironment()', () => {
  for (const [expression, value] of values) {
    test(`evaluates ${expression}`, () => assert.deepEqual(evaluate(expression), value));
  }
  for (const [expression, error] of runtimeErrors) {
    test(`fails to evaluate ${expression}`, () => assert.equal(evaluate(expression), error));
  }
  for (const [expression, error] of compileErrors) {
    test(`does not compile ${expression}`, () => {
      const found = environment.compile(expression).error ?? '';
      assert.ok(found.startsWith('compilation failed: ERROR: <input>:'), found);
      assert.ok(found.includes(error), found);
    });
  }

  test('reports all type errors in the order of their places', () => {
    assert.equal(
      environment.compile('self.n > "x" || self.nope == 1').error,
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(int, string)'\n | self.n > \"x\" || self.nope == 1\n | .......^\nERROR: <input>:1:21: undefined field 'nope'\n | self.n > \"x\" || self.nope == 1\n | ....................^",
    );
  });

  test('bounds the depth and length of expressions', () => {
    assert.match(
      environment.compile(`${'('.repeat(300)}1${')'.repeat(300)}`).error ?? '',
      /expression recursion limit exceeded: 250/,
    );
    assert.match(
      environment.compile(Array(300).fill('1').join('+')).error ?? '',
      /expression recursion limit exceeded: 250/,
    );
    assert.match(environment.compile('1'.repeat(100_001)).error ?? '', /expression code point size exceeds limit/);
    assert.equal(evaluate(Array(5000).fill('true').join('&&')), true);
  });

  test('stops when the budget is spent', () => {
    const { program } = environment.compile(
      'lists.range(1000).all(x, lists.range(1000).all(y, lists.range(1000).all(z, x + y + z >= 0)))',
    );
    const result = program?.evaluate({});
    assert.equal(result?.error, 'operation cancelled: actual cost limit exceeded');
  });

  test('matches patterns in linear time', () => {
    const { program } = environment.compile("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'.matches('^(a+)+$')");
    assert.equal(program?.evaluate({}).value, false);
  });
});
