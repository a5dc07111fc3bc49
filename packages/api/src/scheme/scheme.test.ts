// Look-ups over the generated facts: resources, kinds, types.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, Schema, StructSchema } from '@homeostat/machinery';
import type { Deployment } from '../generated/types/apps-v1.ts';
import type { Pod, PodSpec } from '../generated/types/core-v1.ts';
import { findKind, findResource, kindsOf, knownApiVersions, resources, schemaOf, structByName } from './scheme.ts';

test('resources lists what discovery lists, core first, then groups by priority', () => {
  assert.equal(resources.length, 68);
  assert.equal(resources[0]?.resource, 'bindings');
  const groups = [...new Set(resources.map((info) => info.group))];
  assert.deepEqual(groups.slice(0, 4), ['', 'apiregistration.k8s.io', 'apps', 'events.k8s.io']);
});

test('findResource() and findKind() give the same served resource with its storage facts', () => {
  const services = findResource('', 'v1', 'services');
  assert.equal(services, findKind({ group: '', version: 'v1', kind: 'Service' }));
  assert.equal(services?.storage.prefix, 'services/specs');
  assert.equal(services?.storage.format, 'protobuf');
  const events = findResource('events.k8s.io', 'v1', 'events');
  assert.deepEqual(events?.storage, { group: '', version: 'v1', kind: 'Event', prefix: 'events', format: 'protobuf' });
  assert.equal(findResource('apps', 'v1', 'pods'), undefined);
});

test('storageVersionHash is what the real server announces', () => {
  assert.equal(findResource('', 'v1', 'pods')?.storageVersionHash, 'xPOwRZ+Yhw8=');
  assert.equal(findResource('autoscaling', 'v1', 'horizontalpodautoscalers')?.storageVersionHash, 'qwQve8ut294=');
  assert.equal(
    findResource('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')?.storageVersionHash,
    'jfWCUB31mvA=',
  );
  assert.equal(findResource('', 'v1', 'bindings')?.storageVersionHash, undefined);
});

test('subresources carry the kind they speak', () => {
  const deployments = findResource('apps', 'v1', 'deployments');
  const scale = deployments?.subresources.find((sub) => sub.name === 'scale');
  assert.deepEqual(scale?.kind, { group: 'autoscaling', version: 'v1', kind: 'Scale' });
  const status = deployments?.subresources.find((sub) => sub.name === 'status');
  assert.deepEqual(status?.kind, { group: 'apps', version: 'v1', kind: 'Deployment' });
});

test('schemaOf() knows served kinds, lists, options and meta kinds', () => {
  for (const [group, version, kind] of [
    ['', 'v1', 'Pod'],
    ['', 'v1', 'PodList'],
    ['apps', 'v1', 'DeleteOptions'],
    ['', 'v1', 'Status'],
    ['', 'v1', 'PodLogOptions'],
    ['meta.k8s.io', 'v1', 'Table'],
    ['meta.k8s.io', 'v1', 'PartialObjectMetadataList'],
    ['apidiscovery.k8s.io', 'v2', 'APIGroupDiscoveryList'],
    ['policy', 'v1', 'Eviction'],
    ['authentication.k8s.io', 'v1', 'TokenRequest'],
    ['autoscaling', 'v1', 'Scale'],
  ] as const) {
    assert.ok(schemaOf({ group, version, kind }), kind);
  }
  assert.equal(schemaOf({ group: '', version: 'v1', kind: 'Nope' }), undefined);
  assert.ok(kindsOf({ group: 'apps', version: 'v1' }).includes('DeploymentList'));
});

test('structByName() states Go order, protobuf paths, patch keys, list types and defaults', () => {
  const volume = structByName('io.k8s.api.core.v1.Volume');
  assert.deepEqual(volume?.byName.get('configMap')?.proto, [2, 19]);
  const spec = structByName('io.k8s.api.core.v1.PodSpec');
  assert.deepEqual(
    spec?.fields.slice(0, 3).map((field) => field.name),
    ['volumes', 'initContainers', 'containers'],
  );
  const containers = spec?.byName.get('containers');
  assert.equal(containers?.patchMergeKey, 'name');
  assert.ok(containers?.schema.kind === 'list' && containers.schema.listType === 'map');
  assert.deepEqual(containers.schema.mapKeys, ['name']);
  assert.equal(structByName('io.k8s.api.core.v1.ServicePort')?.byName.get('protocol')?.default, 'TCP');
  const extra = structByName('io.k8s.api.authentication.v1.UserInfo')?.byName.get('extra')?.schema;
  assert.ok(extra?.kind === 'map' && extra.values.kind === 'list' && extra.values.protoMessage === true);
});

test('structByName() returns one object per type, also for types that contain themselves', () => {
  const props = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
  const not = props?.byName.get('not')?.schema;
  assert.equal(not, props);
  const items = props?.byName.get('items')?.schema;
  assert.ok(items?.kind === 'scalar' && items.type === 'jsonSchemaPropsOrArray' && items.props === props);
});

test('every type of every kind can be built', () => {
  const seen = new Set<Schema>();
  const visit = (schema: Schema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.kind === 'list') visit(schema.items);
    else if (schema.kind === 'map') visit(schema.values);
    else if (schema.kind === 'struct') for (const field of schema.fields) visit(field.schema);
  };
  for (const apiVersion of knownApiVersions()) {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    for (const kind of kindsOf({ group, version })) visit(schemaOf({ group, version, kind }) as StructSchema);
  }
  assert.ok([...seen].filter((schema) => schema.kind === 'struct').length > 580);
});

test('generated kinds are KubeObjects', () => {
  const spec: PodSpec = { containers: [{ name: 'a', image: 'b' }], restartPolicy: 'Always' };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
  const deployment: Deployment = { spec: { selector: {}, template: { spec } } };
  const objects: readonly KubeObject[] = [pod, deployment];
  assert.equal(objects.length, 2);
});
