import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeJson } from '@homeostat/machinery';
import { ObjectVersion } from '../watch-cache/object-version.ts';
import { StoredObject } from '../watch-cache/stored-object.ts';
import { ByteWriter } from './byte-writer.ts';
import { cutJson, joinFull, jsonHead, writeListItem } from './json-item.ts';

const stored = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: {
    name: 'a',
    namespace: 'n',
    uid: 'u-1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { x: '"uid":"no"' },
  },
  data: { key: '<&>' },
};
const version = new ObjectVersion('n/a', 42, new StoredObject(stored));
const head = jsonHead('ConfigMap', 'v1');

test('joinFull() writes the object with its resourceVersion at its place, from the stored bytes', () => {
  const item = cutJson(version.holder.bytes(), head);
  assert.ok(item !== undefined);
  assert.equal(
    Buffer.from(joinFull(head, item, version)).toString(),
    Buffer.from(encodeJson(version.object)).toString(),
  );
});

test('writeListItem() leaves kind and apiVersion out', () => {
  const item = cutJson(version.holder.bytes(), head);
  assert.ok(item !== undefined);
  const writer = new ByteWriter();
  writeListItem(writer, item, version);
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = version.object;
  assert.equal(Buffer.concat(writer.finish()).toString(), Buffer.from(encodeJson(rest)).toString());
});

test('cutJson() refuses bytes of another kind and objects without a uid', () => {
  assert.equal(cutJson(version.holder.bytes(), jsonHead('Secret', 'v1')), undefined);
  assert.equal(cutJson(Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}'), head), undefined);
});
