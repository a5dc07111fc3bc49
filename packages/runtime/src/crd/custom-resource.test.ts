import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { builtin } from './builtin.ts';
import { customResource } from './custom-resource.ts';
import {
  anything,
  array,
  boolean,
  conditions,
  embeddedResource,
  integer,
  intOrString,
  labelSelector,
  map,
  number,
  object,
  oneOf,
  optional,
  quantity,
  string,
  time,
} from './schema.ts';

const memcacheds = customResource({
  group: 'cache.example.com',
  kind: 'Memcached',
  shortNames: ['mc'],
  versions: {
    v1: {
      fields: {
        spec: object(
          {
            size: integer({ minimum: 1, maximum: 10, default: 1 }),
            image: string({ pattern: '^[a-z]' }),
            mode: oneOf(['fast', 'safe'], { default: 'safe' }),
            args: optional(array(string())),
          },
          { rules: [{ rule: "self.mode != 'fast' || self.size > 1", message: 'fast needs two' }] },
        ),
        status: object({ ready: integer(), conditions: conditions() }),
      },
      columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
    },
  },
});
const { v1 } = memcacheds.versions;

test('a definition says what the server needs', () => {
  const { metadata, spec } = memcacheds.definition;
  assert.equal(metadata?.name, 'memcacheds.cache.example.com');
  assert.deepEqual(spec.names, {
    plural: 'memcacheds',
    singular: 'memcached',
    kind: 'Memcached',
    listKind: 'MemcachedList',
    shortNames: ['mc'],
  });
  const [version] = spec.versions;
  assert.equal(version?.storage, true);
  assert.deepEqual(Object.keys(version?.subresources ?? {}), ['status', 'scale']);
  const schema = version?.schema?.openAPIV3Schema;
  assert.deepEqual(schema?.required, ['spec']);
  assert.deepEqual(schema?.properties?.['spec']?.required, ['image']);
  assert.match(memcacheds.toYaml(), /^apiVersion: apiextensions\.k8s\.io\/v1\nkind: CustomResourceDefinition\n/);
});

test('objects are completed and typed', () => {
  const made = v1.create({ metadata: { name: 'a' }, spec: { image: 'memcached' } });
  // The types are the test: fields with defaults are there, status may be missing.
  const size: number = made.spec.size;
  const mode: 'fast' | 'safe' = made.spec.mode;
  const ready: number | undefined = made.status?.ready;
  assert.deepEqual([size, mode, ready], [1, 'safe', undefined]);
  assert.equal(made.apiVersion, 'cache.example.com/v1');
  assert.equal(v1.resource.resource, 'memcacheds');
});

test('the compiler refuses what the schema would', () => {
  // @ts-expect-error image is required
  v1.create({ metadata: { name: 'a' }, spec: {} });
  // @ts-expect-error no such mode
  v1.create({ metadata: { name: 'a' }, spec: { image: 'a', mode: 'odd' } });
  // @ts-expect-error a default must be a value
  oneOf(['a', 'b'], { default: 'c' });
});

test('objects are checked as the server checks them', () => {
  const object = { apiVersion: 'cache.example.com/v1', kind: 'Memcached', metadata: { name: 'a' } };
  const told = v1.validate({ ...object, spec: { size: 11, image: 'Memcached' } });
  assert.deepEqual(told.map(({ field, body }) => `${field}: ${body}`).sort(), [
    'spec.image: Invalid value: "Memcached": spec.image in body should match \'^[a-z]\'',
    'spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10',
  ]);
  assert.deepEqual(v1.unknownFields({ ...object, spec: { image: 'a', imgae: 'b' } }), ['spec.imgae']);
});

test('what the builders make is what they take', () => {
  const spec = object({
    any: anything(),
    on: boolean({ default: true }),
    conditions: conditions(),
    child: embeddedResource(),
    port: intOrString(),
    selector: labelSelector(),
    weights: map(number({ nullable: true }), { mapType: 'granular' }),
    memory: quantity(),
    names: array(string(), { listType: 'set' }),
    since: time(),
    template: builtin<PodTemplateSpec>('io.k8s.api.core.v1.PodTemplateSpec'),
  });
  const { v1: all } = customResource({ group: 'a.io', kind: 'All', versions: { v1: { fields: { spec } } } }).versions;
  const made = all.create({
    metadata: { name: 'a' },
    spec: {
      any: [1, 'two'],
      child: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
      port: 'http',
      selector: { matchLabels: { a: 'b' } },
      weights: { a: 1, b: null },
      memory: '1Gi',
      names: ['a', 'b'],
      since: '2026-01-01T00:00:00Z',
      template: { spec: { containers: [{ name: 'a', ports: [{ containerPort: 1 }] }] } } as PodTemplateSpec,
    },
  });
  assert.deepEqual(all.validate(made), []);
  assert.deepEqual(all.unknownFields(made), []);
  assert.equal(made.spec.on, true);
  assert.equal(made.spec.template.spec?.containers[0]?.ports?.[0]?.protocol, 'TCP');
  const wrong = { ...made, spec: { ...made.spec, names: ['a', 'a'], memory: 'much', since: 'soon', port: true } };
  assert.deepEqual(
    all
      .validate(wrong)
      .map(({ field }) => field)
      .sort(),
    // The wrong port is told twice, and where the object is named, upstream writes <nil>.
    ['<nil>', 'spec.memory', 'spec.names[1]', 'spec.port', 'spec.port', 'spec.since'],
  );
});

test('one version is stored', () => {
  const fields = { spec: object({}) };
  const of = (versions: Record<string, { fields: typeof fields; storage?: boolean }>): unknown =>
    customResource({ group: 'a.io', kind: 'Policy', versions }).definition.spec.versions.map(({ storage }) => storage);
  assert.deepEqual(of({ v1: { fields }, v2: { fields, storage: true } }), [false, true]);
  assert.throws(() => of({}), /needs a version/);
  const stored = { fields, storage: true };
  assert.throws(() => of({ v1: stored, v2: stored }), /not v1 and v2/);
});

test('names are plural as English has it', () => {
  const of = (kind: string): string =>
    customResource({ group: 'a.io', kind, versions: { v1: { fields: {} } } }).definition.spec.names.plural;
  assert.deepEqual(['Policy', 'Bus', 'Day', 'Batch', 'Cache'].map(of), [
    'policies',
    'buses',
    'days',
    'batches',
    'caches',
  ]);
});
