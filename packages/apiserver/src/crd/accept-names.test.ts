import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@homeostat/api/types/apiextensions-v1';
import { acceptNames } from './accept-names.ts';

function named(
  name: string,
  wanted: Partial<CustomResourceDefinitionNames>,
  accepted?: Partial<CustomResourceDefinitionNames>,
  group = 'example.com',
): CustomResourceDefinition {
  return {
    metadata: { name },
    spec: { group, names: wanted },
    status: { acceptedNames: accepted ?? { plural: '', kind: '' } },
  } as unknown as CustomResourceDefinition;
}

const names = {
  plural: 'foos',
  singular: 'foo',
  kind: 'Foo',
  listKind: 'FooList',
  shortNames: ['f'],
  categories: ['all'],
};

test('names that nobody has are accepted as they are', () => {
  const { names: accepted, condition } = acceptNames(named('foos', names), [named('foos', names, names)]);
  assert.deepEqual(accepted, names);
  assert.deepEqual([condition.status, condition.reason], ['True', 'NoConflicts']);
});

test('what another one of the group has is refused, field by field; the last conflict is told', () => {
  const other = named('bars', {}, { plural: 'foo', kind: 'Foo', listKind: 'BarList', shortNames: ['f'] });
  const { names: accepted, condition } = acceptNames(named('foos', names), [other]);
  assert.deepEqual(accepted, { plural: 'foos', kind: '', listKind: 'FooList', categories: ['all'] });
  assert.deepEqual([condition.reason, condition.message], ['KindConflict', '"Foo" is already in use']);
});

test('names of other groups do not matter; kinds and resources do not meet', () => {
  const elsewhere = named('foos', {}, names, 'other.com');
  const crossed = named('bars', {}, { plural: 'Foo', kind: 'foos' });
  assert.equal(acceptNames(named('foos', names), [elsewhere, crossed]).condition.status, 'True');
});

test('what was accepted stays with its owner, whoever wants it later', () => {
  const wanted = { ...names, shortNames: ['f', 'taken'] };
  const other = named('bars', {}, { plural: 'bars', kind: 'Bar', shortNames: ['f', 'taken'] });
  const { names: accepted, condition } = acceptNames(named('foos', wanted, names), [other]);
  assert.deepEqual(accepted.shortNames, ['f'], 'none of the new ones is taken over when one is refused');
  assert.deepEqual([condition.reason, condition.message], ['ShortNamesConflict', '"taken" is already in use']);
});
