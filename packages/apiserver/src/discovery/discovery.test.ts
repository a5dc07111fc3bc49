import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@homeostat/api';
import type { ResourceTable } from '../server/server-host.ts';
import { aggregatedDocument } from './aggregated-document.ts';
import { DiscoveryIndex } from './discovery-index.ts';
import { aggregatedMedia } from './discovery-media.ts';
import { compareKubeVersions, servicePriority } from './group-order.ts';
import { apiResourceListDocument } from './legacy-documents.ts';

const index = new DiscoveryIndex({ list: () => resources, generation: 1 } as unknown as ResourceTable);
const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

test('DiscoveryIndex orders groups and versions as upstream', () => {
  const names = index.groups().map(({ group }) => group);
  assert.deepEqual(names.slice(0, 4), ['', 'apiregistration.k8s.io', 'apps', 'events.k8s.io']);
  assert.deepEqual(
    index.find('autoscaling')?.versions.map(({ version }) => version),
    ['v2', 'v1'],
  );
  assert.deepEqual(servicePriority('example.com', 'v1'), { groupPriorityMinimum: 1000, versionPriority: 100 });
});

test('compareKubeVersions() puts stable before beta before alpha, the newer first', () => {
  const versions = ['v1alpha1', 'foo', 'v1', 'v2beta1', 'v10', 'v2', 'v1beta2', 'v1beta1'];
  assert.deepEqual(versions.sort(compareKubeVersions), [
    'v10',
    'v2',
    'v1',
    'v2beta1',
    'v1beta2',
    'v1beta1',
    'v1alpha1',
    'foo',
  ]);
});

test('apiResourceListDocument() states group and version only of foreign kinds', () => {
  const [version] = index.find('')?.versions ?? [];
  assert.ok(version);
  const list = apiResourceListDocument('', version) as unknown as { resources: Record<string, unknown>[] };
  assert.ok(!('apiVersion' in list));
  const find = (name: string) => list.resources.find((each) => each['name'] === name);
  assert.equal(find('pods/eviction')?.['group'], 'policy');
  assert.equal(find('pods/binding')?.['group'], undefined);
  assert.deepEqual(find('pods')?.['shortNames'], ['po']);
});

test('aggregatedDocument() nests subresources', () => {
  const document = aggregatedDocument(index.groups()) as unknown as {
    items: { versions: { resources: { resource: string; subresources?: { subresource: string }[] }[] }[] }[];
  };
  const pods = document.items[0]?.versions[0]?.resources.find(({ resource }) => resource === 'pods');
  assert.ok(pods?.subresources?.some(({ subresource }) => subresource === 'log'));
});

test('aggregatedMedia() takes the first clause that can be served', () => {
  assert.equal(aggregatedMedia(v2), 'application/json');
  assert.equal(aggregatedMedia(`${v2},application/json`), 'application/json');
  assert.equal(aggregatedMedia(`application/json,${v2}`), undefined);
  assert.equal(aggregatedMedia(v2.replace('v=v2', 'v=v2beta1')), undefined);
  assert.equal(aggregatedMedia(`${v2};profile=nopeer`), 'application/json');
});
