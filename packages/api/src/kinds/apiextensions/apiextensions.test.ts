import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { customResourceDefinitionStrategy as strategy } from './custom-resource-definition.ts';
import { hoistSpec } from './hoisted-spec.ts';

const context = { nowMs: 0 };
const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' };
const schema = { openAPIV3Schema: { type: 'object' } };
const v1 = { name: 'v1', served: true, storage: true, schema };

function definition(spec: object, more: object = {}): CustomResourceDefinition {
  const metadata = { name: 'foos.a.io', uid: 'u', resourceVersion: '1', generation: 1 };
  const base = { group: 'a.io', scope: 'Namespaced', names, versions: [v1] };
  const status = { storedVersions: ['v1'] };
  return { metadata, spec: { ...base, ...spec }, status, ...more } as unknown as CustomResourceDefinition;
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function create(spec: object): readonly string[] {
  return texts(strategy.validateCreate?.(definition(spec), context));
}

test('the kind makes the other names', () => {
  const draft = { spec: { names: { plural: 'foos', kind: 'Foo' } } } as unknown as Mutable<CustomResourceDefinition>;
  strategy.applyDefaults?.(draft);
  assert.deepEqual(draft.spec?.names, names);
  assert.deepEqual(draft.spec?.conversion, { strategy: 'None' });
});

test('a definition is named after its plural and group', () => {
  assert.deepEqual(create({}), []);
  assert.match(create({ group: 'b.io' })[0] ?? '', /must be spec\.names\.plural\+"\."\+spec\.group$/);
});

test('exactly one version is stored', () => {
  const v2 = { ...v1, name: 'v2', storage: false };
  assert.deepEqual(create({ versions: [v1, v2] }), []);
  const errors = create({ versions: [v1, { ...v2, storage: true }] });
  assert.match(errors[0] ?? '', /must have exactly one version marked as storage version$/);
  assert.match(create({ versions: [v1, { ...v1, storage: false }] })[0] ?? '', /must contain unique version names$/);
});

test('versions that ever were stored stay listed and served', () => {
  const v2 = { ...v1, name: 'v2' };
  const draft = definition({ versions: [{ ...v1, storage: false }, v2] }) as Mutable<CustomResourceDefinition>;
  strategy.prepareForUpdate?.(draft, definition({}), context);
  assert.deepEqual(draft.status?.storedVersions, ['v1', 'v2']);
  assert.equal(draft.metadata?.generation, 2);
  const without = definition({ versions: [v2] }) as Mutable<CustomResourceDefinition>;
  strategy.prepareForUpdate?.(without, definition({}), context);
  assert.deepEqual(
    strategy.validateUpdate?.(without as CustomResourceDefinition, definition({}), context).map(({ field }) => field),
    ['status.storedVersions[0]'],
  );
});

test('scope and kind are fixed once the resource is served', () => {
  const established = { status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] } };
  const other = { scope: 'Cluster' };
  const update = (more: object): readonly string[] =>
    texts(strategy.validateUpdate?.(definition(other, more), definition({}, more), context));
  assert.deepEqual(update({}), []);
  assert.deepEqual(update(established), ['spec.scope: Invalid value: "Cluster": field is immutable']);
});

test('groups of the project need an approval', () => {
  const approve = (approval: string | undefined): number => {
    const annotations = approval === undefined ? {} : { 'api-approved.kubernetes.io': approval };
    const object = definition({ group: 'a.k8s.io' }, { metadata: { name: 'foos.a.k8s.io', annotations } });
    return texts(strategy.validateCreate?.(object, context)).length;
  };
  assert.deepEqual([undefined, 'https://x/1', 'unapproved, a test', 'yes'].map(approve), [1, 0, 0, 1]);
});

test('what all versions say alike belongs to the spec', () => {
  const spec = definition({ versions: [v1, { ...v1, name: 'v2', subresources: { status: {} } }] }).spec;
  const { shared, versions } = hoistSpec(spec);
  assert.deepEqual(shared.schema, schema);
  assert.equal(shared.subresources, undefined);
  assert.deepEqual(
    versions.map((version) => [version.schema, version.subresources]),
    [
      [undefined, undefined],
      [undefined, { status: {} }],
    ],
  );
});

const openAPIV3Schema = (a: object): object => ({ openAPIV3Schema: { type: 'object', properties: { a } } });

test('errors of a schema name the version that has it, or the spec when all have', () => {
  const broken = { ...v1, schema: openAPIV3Schema({ type: 'array' }) };
  const sound = { ...v1, name: 'v2', storage: false, schema: openAPIV3Schema({ type: 'string' }) };
  assert.deepEqual(create({ versions: [broken] }), [
    'spec.validation.openAPIV3Schema.properties[a].items: Required value: must be specified',
  ]);
  assert.deepEqual(create({ versions: [broken, sound] }), [
    'spec.versions[0].schema.openAPIV3Schema.properties[a].items: Required value: must be specified',
  ]);
});

test('defaults of embedded metadata are held to the rules of metadata', () => {
  const labels = { type: 'object', default: { 'a b': 'c' }, additionalProperties: { type: 'string' } };
  const embedded = {
    type: 'object',
    properties: { metadata: { type: 'object', properties: { labels } } },
    'x-kubernetes-embedded-resource': true,
  };
  const [error = '', ...more] = create({ versions: [{ ...v1, schema: openAPIV3Schema(embedded) }] });
  assert.match(
    error,
    /properties\[labels\]\.default: .*must result in valid metadata: metadata\.labels: Invalid value: "a b"/,
  );
  assert.deepEqual(more, []);
});

test('selectable fields are specified scalars', () => {
  const schemaOfSpec = openAPIV3Schema({
    type: 'object',
    properties: { n: { type: 'integer' }, l: { type: 'object' } },
  });
  const fields = ['.a.n', '.a.l', '.a.none', '.a.n', ''].map((jsonPath) => ({ jsonPath }));
  assert.deepEqual(
    create({ versions: [{ ...v1, schema: schemaOfSpec, selectableFields: fields }] }).map((text) => text.slice(0, 72)),
    [
      'spec.selectableFields[1].jsonPath: Invalid value: ".a.l": must point to ',
      'spec.selectableFields[2].jsonPath: Invalid value: ".a.none": is an inval',
      'spec.selectableFields[3].jsonPath: Duplicate value: ".a.n"',
      'spec.selectableFields[4].jsonPath: Required value',
    ],
  );
});

test('a stored definition may keep what later rules forbid', () => {
  const set = { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' };
  const spec = { versions: [{ ...v1, schema: openAPIV3Schema(set) }] };
  assert.equal(create(spec).length, 1);
  assert.deepEqual(texts(strategy.validateUpdate?.(definition(spec), definition(spec), context)), []);
  assert.equal(strategy.validateUpdate?.(definition(spec), definition({}), context).length, 1);
});

test('formats that are not known are warned of', () => {
  const object = definition({ versions: [{ ...v1, schema: openAPIV3Schema({ type: 'string', format: 'made-up' }) }] });
  assert.deepEqual(strategy.warningsOnCreate?.(object), ['unrecognized format "made-up"']);
});
