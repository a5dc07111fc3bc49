// Sets of field paths: the canonical JSON form, and set algebra against a naive model.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { excludeFields, includeFields } from './field-filter.ts';
import { FieldSet, type FieldsV1 } from './field-set.ts';
import { compareElements, printPath } from './path-element.ts';

type Path = readonly string[];

function setOf(paths: readonly Path[]): FieldSet {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
}

const pathsOf = (set: FieldSet): string[] => [...set.paths()].map((path) => path.join(' ')).sort();

test('toFieldsV1() writes elements in canonical order, with "." where a node is a member too', () => {
  const set = setOf([
    ['f:spec', 'f:ports', 'k:{"port":443,"protocol":"TCP"}'],
    ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}'],
    ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:port'],
    ['f:spec', 'f:replicas'],
    ['f:metadata', 'f:finalizers', 'v:"b"'],
    ['f:metadata', 'f:finalizers', 'v:"a"'],
    ['f:metadata', 'f:finalizers'],
  ]);
  const expected =
    '{"f:metadata":{"f:finalizers":{".":{},"v:\\"a\\"":{},"v:\\"b\\"":{}}},' +
    '"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}},' +
    '"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{}},"f:replicas":{}}}';
  assert.equal(JSON.stringify(set.toFieldsV1()), expected);
  const { set: read, canonical } = FieldSet.fromFieldsV1(JSON.parse(expected) as FieldsV1);
  assert.ok(read.equals(set));
  assert.equal(canonical, true);
});

test('fromFieldsV1() canonicalises elements, skips unknown kinds and refuses malformed ones', () => {
  const { set, canonical } = FieldSet.fromFieldsV1({ 'k:{"b":1, "a":"x"}': {}, 'x:new': {}, 'f:a': { 'x:new': {} } });
  assert.deepEqual(pathsOf(set), ['f:a', 'k:{"a":"x","b":1}']);
  assert.equal(canonical, false);
  for (const key of ['f', 'fa', 'k:{', 'v:', 'i:x'])
    assert.throws(() => FieldSet.fromFieldsV1({ [key]: {} }), SyntaxError, key);
});

test('compareElements() orders fields, keys, values and indexes', () => {
  const sorted = [
    'f:a',
    'f:b',
    'k:{"a":1}',
    'k:{"a":10}',
    'k:{"a":"1"}',
    'k:{"b":0}',
    'v:2',
    'v:10',
    'v:"x"',
    'v:true',
    'i:2',
    'i:10',
  ];
  assert.deepEqual([...sorted].reverse().sort(compareElements), sorted);
});

test('printPath() shows paths as messages do', () => {
  assert.equal(
    printPath(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name']),
    '.spec.ports[port=80,protocol="TCP"].name',
  );
  assert.equal(printPath(['f:metadata', 'f:finalizers', 'v:"e.com/a"']), '.metadata.finalizers[="e.com/a"]');
});

test('excludeFields() and includeFields() keep what an endpoint tracks', () => {
  const set = setOf([['f:spec', 'f:a'], ['f:status'], ['f:status', 'f:b'], ['f:metadata', 'f:labels', 'f:x']]);
  assert.deepEqual(pathsOf(excludeFields('status', 'metadata.labels').filter(set)), ['f:spec f:a']);
  const containers = setOf([
    ['f:spec', 'f:containers', 'k:{"name":"a"}'],
    ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:image'],
    ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:resources', 'f:limits'],
  ]);
  assert.deepEqual(pathsOf(includeFields('spec.containers.*.resources').filter(containers)), [
    'f:spec f:containers k:{"name":"a"}',
    'f:spec f:containers k:{"name":"a"} f:resources f:limits',
  ]);
});

const element = fc.constantFrom('f:a', 'f:b', 'k:{"n":1}', 'v:"x"');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });
const model = (list: readonly Path[]): Set<string> => new Set(list.map((one) => one.join(' ')));
const isBelow = (one: string, other: string): boolean => one === other || one.startsWith(`${other} `);

test('the algebra of sets agrees with sets of strings', () => {
  fc.assert(
    fc.property(paths, paths, (a, b) => {
      const [x, y] = [setOf(a), setOf(b)];
      const [p, q] = [model(a), model(b)];
      assert.deepEqual(pathsOf(x.union(y)), [...p.union(q)].sort());
      assert.deepEqual(pathsOf(x.intersection(y)), [...p.intersection(q)].sort());
      assert.deepEqual(pathsOf(x.difference(y)), [...p.difference(q)].sort());
      const left = [...p].filter((one) => ![...q].some((other) => isBelow(one, other)));
      assert.deepEqual(pathsOf(x.recursiveDifference(y)), left.sort());
      assert.equal(x.equals(y), p.size === q.size && p.isSubsetOf(q));
      for (const one of [...a, ...b]) assert.equal(x.has(one), p.has(one.join(' ')));
    }),
  );
});

test('an operation that changes nothing returns the same set, and the operands stay as they are', () => {
  fc.assert(
    fc.property(paths, paths, (a, b) => {
      const [x, y] = [setOf(a), setOf(b)];
      const before = pathsOf(x);
      assert.equal(x.union(x.intersection(y)), x);
      assert.equal(x.difference(y.difference(x)), x);
      x.union(y).difference(y).recursiveDifference(y);
      assert.deepEqual(pathsOf(x), before);
    }),
  );
});

test('the JSON form reads back to the same set', () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = setOf(list);
      const { set: read, canonical } = FieldSet.fromFieldsV1(set.toFieldsV1());
      assert.ok(read.equals(set));
      assert.equal(canonical, true);
    }),
  );
});
