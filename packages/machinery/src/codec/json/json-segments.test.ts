// One encoding in pieces: GET, LIST, watch and stored forms.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from './encode-json.ts';
import { JsonSegments, watchFrame } from './json-segments.ts';

const kind = { apiVersion: 'v1', kind: 'Pod' };
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

test('JsonSegments.ofTyped() gives GET, LIST and stored forms from the same bytes', () => {
  const pod = { metadata: { name: 'a', uid: 'u', generation: 1 }, spec: { x: '<' }, status: {} };
  const segments = JsonSegments.ofTyped(pod, kind);
  const rest = '"generation":1},"spec":{"x":"\\u003c"},"status":{}}';
  assert.equal(
    text(segments.bytes({ resourceVersion: '7' })),
    `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":"7",${rest}`,
  );
  assert.equal(
    text(segments.bytes({ resourceVersion: '7', typeMeta: false })),
    `{"metadata":{"name":"a","uid":"u","resourceVersion":"7",${rest}`,
  );
  assert.equal(text(segments.bytes({})), `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u",${rest}`);
  assert.equal(segments.byteLength({ resourceVersion: '7' }), segments.bytes({ resourceVersion: '7' }).length);
  const [get, list] = [
    segments.parts({ resourceVersion: '7' }),
    segments.parts({ resourceVersion: '8', typeMeta: false }),
  ];
  assert.equal(get.at(-1), list.at(-1));
});

test('JsonSegments.ofTyped() passes over kind, apiVersion and resourceVersion of the object', () => {
  const pod = { kind: 'X', apiVersion: 'x', metadata: { name: 'a', resourceVersion: '3' } };
  assert.equal(
    text(JsonSegments.ofTyped(pod, kind).bytes({ resourceVersion: '9' })),
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"9"}}',
  );
});

test('JsonSegments get their commas right whatever metadata holds', () => {
  for (const metadata of [{}, { name: 'a' }, { generation: 1 }, { name: 'a', generation: 1 }]) {
    for (const more of [{}, { spec: {} }]) {
      for (const resourceVersion of [undefined, '5']) {
        const segments = JsonSegments.ofTyped({ metadata, ...more }, kind);
        const value: unknown = JSON.parse(text(segments.bytes({ ...(resourceVersion && { resourceVersion }) })));
        assert.deepEqual(value, {
          ...kind,
          metadata: { ...metadata, ...(resourceVersion && { resourceVersion }) },
          ...more,
        });
      }
    }
  }
});

test('JsonSegments.ofSorted() keeps kind and apiVersion in every form and resourceVersion in its place', () => {
  const object = { apiVersion: 'x/v1', kind: 'W', metadata: { name: 'a', uid: 'u' }, spec: { a: 1 } };
  const segments = JsonSegments.ofSorted(object);
  const wanted = { ...object, metadata: { name: 'a', resourceVersion: '7', uid: 'u' } };
  assert.equal(text(segments.bytes({ resourceVersion: '7', typeMeta: false })), stringifyJson(wanted));
  assert.equal(text(segments.bytes({ resourceVersion: '7' })), stringifyJson(wanted));
  assert.equal(text(segments.bytes({})), stringifyJson(object));
  const early = JsonSegments.ofSorted({ aa: 1, metadata: {}, z: 2 });
  assert.equal(text(early.bytes({ resourceVersion: '1' })), '{"aa":1,"metadata":{"resourceVersion":"1"},"z":2}');
});

test('watchFrame() wraps an object in one line', () => {
  const parts = watchFrame('ADDED', JsonSegments.ofTyped({ metadata: {} }, kind).parts({ resourceVersion: '1' }));
  assert.equal(
    text(Buffer.concat(parts)),
    '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1"}}}\n',
  );
});
