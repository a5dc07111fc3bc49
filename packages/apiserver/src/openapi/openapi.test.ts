import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@homeostat/api';
import { VirtualClock } from '@homeostat/base';
import { DiscoveryIndex } from '../discovery/discovery-index.ts';
import { nodeDigests } from '../node/node-crypto.ts';
import type { ResourceTable } from '../server/server-host.ts';
import { groupVersionDocument } from './group-document.ts';
import { OpenApiCache } from './openapi-cache.ts';
import { swaggerDocument } from './swagger-document.ts';

const table = { list: () => resources, generation: 1 } as unknown as ResourceTable;
const index = new DiscoveryIndex(table);
const apps = groupVersionDocument('apps', index.find('apps')?.versions[0] ?? { version: 'v1', resources: [] });

interface Loose {
  readonly [key: string]: Loose;
}

const paths = apps.paths as unknown as Loose;
const schemas = (apps.components as unknown as Loose)['schemas'] as Loose;
function listOf(value: unknown): readonly { readonly name: string; readonly in: string }[] {
  return (value ?? []) as { name: string; in: string }[];
}

const item = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';

test('groupVersionDocument() names operations as generated clients expect', () => {
  assert.equal(paths[item]?.['patch']?.['operationId'], 'patchAppsV1NamespacedDeployment');
  assert.equal(paths[`${item}/scale`]?.['get']?.['operationId'], 'readAppsV1NamespacedDeploymentScale');
  assert.equal(
    paths['/apis/apps/v1/watch/deployments']?.['get']?.['operationId'],
    'watchAppsV1DeploymentListForAllNamespaces',
  );
});

test('groupVersionDocument() tells kubectl what patches and dry runs the server knows', () => {
  const patch = paths[item]?.['patch'];
  assert.ok('application/strategic-merge-patch+json' in (patch?.['requestBody']?.['content'] ?? {}));
  const names = listOf(patch?.['parameters']).map(({ name }) => name);
  assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation', 'force']);
});

test('groupVersionDocument() states once what all operations of a path share', () => {
  const list = paths['/apis/apps/v1/deployments'];
  assert.equal(list?.['get']?.['parameters'], undefined);
  assert.ok(listOf(list?.['parameters']).some(({ name }) => name === 'limit'));
});

test('groupVersionDocument() has merge keys, defaults and kinds in its definitions', () => {
  const spec = schemas['io.k8s.api.core.v1.PodSpec']?.['properties'];
  assert.deepEqual(spec?.['containers']?.['x-kubernetes-patch-merge-key'], 'name');
  assert.deepEqual(schemas['io.k8s.api.apps.v1.Deployment']?.['x-kubernetes-group-version-kind'], [
    { group: 'apps', kind: 'Deployment', version: 'v1' },
  ]);
  const port = schemas['io.k8s.api.core.v1.ContainerPort']?.['properties'];
  assert.deepEqual(port?.['protocol'], { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] });
});

test('groupVersionDocument() refers only to definitions it has', () => {
  const text = JSON.stringify(apps);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) assert.ok(name in schemas, name);
});

test('swaggerDocument() has bare references, body parameters and no defaults', () => {
  const swagger = swaggerDocument([apps]) as unknown as Loose;
  const definition = swagger['definitions']?.['io.k8s.api.apps.v1.Deployment'];
  assert.deepEqual(definition?.['properties']?.['spec'], { $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentSpec' });
  const patch = swagger['paths']?.[item]?.['patch'];
  assert.equal(listOf(patch?.['parameters'])[0]?.in, 'body');
  assert.equal(patch?.['consumes']?.[0], 'application/json-patch+json');
});

test('OpenApiCache keeps documents until their resources change', () => {
  const cache = new OpenApiCache({ index, digests: nodeDigests, clock: new VirtualClock() });
  assert.equal(cache.document('apis/apps/v1'), cache.document('apis/apps/v1'));
  assert.match(cache.document('api/v1')?.hash ?? '', /^[0-9A-F]{128}$/);
  for (const name of ['apis/none/v1', 'apis/apps/v9', 'api', 'constructor', 'api/v1/pods']) {
    assert.equal(cache.document(name) === undefined, name !== 'api', name);
  }
});
