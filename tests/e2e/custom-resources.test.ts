// Custom resources with the real kubectl: a definition and at once its objects, columns, explain, patch, scale, and what goes
// with their owner, their namespace and their definition.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningCluster, startUp } from './running-cluster.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['things'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            description: 'A widget.',
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 0, default: 1, description: 'How many of them.' },
                  color: { type: 'string', enum: ['red', 'blue'] },
                },
              },
              status: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  conditions: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { type: { type: 'string' }, status: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color' },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
      },
    ],
  },
};

let cluster: RunningCluster;
let directory: string;

before(async () => {
  cluster = await startUp(['--storage', 'memory', '--nodes', '1']);
  directory = `${cluster.dataDir}-manifests`;
  mkdirSync(directory, { recursive: true });
});
after(() => cluster.close());

async function apply(name: string, object: object): Promise<string> {
  const file = path.join(directory, name);
  writeFileSync(file, JSON.stringify(object));
  return cluster.kubectlOk('apply', '-f', file);
}

const widget = (name: string, spec: object, rest: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...rest },
  spec,
});

test('a definition is applied, and its objects right after it', async () => {
  assert.match(await apply('definition.json', definition), /widgets\.example\.com created/);
  assert.match(await apply('a.json', widget('a', { color: 'red' })), /widget\.example\.com\/a created/);
  assert.match(await apply('a.json', widget('a', { color: 'red' })), /unchanged/);
  assert.match(await apply('b.json', widget('b', { size: 2, color: 'blue' })), /created/);
  await cluster.kubectlOk('wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=10s');
});

test('kubectl get shows the columns, by any name, and selects by fields', async () => {
  const table = await cluster.kubectlOk('get', 'wd');
  assert.match(table, /^NAME\s+SIZE\s+COLOR\na\s+1\s+red\nb\s+2\s+blue\n$/);
  assert.match(await cluster.kubectlOk('get', 'things'), /b\s+2\s+blue/);
  const selected = await cluster.kubectlOk('get', 'widgets', '--field-selector', 'spec.color=blue', '-o', 'name');
  assert.equal(selected, 'widget.example.com/b\n');
});

test('kubectl explain and api-resources know them', async () => {
  const explained = await cluster.kubectlOk('explain', 'widget.spec');
  assert.match(explained, /size\s+<integer>/);
  assert.match(explained, /How many of them\./);
  assert.match(await cluster.kubectlOk('api-resources'), /widgets\s+wd\s+example\.com\/v1\s+true\s+Widget/);
});

test('kubectl patches, scales, and is told what is wrong', async () => {
  await cluster.kubectlOk('patch', 'widget', 'a', '--type=merge', '-p', '{"spec":{"color":"blue"}}');
  await cluster.kubectlOk('scale', 'widget/a', '--replicas=3');
  const status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
  await cluster.kubectlOk('patch', 'widget', 'a', '--type=merge', '--subresource=status', '-p', status);
  await cluster.kubectlOk('wait', '--for=condition=Ready', 'widget/a', '--timeout=10s');
  assert.equal(
    await cluster.kubectlOk('get', 'widget', 'a', '-o', 'jsonpath={.spec.size} {.metadata.generation}'),
    '3 3',
  );
  const wrong = await cluster.kubectl('patch', 'widget', 'a', '--type=merge', '-p', '{"spec":{"color":"green"}}');
  assert.match(wrong.stderr, /spec\.color: Unsupported value: "green": supported values: "red", "blue"/);
});

test('what a widget owns goes with it, and widgets go with their namespace', async () => {
  const uid = await cluster.kubectlOk('get', 'widget', 'b', '-o', 'jsonpath={.metadata.uid}');
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'b', uid }];
  const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'of-b', ownerReferences } };
  await apply('of-b.json', owned);
  await cluster.kubectlOk('delete', 'widget', 'b');
  await cluster.kubectlOk('wait', '--for=delete', 'configmap/of-b', '--timeout=30s');
  await cluster.kubectlOk('create', 'namespace', 'shop');
  await apply('c.json', widget('c', {}, { namespace: 'shop' }));
  await cluster.kubectlOk('delete', 'namespace', 'shop', '--timeout=30s');
  const left = await cluster.kubectlOk('get', 'widgets', '-A', '-o', 'name');
  assert.equal(left, 'widget.example.com/a\n');
});

test('a quota counts them', async () => {
  await cluster.kubectlOk('create', 'quota', 'few', '--hard=count/widgets.example.com=1');
  const quota = 'jsonpath={.status.used.count/widgets\\.example\\.com}';
  await cluster.kubectlOk('wait', `--for=${quota}=1`, 'quota/few', '--timeout=30s');
  const file = path.join(directory, 'd.json');
  writeFileSync(file, JSON.stringify(widget('d', {})));
  const refused = await cluster.kubectl('create', '-f', file);
  assert.match(refused.stderr, /exceeded quota: few, requested: count\/widgets\.example\.com=1/);
});

test('with the definition everything goes', async () => {
  await cluster.kubectlOk('delete', 'crd', 'widgets.example.com', '--timeout=30s');
  // Whether kubectl still remembers the type is its own affair.
  const gone = await cluster.kubectl('get', 'widgets');
  assert.match(gone.stderr, /doesn't have a resource type "widgets"|could not find the requested resource/);
});
