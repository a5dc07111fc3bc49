// The typed names of built-in resources say what the table of kinds says, and leave none out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findResource, resources } from '@homeostat/api';
import { resourceId, type ResourceType } from './resource/resource-type.ts';
import * as named from './resources.ts';

const names: readonly ResourceType[] = Object.values(named);

test('every name is a served resource', () => {
  for (const name of names) {
    const info = findResource(name.group, name.version, name.resource);
    assert.ok(info, resourceId(name));
    assert.deepEqual([name.kind, name.namespaced], [info.kind, info.namespaced]);
  }
});

test('every stored kind has one name', () => {
  const stored = resources.filter(({ verbs }) => verbs.includes('watch')).map(({ storage }) => storage.prefix);
  const covered = names.map(({ group, version, resource }) => findResource(group, version, resource)?.storage.prefix);
  assert.deepEqual([...covered].sort(), [...new Set(stored)].sort());
});
