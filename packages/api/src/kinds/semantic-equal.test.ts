import assert from 'node:assert/strict';
import { test } from 'node:test';
import { structByName } from '../scheme/scheme.ts';
import { semanticEqual } from './semantic-equal.ts';

const podSpec = structByName('io.k8s.api.core.v1.PodSpec');

test('semanticEqual() takes nothing, null and empty collections for the same', () => {
  assert.ok(semanticEqual(undefined, null));
  assert.ok(semanticEqual({ a: [] }, {}));
  assert.ok(
    semanticEqual(
      { containers: [{ name: 'a', env: [], resources: { limits: {} } }] },
      { containers: [{ name: 'a' }] },
      podSpec,
    ),
  );
  assert.ok(!semanticEqual({ a: [1] }, {}));
  assert.ok(!semanticEqual([1, 2], [2, 1]));
});

test('semanticEqual() with a schema compares quantities by value', () => {
  const limits = (cpu: string) => ({ containers: [{ name: 'a', resources: { limits: { cpu } } }] });
  assert.ok(semanticEqual(limits('1'), limits('1000m'), podSpec));
  assert.ok(!semanticEqual(limits('1'), limits('1000m')));
  assert.ok(!semanticEqual(limits('1'), limits('1001m'), podSpec));
});

test('semanticEqual() with a schema tells pointers from values', () => {
  // securityContext is a pointer, a container's resources are a value; hostNetwork false is its zero.
  assert.ok(!semanticEqual({ containers: [], securityContext: {} }, { containers: [] }, podSpec));
  assert.ok(semanticEqual({ containers: [], hostNetwork: false }, { containers: [] }, podSpec));
  assert.ok(!semanticEqual({ containers: [], automountServiceAccountToken: false }, { containers: [] }, podSpec));
});
