import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { endpointSliceStrategy as strategy } from './endpoint-slice.ts';

const context = { nowMs: 0 };

function slice(more: object): EndpointSlice {
  return {
    metadata: { name: 's', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1 },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
    ...more,
  } as EndpointSlice;
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function create(more: object): readonly string[] {
  return texts(strategy.validateCreate?.(slice(more), context));
}

test('addresses are of the type of the slice', () => {
  assert.deepEqual(create({ endpoints: [{ addresses: ['10.0.0.1'] }] }), []);
  assert.deepEqual(create({ endpoints: [{ addresses: ['2001:db8::1'] }] }), [
    'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
  ]);
  assert.deepEqual(create({ endpoints: [{ addresses: [] }] }), [
    'endpoints[0].addresses: Required value: must contain at least 1 address',
  ]);
  assert.deepEqual(create({ addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] }), []);
  assert.equal(create({ addressType: 'FQDN', endpoints: [{ addresses: ['a'] }] }).length, 1);
});

test('addresses that are stored already stay valid', () => {
  const odd = slice({ endpoints: [{ addresses: ['010.0.0.1'] }] });
  assert.equal(texts(strategy.validateCreate?.(odd, context)).length, 1);
  assert.deepEqual(texts(strategy.validateUpdate?.(odd, odd, context)), []);
});

test('ports have unique names and a protocol, TCP if nothing is said', () => {
  const draft = slice({ ports: [{ port: 80 }, { name: 'dns', protocol: 'UDP' }] }) as Mutable<EndpointSlice>;
  strategy.applyDefaults?.(draft);
  assert.deepEqual(draft.ports, [
    { port: 80, name: '', protocol: 'TCP' },
    { name: 'dns', protocol: 'UDP' },
  ]);
  const twice = [
    { name: 'a', protocol: 'TCP' },
    { name: 'a', protocol: 'UDP' },
  ];
  assert.deepEqual(create({ ports: twice }), ['ports[1].name: Duplicate value: "a"']);
});

test('labels count as content: they raise the generation', () => {
  const old = slice({});
  const labelled = slice({ metadata: { ...old.metadata, labels: { a: 'b' } } }) as Mutable<EndpointSlice>;
  strategy.prepareForUpdate?.(labelled, old, context);
  assert.equal(labelled.metadata?.generation, 2);
  const annotated = slice({ metadata: { ...old.metadata, annotations: { a: 'b' } } }) as Mutable<EndpointSlice>;
  strategy.prepareForUpdate?.(annotated, old, context);
  assert.equal(annotated.metadata?.generation, 1);
});

test('topology of old is dropped, or becomes a node name', () => {
  const hostname = { 'kubernetes.io/hostname': 'node-1' };
  const created = slice({ endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: hostname }] });
  const draft = structuredClone(created) as Mutable<EndpointSlice>;
  strategy.prepareForCreate?.(draft, context);
  assert.deepEqual(draft.endpoints, [{ addresses: ['10.0.0.1'] }]);
  const moved = slice({ endpoints: [{ addresses: ['10.0.0.2'], deprecatedTopology: hostname }] });
  const changed = structuredClone(moved) as Mutable<EndpointSlice>;
  strategy.prepareForUpdate?.(changed, created, context);
  assert.deepEqual(changed.endpoints, [{ addresses: ['10.0.0.2'], nodeName: 'node-1' }]);
});
