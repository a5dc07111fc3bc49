import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlowSchema, PriorityLevelConfiguration } from '@homeostat/api/types/flowcontrol-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { flowSchemaStrategy } from './flow-schema.ts';
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory.ts';
import { priorityLevelConfigurationStrategy } from './priority-level-configuration.ts';

const context = { nowMs: 0 };

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function schema(name: string, spec: object): readonly string[] {
  const draft = { metadata: { name }, spec: { priorityLevelConfiguration: { name: 'l' }, ...spec } };
  flowSchemaStrategy.applyDefaults?.(draft as Mutable<FlowSchema>);
  return texts(flowSchemaStrategy.validateCreate?.(draft as FlowSchema, context));
}

function level(name: string, spec: object): readonly string[] {
  const draft = structuredClone({ metadata: { name }, spec }) as Mutable<PriorityLevelConfiguration>;
  priorityLevelConfigurationStrategy.applyDefaults?.(draft);
  return texts(priorityLevelConfigurationStrategy.validateCreate?.(draft as PriorityLevelConfiguration, context));
}

test('the mandatory objects are valid as they are, and only so', () => {
  for (const [name, spec] of Object.entries(mandatoryFlowSchemas)) assert.deepEqual(schema(name, spec), [], name);
  for (const [name, spec] of Object.entries(mandatoryPriorityLevels)) assert.deepEqual(level(name, spec), [], name);
  assert.match(
    schema('catch-all', { matchingPrecedence: 5 })[0] ?? '',
    /spec of 'catch-all' must equal the fixed value$/,
  );
});

test('precedence is 1000 by default, and 1 is for exempt', () => {
  assert.deepEqual(schema('s', {}), []);
  assert.match(schema('s', { matchingPrecedence: 1 })[0] ?? '', /only the schema named 'exempt'/);
  assert.match(schema('s', { matchingPrecedence: 10_001 })[0] ?? '', /must not be greater than 10000$/);
});

test('a rule has subjects of one kind each, and requests that it is about', () => {
  const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/x/*'] }];
  const rule = (subject: object, more: object = { nonResourceRules }): readonly string[] =>
    schema('s', { rules: [{ subjects: [subject], ...more }] });
  assert.deepEqual(rule({ kind: 'User', user: { name: 'u' } }), []);
  assert.deepEqual(rule({ kind: 'User', group: { name: 'g' } }), [
    "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
    "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
  ]);
  assert.match(rule({ kind: 'User', user: { name: 'u' } }, {})[0] ?? '', /at least one of resourceRules and/);
  const bad = { nonResourceRules: [{ verbs: ['get', '*'], nonResourceURLs: ['x', '/*y'] }] };
  assert.deepEqual(rule({ kind: 'User', user: { name: 'u' } }, bad), [
    `spec.rules[0].nonResourceRules[0].verbs: Invalid value: ["get","*"]: if '*' is present, must not specify other verbs`,
    'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "x": must start with slash',
    'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/*y": wildcard can only do suffix matching',
  ]);
});

test('a level has what its type needs', () => {
  assert.deepEqual(level('l', { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } }), []);
  assert.match(level('l', { type: 'Limited' })[0] ?? '', /^spec\.limited: Required value/);
  assert.match(level('l', { type: 'Exempt', exempt: {} })[0] ?? '', /must be 'Exempt' if and only if/);
  assert.match(
    level('l', { type: 'Limited', limited: { lendablePercent: 101, limitResponse: { type: 'Reject' } } })[0] ?? '',
    /must be between 0 and 100, inclusive$/,
  );
});

test('hands of shuffle sharding are not larger than the deck, and fit the hash', () => {
  const queuing = (queues: number, handSize: number): readonly string[] =>
    level('l', { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues, handSize } } } });
  assert.deepEqual(queuing(64, 8), []);
  assert.notEqual(queuing(4, 5).length, 0);
  assert.notEqual(queuing(1_000_000, 10).length, 0);
});
