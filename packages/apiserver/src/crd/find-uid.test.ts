import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUid } from './find-uid.ts';

test("metadata's own uid is found among others", () => {
  const metadata = {
    annotations: { 'a,"uid":"': 'x,"uid":"y' },
    labels: { a: 'b', uid: 'label' },
    managedFields: [{ fieldsV1: { 'k:{"uid":"k"}': {} }, uid: 'odd' }],
    ownerReferences: [{ name: 'o', uid: 'owner' }],
    uid: 'mine',
  };
  const head = '{"metadata":{';
  const text = JSON.stringify({ metadata, spec: { a: 1, uid: 'spec' } });
  const at = findUid(Buffer.from(text), head.length);
  assert.equal(text.slice(at, at + ',"uid":"mine"'.length), ',"uid":"mine"');
  const without = JSON.stringify({ metadata: { labels: { a: 'b', uid: 'c' } }, spec: { a: 1, uid: 'spec' } });
  assert.equal(findUid(Buffer.from(without), head.length), -1);
});
