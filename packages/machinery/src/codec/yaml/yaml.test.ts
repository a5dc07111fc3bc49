// YAML in and out: scalars of YAML 1.1, upstream’s warnings and layout, round trips.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../schema/schema.ts';
import { DecodeError } from '../decode-error.ts';
import { decodeYaml, decodeYamlDocuments } from './decode-yaml.ts';
import { encodeYaml } from './encode-yaml.ts';

test('decodeYaml() resolves plain scalars as YAML 1.1, quoted ones as strings', () => {
  const text = `
a: yes
b: off
c: 0777
d: 0o17
e: 0x1F
f: 1_000
g: 1.50
h: 1e3
i: "yes"
j: ~
k: 2026-01-02
l: 12:30:45
m: 12345678901234567890
p: -.5
o:
`;
  assert.deepEqual(decodeYaml(text), {
    a: true,
    b: false,
    c: 511,
    d: 15,
    e: 31,
    f: 1000,
    g: 1.5,
    h: 1000,
    i: 'yes',
    j: null,
    k: '2026-01-02',
    l: '12:30:45',
    m: 12345678901234567890n,
    o: null,
    p: -0.5,
  });
});

test('decodeYaml() reads the first document only, an empty text as null, JSON as YAML', () => {
  assert.deepEqual(decodeYaml('a: 1\n---\na: 2\n'), { a: 1 });
  assert.equal(decodeYaml(''), null);
  assert.deepEqual(decodeYaml('{"b":1,"a":[true,null]}'), { a: [true, null], b: 1 });
  assert.deepEqual(decodeYamlDocuments('a: 1\n---\nb: 2\n'), [{ a: 1 }, { b: 2 }]);
});

test('decodeYaml() sorts keys and makes strings of them', () => {
  const value = decodeYaml('z: 1\non: 2\n1.5: 3\na: 4\n') as object;
  assert.deepEqual(Object.keys(value), ['1.5', 'a', 'true', 'z']);
});

test('decodeYaml() follows anchors and merges maps', () => {
  assert.deepEqual(decodeYaml('a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\nc: *x\n'), {
    a: { p: 1, q: 2 },
    b: { p: 1, q: 3 },
    c: { p: 1, q: 2 },
  });
});

test('decodeYaml() follows as many aliases as there are, but lets few characters not become much', () => {
  const merges = `a: &a {x: 1}\nb:\n  <<: [${Array.from({ length: 2_000 }, () => '*a').join()}]`;
  assert.deepEqual(decodeYaml(merges), { a: { x: 1 }, b: { x: 1 } });
  const aliases = Array.from({ length: 20_000 }, (_unused, index) => `k${index}: *a\n`).join('');
  assert.equal(Object.keys(decodeYaml(`a: &a {k: v}\n${aliases}`) as object).length, 20_001);
  const nine = (item: string): string => Array.from({ length: 9 }, () => item).join();
  const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const bomb = levels.map(
    (name, index) => `${name}: &${name} [${nine(index === 0 ? 'x' : `*${levels[index - 1]}`)}]\n`,
  );
  assert.throws(() => decodeYaml(bomb.join('')), /^DecodeError: yaml: document contains excessive aliasing$/);
  assert.throws(() => decodeYaml('a: &a [*a]'), /yaml: anchor 'a' value contains itself/);
  assert.throws(() => decodeYaml('a: &a 1\nb: *c'), /yaml: unknown anchor 'c' referenced/);
  assert.deepEqual(decodeYaml('a: &a 1\nb: *a\nc: &a 2\nd: *a'), { a: 1, b: 1, c: 2, d: 2 });
  assert.throws(() => decodeYaml(`${'['.repeat(20_000)}${']'.repeat(20_000)}`), /yaml: exceeded max depth of 10000/);
});

test('decodeYaml() reports repeated keys with their line, and lets the last win', () => {
  const found: string[] = [];
  const value = decodeYaml('metadata: {name: a}\ndata:\n  a: "1"\n  a: "2"\n  yes: 1\n  on: 2\n', {
    onDuplicate: (text) => found.push(text),
  });
  assert.deepEqual(found, ['line 4: key "a" already set in map', 'line 6: key true already set in map']);
  assert.deepEqual(value, { data: { a: '2', true: 2 }, metadata: { name: 'a' } });
});

test('decodeYaml() words syntax errors as yaml.v2', () => {
  const messageOf = (text: string): string => {
    try {
      decodeYaml(text);
    } catch (error) {
      assert.ok(error instanceof DecodeError);
      return error.message;
    }
    return assert.fail(`no error for ${text}`);
  };
  assert.equal(messageOf('metadata: {name: a\n'), "yaml: line 1: did not find expected ',' or '}'");
  assert.equal(messageOf('{"a": 1'), "yaml: line 1: did not find expected ',' or '}'");
  assert.equal(messageOf('a: b: c'), 'yaml: mapping values are not allowed in this context');
  assert.equal(messageOf('a: *x'), "yaml: unknown anchor 'x' referenced");
});

test('encodeYaml() writes as sigs.k8s.io/yaml does', () => {
  const long = `${'word '.repeat(20)}end`;
  assert.equal(
    encodeYaml({
      kind: 'X',
      a10: 1,
      a2: 2,
      items: [{ name: 'a', nested: [1, [2, 3]] }, 'plain'],
      empty: {},
      none: [],
      nil: null,
      quoted: ['yes', '1', '', ' a', "it's", 'a: b', '#x', '2026-01-02T03:04:05Z', '- x', 'tab\t'],
      block: 'two\nlines\n',
      strip: 'two\nlines',
      long,
    }),
    `a2: 2
a10: 1
block: |
  two
  lines
empty: {}
items:
- name: a
  nested:
  - 1
  - - 2
    - 3
- plain
kind: X
long: word word word word word word word word word word word word word word word word
  word word word word end
nil: null
none: []
quoted:
- "yes"
- "1"
- ""
- ' a'
- it's
- 'a: b'
- '#x'
- "2026-01-02T03:04:05Z"
- '- x'
- "tab\\t"
strip: |-
  two
  lines
`,
  );
});

test('decodeYaml() reads back what encodeYaml() writes', () => {
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', "'", '"', '\t', '1'), maxLength: 200 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(
        fc.string({ maxLength: 12 }).filter((key) => key !== '__proto__'),
        tie('tree'),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      assert.deepEqual(decodeYaml(encodeYaml(value)), value);
    }),
    { numRuns: 300 },
  );
});
