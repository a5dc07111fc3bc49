// A made-up kind for unit tests, with every shape that patches and ownership care about. Real kinds are tested in
// tests/machinery.

import type { FieldSchema, ListSchema, ScalarType, Schema, StructSchema } from '../src/schema/schema.ts';

type FieldOptions = Partial<Omit<FieldSchema, 'name' | 'schema'>>;

export const scalar = (type: ScalarType): Schema => ({ kind: 'scalar', type });
export const list = (items: Schema, listType?: ListSchema['listType'], ...mapKeys: string[]): Schema => ({
  kind: 'list',
  items,
  ...(listType === undefined ? {} : { listType }),
  ...(mapKeys.length === 0 ? {} : { mapKeys }),
});
export const map = (values: Schema): Schema => ({ kind: 'map', values });

export function field(name: string, schema: Schema, options: FieldOptions = {}): FieldSchema {
  return { name, schema, pointer: false, omit: 'empty', required: false, proto: [], ...options };
}

export function struct(name: string, fields: readonly FieldSchema[], more: Partial<StructSchema> = {}): StructSchema {
  return { kind: 'struct', name, fields, byName: new Map(fields.map((one) => [one.name, one])), ...more };
}

const string = scalar('string');
const merge = ['merge'] as const;

const variable = struct('Variable', [field('name', string, { omit: 'never', default: '' }), field('value', string)]);

const port = struct('Port', [
  field('name', string),
  field('port', scalar('int32'), { omit: 'never', default: 0 }),
  field('protocol', string, { default: 'TCP' }),
  field('target', scalar('intOrString'), { pointer: true }),
]);

const limits = struct('Limits', [field('requests', map(scalar('quantity')))]);

const part = struct('Part', [
  field('name', string, { omit: 'never', default: '' }),
  field('image', string),
  field('args', list(string, 'atomic')),
  field('env', list(variable, 'map', 'name'), { patchStrategy: merge, patchMergeKey: 'name' }),
  field('limits', limits),
]);

const rolling = struct('Rolling', [field('surge', scalar('intOrString'), { pointer: true })]);
const strategy = struct('Strategy', [field('type', string), field('rolling', rolling, { pointer: true })]);
const selector = struct('Selector', [field('matchLabels', map(string))], { mapType: 'atomic' });

const spec = struct('GadgetSpec', [
  field('replicas', scalar('int32'), { pointer: true }),
  field('paused', scalar('bool')),
  field('selector', selector, { pointer: true }),
  field('strategy', strategy, { patchStrategy: ['retainKeys'] }),
  field('ports', list(port, 'map', 'port', 'protocol'), { patchStrategy: merge, patchMergeKey: 'port' }),
  field('parts', list(part, 'map', 'name'), { omit: 'never', patchStrategy: merge, patchMergeKey: 'name' }),
  field('tolerations', list(struct('Toleration', [field('key', string)]), 'atomic')),
  field('tags', list(string, 'set'), { patchStrategy: merge }),
  field('nodeSelector', map(string)),
  field('extra', scalar('json'), { pointer: true }),
]);

const condition = struct('Condition', [
  field('type', string, { omit: 'never' }),
  field('status', string, { omit: 'never' }),
]);
const status = struct('GadgetStatus', [
  field('phase', string),
  field('conditions', list(condition, 'map', 'type'), { patchStrategy: merge, patchMergeKey: 'type' }),
]);

const owner = struct('OwnerReference', [field('uid', string, { omit: 'never' }), field('name', string)], {
  mapType: 'atomic',
});
const metadata = struct('ObjectMeta', [
  field('name', string),
  field('namespace', string),
  field('uid', string),
  field('resourceVersion', string),
  field('generation', scalar('int64')),
  field('creationTimestamp', scalar('time'), { omit: 'zero' }),
  field('labels', map(string)),
  field('annotations', map(string)),
  field('finalizers', list(string, 'set'), { patchStrategy: merge }),
  field('ownerReferences', list(owner, 'map', 'uid'), { patchStrategy: merge, patchMergeKey: 'uid' }),
  field('managedFields', list(scalar('json'), 'atomic')),
]);

/** `example.com/v1 Gadget`. */
export const gadget: StructSchema = struct('com.example.v1.Gadget', [
  field('apiVersion', string),
  field('kind', string),
  field('metadata', metadata),
  field('spec', spec),
  field('status', status),
]);

/** `example.com/v2 Gadget`: the same with `spec.size` for `spec.replicas`. */
export const gadgetV2: StructSchema = struct('com.example.v2.Gadget', [
  ...gadget.fields.filter(({ name }) => name !== 'spec'),
  field('spec', struct('GadgetSpecV2', [field('size', scalar('int32'), { pointer: true }), field('mode', string)])),
]);
