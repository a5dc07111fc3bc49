// The typed walk, canonical form and stated defaults, on a small schema of every shape.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldSchema, Schema, StructSchema } from '../schema/schema.ts';
import { applySchemaDefaults } from './apply-schema-defaults.ts';
import { canonicalize } from './canonicalize.ts';
import { decodeBody } from './decode-body.ts';
import { DecodeError } from './decode-error.ts';
import { decodeObject } from './decode-object.ts';

function struct(name: string, fields: readonly FieldSchema[]): StructSchema {
  return { kind: 'struct', name, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

function field(name: string, schema: Schema, more: Partial<FieldSchema> = {}): FieldSchema {
  return { name, schema, pointer: false, omit: 'empty', required: false, proto: [], ...more };
}

const text: Schema = { kind: 'scalar', type: 'string' };
const port = struct('test.v1.Port', [
  field('protocol', text, { default: 'TCP' }),
  field('number', { kind: 'scalar', type: 'int32' }, { omit: 'never', default: 0 }),
]);
const spec = struct('test.v1.Spec', [
  field('replicas', { kind: 'scalar', type: 'int32' }, { pointer: true }),
  field('ports', { kind: 'list', items: port }, { omit: 'never' }),
  field('labels', { kind: 'map', values: text }),
  field('limits', { kind: 'map', values: { kind: 'scalar', type: 'quantity' }, goType: 'test.v1.ResourceList' }),
  field('blob', { kind: 'scalar', type: 'bytes' }),
  field('max', { kind: 'scalar', type: 'intOrString' }, { pointer: true }),
  field('since', { kind: 'scalar', type: 'time' }),
  field('paused', { kind: 'scalar', type: 'bool' }),
  field('name', text, { embedded: ['Reference'] }),
  field('big', { kind: 'scalar', type: 'int64' }),
  field('ratio', { kind: 'scalar', type: 'float64' }, { pointer: true }),
  field('raw', { kind: 'scalar', type: 'rawExtension' }, { pointer: true }),
]);
const thing = struct('test.v1.Thing', [field('kind', text), field('spec', spec), field('status', port)]);

function decode(body: string): { value?: unknown; error?: string; findings: string[] } {
  const findings: string[] = [];
  try {
    const value = decodeBody(body, thing, {
      onUnknown: (path) => findings.push(`unknown ${path}`),
      onDuplicate: (path) => findings.push(`duplicate ${path}`),
    });
    return { value, findings };
  } catch (error) {
    assert.ok(error instanceof DecodeError);
    return { error: error.message, findings };
  }
}

test('decodeBody() reports unknown and repeated fields in the order of the text', () => {
  const { value, findings } = decode(
    '{"spec":{"foo":1,"replicas":1,"labels":{"a":"1","a":"2"},"replicas":2,"ports":[{"number":1,"x":{"y":1,"y":2}}]},"Spec":{}}',
  );
  assert.deepEqual(findings, [
    'unknown spec.foo',
    'duplicate spec.labels.a',
    'duplicate spec.replicas',
    'unknown spec.ports[0].x',
    'unknown Spec',
  ]);
  assert.deepEqual(value, { spec: { replicas: 2, labels: { a: '2' }, ports: [{ number: 1 }] } });
});

test('decodeBody() merges repeated maps and structs as Go does, and replaces lists', () => {
  const { value } = decode(
    '{"spec":{"labels":{"a":"1"},"ports":[{"number":1},{"number":2}]},"spec":{"labels":{"b":"2"},"ports":[{"number":3}],"paused":true}}',
  );
  assert.deepEqual(value, { spec: { labels: { a: '1', b: '2' }, ports: [{ number: 3 }], paused: true } });
});

test('decodeBody() reports at most a hundred findings, each once', () => {
  const keys = Array.from({ length: 150 }, (_, i) => `"u${i}":1,"u${i}":2`).join();
  assert.equal(decode(`{${keys}}`).findings.length, 100);
});

test('decodeBody() words wrong types as the Go decoder', () => {
  const cases: readonly (readonly [spec: string, error: string])[] = [
    ['{"replicas":"3"}', 'json: cannot unmarshal string into Go struct field Spec.spec.replicas of type int32'],
    ['{"replicas":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field Spec.spec.replicas of type int32'],
    ['{"replicas":2.0}', 'json: cannot unmarshal number 2.0 into Go struct field Spec.spec.replicas of type int32'],
    [
      '{"replicas":3000000000}',
      'json: cannot unmarshal number 3000000000 into Go struct field Spec.spec.replicas of type int32',
    ],
    ['{"labels":{"a":1}}', 'json: cannot unmarshal number into Go struct field Spec.spec.labels of type string'],
    ['{"labels":"x"}', 'json: cannot unmarshal string into Go struct field Spec.spec.labels of type map[string]string'],
    ['{"limits":[]}', 'json: cannot unmarshal array into Go struct field Spec.spec.limits of type v1.ResourceList'],
    ['{"ports":"x"}', 'json: cannot unmarshal string into Go struct field Spec.spec.ports of type []v1.Port'],
    [
      '{"ports":[{"number":"x"}]}',
      'json: cannot unmarshal string into Go struct field Port.spec.ports.number of type int32',
    ],
    ['{"name":true}', 'json: cannot unmarshal bool into Go struct field Spec.spec.Reference.name of type string'],
    ['{"blob":"***"}', 'illegal base64 data at input byte 0'],
    ['{"max":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field Spec.spec.max of type int32'],
    ['{"since":5}', 'json: cannot unmarshal number into Go struct field Spec.spec.since of type string'],
    [
      '{"since":"yesterday"}',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      '{"limits":{"cpu":"1x"}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['{"ratio":1e400}', 'json: cannot unmarshal number 1e400 into Go struct field Spec.spec.ratio of type float64'],
    [
      '{"big":9223372036854775808}',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field Spec.spec.big of type int64',
    ],
  ];
  for (const [body, error] of cases) assert.equal(decode(`{"spec":${body}}`).error, error);
  assert.equal(decode('[]').error, 'json: cannot unmarshal array into Go value of type v1.Thing');
});

test('decodeBody() goes on after a wrong type and reports the first, but ends at what a type itself refuses', () => {
  assert.match(decode('{"spec":{"paused":1,"replicas":"x"}}').error ?? '', /paused of type bool/);
  assert.match(decode('{"spec":{"paused":1,"since":"x"}}').error ?? '', /^parsing time "x"/);
});

test('decodeBody() takes null as absent, and as zero where Go holds no nil', () => {
  const { value } = decode(
    '{"spec":{"replicas":null,"ports":null,"labels":{"a":null},"since":null,"limits":{"cpu":null}},"status":null}',
  );
  assert.deepEqual(value, { spec: { labels: { a: '' }, limits: { cpu: '0' } } });
});

test('decodeBody() normalises quantities, times and numbers', () => {
  const { value } = decode(
    '{"spec":{"limits":{"cpu":0.5,"memory":" 1024Mi "},"since":"2026-01-02T05:04:05+02:00","big":9223372036854775807,"ratio":2.0}}',
  );
  assert.deepEqual(value, {
    spec: {
      limits: { cpu: '500m', memory: '1Gi' },
      since: '2026-01-02T03:04:05Z',
      big: 9223372036854775807n,
      ratio: 2,
    },
  });
});

test('decodeObject() shares nothing with a value that is not its own, and ignores undefined', () => {
  const value = { spec: { raw: { a: { b: [1] } }, labels: { x: 'y' }, paused: undefined }, status: undefined };
  const draft = decodeObject<{ spec: { raw: { a: { b: number[] } } } }>(value, thing);
  assert.deepEqual(draft, { spec: { raw: { a: { b: [1] } }, labels: { x: 'y' } } });
  draft.spec.raw.a.b.push(2);
  assert.deepEqual(value.spec.raw.a.b, [1]);
});

test('decodeObject() uses the converter’s words when asked', () => {
  const cases: readonly (readonly [spec: object, error: string])[] = [
    [{ replicas: 1.5 }, 'cannot convert float64 to int32'],
    [{ replicas: 'x' }, 'unrecognized type: int32'],
    [{ name: 5 }, 'cannot convert int64 to string'],
    [{ max: true }, 'json: cannot unmarshal bool into Go value of type int32'],
    [{ ports: 'x' }, 'cannot restore slice from string'],
    [{ labels: [] }, 'cannot restore map from slice'],
    [{ ports: ['x'] }, 'cannot restore struct from: string'],
  ];
  for (const [value, message] of cases) {
    assert.throws(() => decodeObject({ spec: value }, thing, { wording: 'converter' }), { message });
  }
  assert.deepEqual(decodeObject({ spec: { replicas: 2 } }, thing, { wording: 'converter' }), { spec: { replicas: 2 } });
});

test('canonicalize() writes fields in order, leaves out and fills in as Go does', () => {
  const draft = {
    status: { protocol: '', number: 0 },
    spec: { labels: { b: '1', a: '2' }, replicas: 0, paused: false, name: '', blob: '', max: 0, limits: {} },
  };
  assert.equal(
    JSON.stringify(canonicalize(draft, thing)),
    '{"spec":{"replicas":0,"ports":null,"labels":{"a":"2","b":"1"},"max":0,"since":null},"status":{"number":0}}',
  );
  assert.equal(JSON.stringify(canonicalize({}, thing)), '{"spec":{"ports":null,"since":null},"status":{"number":0}}');
});

test('canonicalize() turns empty lists that are always written into null when asked', () => {
  const draft = { spec: { ports: [], replicas: 1 } };
  assert.deepEqual(canonicalize(draft, thing, { emptyAsNull: true }), {
    spec: { replicas: 1, ports: null, since: null },
    status: { number: 0 },
  });
});

test('canonicalize() is idempotent', () => {
  const once = canonicalize({ spec: { ports: [], raw: {}, big: 5n } }, thing);
  assert.deepEqual(canonicalize(once, thing), once);
});

test('applySchemaDefaults() fills what is stated, in lists too, and no zero values', () => {
  const draft = { spec: { ports: [{ number: 1 }, { protocol: 'UDP' }, { protocol: '' }] }, status: {} };
  applySchemaDefaults(draft, thing);
  assert.deepEqual(draft, {
    spec: { ports: [{ number: 1, protocol: 'TCP' }, { protocol: 'UDP' }, { protocol: 'TCP' }] },
    status: { protocol: 'TCP' },
  });
});
