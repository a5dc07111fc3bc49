// What a custom resource costs beyond a built-in one: its schema compiled once, then pruning, defaulting and validation of
// each write.

import {
  applyDefaults,
  compileStructural,
  type Json,
  pruneUnknown,
  stringifyJson,
  validateStructural,
} from '@homeostat/machinery';
import { millis, type Row } from './table.ts';

const text = { type: 'string' };
const item = {
  type: 'object',
  required: ['name', 'image'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
    image: { type: 'string', minLength: 1 },
    replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 100, default: 1 },
    cpu: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    env: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text, value: text } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    labels: { type: 'object', additionalProperties: text },
    policy: { type: 'string', enum: ['Always', 'Never', 'IfNotPresent'], default: 'Always' },
  },
};
const openApi = {
  type: 'object',
  properties: {
    spec: { type: 'object', required: ['items'], properties: { items: { type: 'array', maxItems: 100, items: item } } },
    status: { type: 'object', properties: { observed: { type: 'string', format: 'date-time' } } },
  },
};

export function customResourceRows(): readonly Row[] {
  const started = performance.now();
  const schema = compileStructural(openApi);
  const compiled = performance.now() - started;
  const object = decoded(20);
  const kilobytes = (stringifyJson(object).length / 1024).toFixed(1);
  const write = (): number => {
    const { value } = pruneUnknown(object, schema, { root: true });
    return validateStructural(applyDefaults(value, schema), schema).errors.length;
  };
  for (let i = 0; i < 3000; i++) write();
  const times = Array.from({ length: 30 }, () => {
    const begun = performance.now();
    for (let i = 0; i < 100; i++) write();
    return ((performance.now() - begun) * 1000) / 100;
  }).sort((a, b) => a - b);
  return [
    { what: 'custom resource: schema compiled, cold', measured: millis(compiled), budget: '20 ms' },
    {
      what: `custom resource of ${kilobytes} KB: prune, default, validate`,
      measured: `${Math.round(times[15] ?? 0)} µs`,
      budget: '100 µs',
    },
  ];
}

function decoded(count: number): Json {
  const items = Array.from({ length: count }, (_unused, i) => ({
    name: `item-${i}`,
    image: `registry.example.com/app:${i}`,
    cpu: '500m',
    env: [
      { name: 'FIRST', value: `value-${i}` },
      { name: 'SECOND', value: 'value' },
    ],
    labels: { app: 'example', tier: 'front' },
  }));
  const object = {
    apiVersion: 'example.com/v1',
    kind: 'Example',
    metadata: { name: 'example' },
    spec: { items },
    status: { observed: '2026-01-02T03:04:05Z' },
  };
  return JSON.parse(JSON.stringify(object)) as Json;
}
