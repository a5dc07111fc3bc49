import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '../scheme/scheme.ts';
import { tableFor } from './tables.ts';

test('tableFor() has a cell for every column of every served kind, even of an empty object', () => {
  for (const { storage, kind } of resources) {
    const table = tableFor(storage);
    const extra = kind === 'IPAddress' ? 1 : 0;
    assert.equal(table.row({}, 0).cells.length, table.columns.length + extra, `${kind} (${storage.group})`);
  }
});

test('tableFor() gives kinds without columns their name and creation time', () => {
  const table = tableFor({ group: 'rbac.authorization.k8s.io', kind: 'Role' });
  assert.deepEqual(
    table.columns.map((column) => column.name),
    ['Name', 'Created At'],
  );
  const object = { metadata: { name: 'r', creationTimestamp: '2026-01-01T00:00:00Z' } };
  assert.deepEqual(table.row(object, 0).cells, ['r', '2026-01-01T00:00:00Z']);
});

test('rows of DaemonSets show no template generation', () => {
  const annotations = { 'deprecated.daemonset.template.generation': '2' };
  const object = { metadata: { name: 'd', annotations } };
  assert.deepEqual(tableFor({ group: 'apps', kind: 'DaemonSet' }).rowMetadata?.(object), { name: 'd' });
});
