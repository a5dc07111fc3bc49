// JSONPath templates as kubectl prints them, and upstream's messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../schema/schema.ts';
import { JsonPath, relaxedJsonPath } from './json-path.ts';
import { JsonPathError } from './json-path-node.ts';

const data: Json = {
  kind: 'List',
  items: [
    { metadata: { name: 'a', labels: { 'x.y/z': '1' } }, n: 1, f: 1.5, ready: true, l: ['p', 'q'], e: null },
    { metadata: { name: 'b' }, n: 10, f: 2.5, ready: false, l: [] },
    { metadata: { name: 'c' }, n: -3, more: { deep: ['v'] } },
  ],
  empty: [],
};

const print = (template: string, allowMissingKeys = false): string =>
  JsonPath.parse(template, { allowMissingKeys }).print(data);

test('print() evaluates fields, indexes, slices, wildcards and unions', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{.kind}', 'List'],
    ['kind: {.kind}!', 'kind: List!'],
    ['{$.kind}', 'List'],
    ['{.items[*].metadata.name}', 'a b c'],
    ['{.items[0].metadata.name}', 'a'],
    ['{.items[-1].n}', '-3'],
    ['{.items[0:2].n}', '1 10'],
    ['{.items[::2].n}', '1 -3'],
    ['{.items[0,2].n}', '1 -3'],
    ["{.items[0]['metadata','n']}", '{"labels":{"x.y/z":"1"},"name":"a"} 1'],
    [String.raw`{.items[0].metadata.labels.x\.y/z}`, '1'],
    [String.raw`{.items[0].metadata.labels['x\.y/z']}`, '1'],
    ['{.items[0].l}', '["p","q"]'],
    ['{.items[0].e}', 'null'],
    ['{..deep}', '["v"]'],
    ['{.items[2].more.*}', '["v"]'],
    [String.raw`{"a\tb\u00e9\x41"}`, 'a\tbéA'],
  ];
  for (const [template, text] of cases) assert.equal(print(template), text, template);
});

test('print() filters', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{.items[?(@.n==1)].metadata.name}', 'a'],
    ['{.items[?(@.n>=1)].metadata.name}', 'a b'],
    ['{.items[?(@.metadata.name!="b")].n}', '1 -3'],
    ["{.items[?(@.metadata.name=='b')].n}", '10'],
    ['{.items[?(@.more.deep)].n}', '-3'],
    ['{.items[?(@.metadata.name=="a)")].n}', ''],
  ];
  for (const [template, text] of cases) assert.equal(print(template), text, template);
  assert.equal(print('{.items[?(@.ready==true)].n}', true), '1');
});

test('print() repeats ranges, nested ones too', () => {
  assert.equal(print(String.raw`{range .items[*]}{.metadata.name}={.n}{"\n"}{end}`), 'a=1\nb=10\nc=-3\n');
  assert.equal(print('{range .items[*]}{.metadata.name}{range .l[*]}<{@}>{end};{end}done', true), 'a<p><q>;b;c;done');
  assert.equal(print('{range .empty[*]}{.x}{end}', true), '');
});

test('find() gives values per part, for printer columns', () => {
  const path = JsonPath.parse('{.items[*].n}', { allowMissingKeys: true });
  assert.deepEqual(path.find(data), [[1, 10, -3]]);
  assert.deepEqual(JsonPath.parse('{.none}', { allowMissingKeys: true }).find(data), [[]]);
});

test('parse() and print() throw upstream texts', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{', 'unclosed action'],
    ['{"abc', 'unterminated quoted string'],
    ['{.items[0', 'unterminated array'],
    ['{.items[a]}', 'invalid array index a'],
    ['{.items[?(@.x}', 'unterminated filter'],
    ['{.items[?(@.x)}', 'unclosed array expect ]'],
    ['{#}', "unrecognized character in action: U+0023 '#'"],
    ['{1.2.3}', 'cannot parse number 1.2.3'],
    ['{.none}', 'none is not found'],
    ['{.items[9]}', 'array index out of bounds: index 9, length 3'],
    ['{.items[2:1]}', 'starting index 2 is greater than ending index 1'],
    ['{.kind[0]}', 'string is not array or slice'],
    ['{.items[0].metadata[?(@.x)]}', 'map[labels:map[x.y/z:1] name:a] is not array or slice and cannot be filtered'],
    ['{.items[?(@.n=1)]}', 'unrecognized filter operator ='],
    ['{.items[?(@.n=="1")]}', 'incompatible types for comparison'],
    ['{end}', 'not in range, nothing to end'],
    ['{foo}', 'unrecognized identifier foo'],
  ];
  for (const [template, message] of cases) {
    assert.throws(
      () => print(template),
      (error) => error instanceof JsonPathError && error.message === message,
      template,
    );
  }
});

test('relaxedJsonPath() completes a bare path', () => {
  for (const path of ['.metadata.name', 'metadata.name', '{.metadata.name}', '{metadata.name}']) {
    assert.equal(relaxedJsonPath(path), '{.metadata.name}');
  }
  assert.throws(() => relaxedJsonPath('{a'), JsonPathError);
});
