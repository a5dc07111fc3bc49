// JSON patch: RFC 6902 with upstream's quirks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../schema/schema.ts';
import { applyJsonPatch } from './json-patch.ts';
import { decodeJsonPatch, unknownJsonPatchMembers } from './json-patch-operation.ts';
import { PatchError } from './patch-error.ts';

const document = { data: { x: '1', n: null }, list: ['a', 'b', 'c'], 'a/b': { 'm~n': 1 } };

function patched(...operations: readonly Json[]): Json {
  return applyJsonPatch(document, decodeJsonPatch(operations));
}

function fails(...operations: readonly Json[]): void {
  assert.throws(
    () => patched(...operations),
    (error) => error instanceof PatchError && error.kind === 'inapplicable',
    JSON.stringify(operations),
  );
}

test('applyJsonPatch() adds, removes and replaces', () => {
  assert.deepEqual(patched({ op: 'add', path: '/data/y', value: '2' }), {
    ...document,
    data: { n: null, x: '1', y: '2' },
  });
  assert.deepEqual(patched({ op: 'remove', path: '/data/x' }), { ...document, data: { n: null } });
  assert.deepEqual(patched({ op: 'replace', path: '/data', value: 1 }), { ...document, data: 1 });
  assert.deepEqual(patched({ op: 'replace', path: '', value: { a: 1 } }), { a: 1 });
});

test('applyJsonPatch() reads indexes as upstream', () => {
  const listAfter = (operation: Json): Json => (patched(operation) as { list: Json }).list;
  assert.deepEqual(listAfter({ op: 'add', path: '/list/-', value: 'd' }), ['a', 'b', 'c', 'd']);
  assert.deepEqual(listAfter({ op: 'add', path: '/list/1', value: 'x' }), ['a', 'x', 'b', 'c']);
  assert.deepEqual(listAfter({ op: 'add', path: '/list/-1', value: 'd' }), ['a', 'b', 'c', 'd']);
  assert.deepEqual(listAfter({ op: 'remove', path: '/list/-1' }), ['a', 'b']);
  assert.deepEqual(listAfter({ op: 'replace', path: '/list/+01', value: 'x' }), ['a', 'x', 'c']);
  for (const path of ['/list/3', '/list/x', '/list/-', '/list/-4']) fails({ op: 'remove', path });
  fails({ op: 'add', path: '/list/9', value: 1 });
});

test('applyJsonPatch() unescapes segments, and loses the first one of a path without a slash', () => {
  assert.deepEqual(patched({ op: 'replace', path: '/a~1b/m~0n', value: 2 }), { ...document, 'a/b': { 'm~n': 2 } });
  assert.deepEqual(patched({ op: 'add', path: 'data/x', value: '2' }), { ...document, x: '2' });
  fails({ op: 'add', path: 'x', value: 1 });
});

test('applyJsonPatch() adds what replace does not find, and copies null from a missing key', () => {
  assert.deepEqual(patched({ op: 'replace', path: '/data/y', value: 1 }), {
    ...document,
    data: { n: null, x: '1', y: 1 },
  });
  assert.deepEqual(patched({ op: 'copy', from: '/data/none', path: '/data/y' }), {
    ...document,
    data: { n: null, x: '1', y: null },
  });
  fails({ op: 'move', from: '/data/none', path: '/data/y' });
  fails({ op: 'remove', path: '/data/none' });
  fails({ op: 'add', path: '/none/x', value: 1 });
});

test('applyJsonPatch() tests values', () => {
  const passing: readonly Json[] = [
    { op: 'test', path: '/list', value: ['a', 'b', 'c'] },
    { op: 'test', path: '/data', value: { n: null, x: '1' } },
    { op: 'test', path: '/data/none', value: null },
    { op: 'test', path: '/data/none' },
    { op: 'test', path: '', value: document },
  ];
  for (const operation of passing) assert.deepEqual(patched(operation), document);
  fails({ op: 'test', path: '/data/x', value: '2' });
  fails({ op: 'test', path: '/data/x' });
  fails({ op: 'test', path: '/list/7', value: null });
});

test('applyJsonPatch() fails for what is no operation, and applies nothing then', () => {
  fails({ op: 'increment', path: '/data/x' });
  fails({ path: '/data/x', value: 1 });
  fails({ op: 'add', value: 1 });
  fails(null);
  fails({ op: 'add', path: '/data/y', value: 1 }, { op: 'remove', path: '/data/none' });
  assert.deepEqual(document.data, { x: '1', n: null });
});

test('applyJsonPatch() sorts the keys of what it opens and shares the rest', () => {
  const result = patched({ op: 'add', path: '/data/b', value: 1 }) as typeof document;
  assert.deepEqual(Object.keys(result), ['a/b', 'data', 'list']);
  assert.deepEqual(Object.keys(result.data), ['b', 'n', 'x']);
  assert.equal(result.list, document.list);
});

test('applyJsonPatch() bounds what copies may add', () => {
  const copies = Array.from({ length: 20 }, () => ({ op: 'copy', from: '', path: '/data/x' }));
  assert.throws(() => applyJsonPatch(document, decodeJsonPatch(copies), { copyBytesMax: 100 }), PatchError);
});

test('decodeJsonPatch() throws the recorded texts', () => {
  const messageOf = (body: Json): string => {
    try {
      decodeJsonPatch(body);
    } catch (error) {
      if (error instanceof PatchError && error.kind === 'malformed') return error.message;
    }
    return assert.fail('nothing was thrown');
  };
  const target = 'into Go value of type';
  assert.equal(messageOf({}), `error decoding patch: json: cannot unmarshal object ${target} []handlers.jsonPatchOp`);
  assert.equal(messageOf('x'), `error decoding patch: json: cannot unmarshal string ${target} []handlers.jsonPatchOp`);
  assert.equal(messageOf(['x']), `error decoding patch: json: cannot unmarshal string ${target} handlers.jsonPatchOp`);
  assert.deepEqual(decodeJsonPatch(null), []);
  assert.deepEqual(unknownJsonPatchMembers([{ op: 'add', extra: 1 }]), ['[0].extra']);
});
