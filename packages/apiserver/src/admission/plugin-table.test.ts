import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFixtureHost } from './admission-fixture.ts';
import { createAdmissionPlugins } from './plugin-table.ts';

const names = (selection = {}): string[] =>
  createAdmissionPlugins(createFixtureHost(), selection).map(({ name }) => name);

test('createAdmissionPlugins() runs the default ones in order and NodeRestriction when asked', () => {
  assert.equal(names()[0], 'NamespaceLifecycle');
  assert.ok(!names().includes('NodeRestriction'));
  const enabled = names({ enable: ['NodeRestriction'] });
  assert.ok(enabled.indexOf('NodeRestriction') > enabled.indexOf('ServiceAccount'));
  assert.ok(!names({ enable: ['Priority'], disable: ['Priority'] }).includes('Priority'));
});

test('createAdmissionPlugins() names an unknown plugin and the known ones', () => {
  assert.throws(() => names({ enable: ['Nope'] }), /admission plugin "Nope": expected one of NamespaceLifecycle, /);
});

test('createAdmissionPlugins() disables what is not there, but does not enable it', () => {
  assert.deepEqual(names({ disable: ['AlwaysPullImages'] }), names());
  assert.throws(() => names({ enable: ['AlwaysPullImages'] }), /admission plugin "AlwaysPullImages": expected one of/);
});
