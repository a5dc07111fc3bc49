// Tables of custom resources whose columns are odd.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customTable } from './custom-columns.ts';

const column = (
  type: string,
  jsonPath: string,
): { readonly name: string; readonly type: string; readonly jsonPath: string } => ({
  name: jsonPath,
  type,
  jsonPath,
});

test('columns end before the first whose path cannot be read', () => {
  const table = customTable([column('string', '.a'), column('string', '.b["c"]'), column('string', '.d')]);
  assert.deepEqual(
    table.columns.map(({ name }) => name),
    ['Name', '.a'],
  );
  const object = { metadata: { name: 'n' }, a: 'x', d: 'y' };
  assert.deepEqual(table.row(object, 0).cells, ['n', 'x']);
});

test('dates that are empty are unknown, others that are none invalid; an empty description is none', () => {
  const table = customTable([{ ...column('date', '.d'), description: '' }]);
  const cell = (d: unknown): unknown => table.row({ metadata: { name: 'n' }, d } as object, 3_600_000).cells[1];
  assert.deepEqual(['', 'null', 'soon', '1970-01-01T00:00:00Z', 5].map(cell), [
    '<unknown>',
    '<unknown>',
    '<invalid>',
    '60m',
    null,
  ]);
  assert.equal(table.columns[1]?.description, 'Custom resource definition column (in JSONPath format): .d');
});
