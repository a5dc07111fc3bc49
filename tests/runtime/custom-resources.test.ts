// What the schema builders make, and Kubernetes' own types in it, against the server's rules for CustomResourceDefinitions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinitions } from '@homeostat/client/resources';
import { builtin, customResource, schema as s, type SchemaNode } from '@homeostat/runtime/crd';
import { createTestCluster } from '@homeostat/testing';

const key = s.object({ name: s.string(), value: s.string({ default: 'x' }) });
const builders = {
  nullable: s.string({ nullable: true, default: null as never }),
  choice: s.oneOf(['x', 'y'], { default: 'x' }),
  amount: s.quantity({ default: '1Gi' }),
  port: s.intOrString({ default: 80 }),
  int32: s.integer({ format: 'int32', default: 5 }),
  half: s.number({ minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 }),
  keyed: s.array(key, { listType: 'map', mapKeys: ['name', 'value'] }),
  set: s.array(s.string(), { listType: 'set', default: [] }),
  objects: s.array(s.object({ a: s.string() }, { mapType: 'atomic' }), { listType: 'set' }),
  maps: s.map(s.map(s.array(s.time())), { mapType: 'atomic' }),
  whole: s.embeddedResource({ nullable: true }),
  free: s.anything({ default: { x: [1] } }),
  open: s.object({}, { preserveUnknown: true }),
  selector: s.labelSelector({ default: {} }),
  'odd name': s.optional(s.boolean({ title: 't', description: 'd', example: true })),
};

const types = [
  'apps.v1.DeploymentSpec',
  'apps.v1.StatefulSetSpec',
  'autoscaling.v2.HorizontalPodAutoscalerSpec',
  'batch.v1.JobTemplateSpec',
  'core.v1.Affinity',
  'core.v1.ConfigMap',
  'core.v1.PersistentVolumeClaim',
  'core.v1.PodTemplateSpec',
  'core.v1.Secret',
  'core.v1.SecurityContext',
  'core.v1.ServiceSpec',
  'networking.v1.IngressSpec',
  'policy.v1.PodDisruptionBudgetSpec',
  'rbac.v1.PolicyRule',
];

test('the server takes every definition the builders make, with types of Kubernetes in it', async () => {
  await using cluster = await createTestCluster({ seed: 1 });
  const install = async (name: string, spec: SchemaNode): Promise<void> => {
    const { definition } = customResource({
      group: `${name.toLowerCase()}.example.com`,
      kind: 'Thing',
      versions: { v1: { fields: { spec, status: s.object({ conditions: s.conditions() }) } } },
    });
    const created = cluster.admin.create(customResourceDefinitions, { object: definition, fieldValidation: 'Strict' });
    await cluster.run(created).catch((error: Error) => assert.fail(`${name}: ${error.message.slice(0, 500)}`));
  };
  await install('builders', s.object(builders));
  for (const name of types) await install(name, s.object({ part: builtin(`io.k8s.api.${name}`) }));
});

test('what no server takes cannot be built', () => {
  assert.throws(() => s.array(key, { listType: 'map' }), /has mapKeys when its listType is map/);
  assert.throws(() => s.array(key, { mapKeys: ['name'] }), /has mapKeys when its listType is map/);
  const fields = { metadata: s.object({}) };
  assert.throws(
    () => customResource({ group: 'a.io', kind: 'A', versions: { v1: { fields } } }),
    /every object has metadata/,
  );
});
