// Discovery in both of its forms, and the mapper over it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createClient } from '../client/create-client.ts';
import type { ApiResponse, Transport } from '../transport/transport.ts';
import { discover } from './discovery.ts';
import { createRestMapper } from './rest-mapper.ts';

const resource = (name: string, kind: string, version: string, group: string, more: object = {}) => ({
  resource: name,
  responseKind: { group, version, kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list'],
  ...more,
});

const documents: Record<string, unknown> = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            resources: [
              resource('pods', 'Pod', 'v1', '', {
                shortNames: ['po'],
                categories: ['all'],
                subresources: [{ subresource: 'log', verbs: ['get'] }],
              }),
              resource('events', 'Event', 'v1', '', { shortNames: ['ev'] }),
            ],
          },
        ],
      },
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'apps' },
        versions: [
          { version: 'v1', resources: [resource('deployments', 'Deployment', 'v1', 'apps', { categories: ['all'] })] },
        ],
      },
      {
        metadata: { name: 'events.k8s.io' },
        versions: [{ version: 'v1', resources: [resource('events', 'Event', 'v1', 'events.k8s.io')] }],
      },
      {
        metadata: { name: 'autoscaling' },
        versions: [
          { version: 'v2', resources: [resource('hpas', 'HPA', 'v2', 'autoscaling', { categories: ['all'] })] },
          {
            version: 'v1',
            freshness: 'Stale',
            resources: [resource('hpas', 'HPA', 'v1', 'autoscaling', { categories: ['all'] })],
          },
        ],
      },
    ],
  },
};

const legacy: Record<string, unknown> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'apps', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
      { name: 'broken', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
    ],
  },
  '/api/v1': {
    resources: [
      { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get'] },
      { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
    ],
  },
  '/apis/apps/v1': { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true, verbs: ['get'] }] },
  '/apis/apps/v1beta1': { resources: [] },
};

function setUp(served: Record<string, unknown>) {
  const env = createVirtualEnv();
  const asked: string[] = [];
  const transport: Transport = {
    exchanges: 'object',
    send: async ({ path }) => {
      asked.push(path);
      const object = served[path];
      return object === undefined
        ? { status: 404, headers: {}, body: { kind: 'empty' } }
        : { status: 200, headers: {}, body: { kind: 'object', object } };
    },
    close: () => Promise.resolve(),
  };
  return { env, asked, client: createClient({ transport, env, userAgent: 'test' }) };
}

describe('discover()', () => {
  it('reads everything in two requests', async () => {
    const { client, asked } = setUp(documents);
    const { groups, resources, failures } = await discover(client);
    assert.deepEqual(asked, ['/api', '/apis']);
    assert.deepEqual(
      groups.map(({ group }) => group),
      ['', 'apps', 'events.k8s.io', 'autoscaling'],
    );
    assert.equal(resources.length, 6);
    assert.deepEqual(resources[0]?.subresources, [{ name: 'log', verbs: ['get'] }]);
    assert.deepEqual([...failures.keys()], ['autoscaling/v1']);
  });

  it('falls back to one request per group version, preferred first, and reports what fails', async () => {
    const { client } = setUp(legacy);
    const { groups, resources, failures } = await discover(client);
    assert.deepEqual(groups[1], { group: 'apps', versions: ['v1', 'v1beta1'] });
    assert.deepEqual(
      resources.map((found) => `${found.resource}.${found.version}`),
      ['pods.v1', 'deployments.v1'],
    );
    assert.deepEqual(resources[0]?.subresources, [{ name: 'log', verbs: ['get'] }]);
    assert.deepEqual([...failures.keys()], ['broken/v1']);
  });
});

describe('discover() and odd servers', () => {
  it('takes the nulls of Go for nothing', async () => {
    const { client } = setUp({
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': { kind: 'APIGroupList', groups: null },
      '/api/v1': {
        kind: 'APIResourceList',
        resources: [
          { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: null, shortNames: null },
        ],
      },
    });
    const { resources } = await discover(client);
    assert.deepEqual([resources[0]?.verbs, resources[0]?.shortNames], [[], []]);
    const item = { metadata: { name: 'x' }, versions: [{ version: 'v1', resources: null }] };
    const aggregated = setUp({ '/apis': { kind: 'APIGroupDiscoveryList', items: [item, null] } });
    assert.deepEqual((await discover(aggregated.client)).groups, [{ group: 'x', versions: ['v1'] }]);
  });

  it('does not take a page of somebody else for a server that serves nothing', async () => {
    for (const page of [{}, { error: 'not you' }, '<html>Please log in</html>'])
      await assert.rejects(
        discover(setUp({ '/api': page, '/apis': page }).client),
        /wanted discovery from GET \/api, got/,
      );
  });
});

describe('createRestMapper()', () => {
  it('maps names and kinds as users write them', async () => {
    const { client, env } = setUp(documents);
    const mapper = createRestMapper({ client, env });
    const named = async (name: string): Promise<string> => {
      const { resource: plural, version, group } = await mapper.resourceFor(name);
      return `${plural}.${version}.${group}`;
    };
    for (const name of ['po', 'pod', 'pods', 'Pod', 'pods.v1']) assert.equal(await named(name), 'pods.v1.');
    assert.equal(await named('events'), 'events.v1.');
    assert.equal(await named('events.events.k8s.io'), 'events.v1.events.k8s.io');
    assert.equal(await named('hpas'), 'hpas.v2.autoscaling');
    assert.equal(await named('hpas.v1.autoscaling'), 'hpas.v1.autoscaling');
    assert.equal(
      (await mapper.resourceForObject({ apiVersion: 'apps/v1', kind: 'Deployment' })).resource,
      'deployments',
    );
    assert.equal((await mapper.resourceForKind({ group: 'autoscaling', kind: 'HPA' })).version, 'v2');
    assert.deepEqual(
      (await mapper.resourcesIn('all')).map((found) => `${found.resource}.${found.version}`),
      ['pods.v1', 'deployments.v1', 'hpas.v2'],
    );
  });

  it('reads once more for a name it does not know, but not again and again', async () => {
    const { client, env, asked } = setUp(documents);
    const mapper = createRestMapper({ client, env });
    await assert.rejects(mapper.resourceFor('widgets'), /the server doesn't have a resource type "widgets"/);
    assert.equal(asked.length, 2);
    await env.clock.advance(2_999);
    await assert.rejects(mapper.resourceFor('widgets'));
    assert.equal(asked.length, 2);
    await env.clock.advance(1);
    await assert.rejects(mapper.resourceFor('widgets'));
    assert.equal(asked.length, 4);
    await assert.rejects(mapper.resourceFor('gadgets'), /gadgets/);
    assert.equal(asked.length, 6);
  });

  it('C8 finds a kind that was not served at first, as soon as it is', async () => {
    const served = { ...documents };
    const { client, env } = setUp(served);
    const mapper = createRestMapper({ client, env });
    const widget = { group: 'example.com', version: 'v1', kind: 'Widget' };
    const ask = () => mapper.resourceFor(widget);
    await assert.rejects(ask(), /no matches for kind "Widget" in version "example\.com\/v1"/);
    await env.clock.advance(3_000);
    await assert.rejects(ask(), { name: 'NoMatchError' });
    served['/apis'] = {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'example.com' },
          versions: [{ version: 'v1', resources: [resource('widgets', 'Widget', 'v1', 'example.com')] }],
        },
      ],
    };
    // Another new name is looked for at once, and what was read for it answers for all.
    assert.equal((await mapper.resourceFor('widgets')).kind, 'Widget');
    assert.equal((await ask()).resource, 'widgets');
    const found = await mapper.resourceForKind({ group: 'example.com', kind: 'Widget' });
    assert.equal(found.version, 'v1');
  });

  it('shares readings, but not one that began before the question', async () => {
    const { client, env, asked } = setUp(documents);
    const mapper = createRestMapper({ client, env });
    await Promise.all(Array.from({ length: 10 }, () => mapper.resourceFor('pods')));
    assert.equal(asked.length, 2);
    const missing = Array.from({ length: 10 }, (_, i) => assert.rejects(mapper.resourceFor(`missing${i}`)));
    await Promise.all(missing);
    assert.equal(asked.length, 4);
    const first = assert.rejects(mapper.resourceFor('early'));
    await Promise.resolve();
    await Promise.resolve();
    const late = assert.rejects(mapper.resourceFor('late'));
    await Promise.all([first, late]);
    assert.equal(asked.length, 8);
  });

  it('lets one who gives up go, and gives up itself after a minute', async () => {
    const env = createVirtualEnv();
    const transport: Transport = {
      send: ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      close: () => Promise.resolve(),
    };
    const mapper = createRestMapper({ client: createClient({ transport, env, userAgent: 'test' }), env });
    const stop = new AbortController();
    const impatient = assert.rejects(mapper.resourceFor('pods', { signal: stop.signal }), /enough/);
    const patient = assert.rejects(mapper.resourceFor('pods'), { code: 'timeout' });
    stop.abort(new Error('enough'));
    await impatient;
    await env.clock.advance(60_000);
    await patient;
  });

  it('reads again what is old, keeps it when that fails, and asks with ETags', async () => {
    const env = createVirtualEnv();
    const asked: string[] = [];
    let status = 200;
    const transport: Transport = {
      exchanges: 'object',
      send: async ({ path, headers }): Promise<ApiResponse> => {
        asked.push(`${path} ${headers['if-none-match'] ?? '-'}`);
        if (status !== 200) return { status, headers: {}, body: { kind: 'empty' } };
        if (headers['if-none-match'] === `"${path}"`) return { status: 304, headers: {}, body: { kind: 'empty' } };
        const object = documents[path];
        return { status: 200, headers: { etag: `"${path}"` }, body: { kind: 'object', object } };
      },
      close: () => Promise.resolve(),
    };
    const mapper = createRestMapper({ client: createClient({ transport, env, userAgent: 'test' }), env });
    await mapper.resourceFor('pods');
    await env.clock.advance(600_000);
    assert.equal((await mapper.resourceFor('po')).kind, 'Pod');
    assert.deepEqual(asked, ['/api -', '/apis -', '/api "/api"', '/apis "/apis"']);
    status = 503;
    await env.clock.advance(600_000);
    assert.equal((await mapper.resourceFor('po')).kind, 'Pod');
    mapper.reset();
    await assert.rejects(mapper.resourceFor('po'), { code: 503 });
    status = 200;
    assert.equal((await mapper.resourceFor('po')).kind, 'Pod');
  });

  it('says so when the group of a kind could not be read', async () => {
    const { client, env } = setUp(legacy);
    const mapper = createRestMapper({ client, env });
    const broken = mapper.resourceFor({ group: 'broken', version: 'v1', kind: 'Thing' });
    await assert.rejects(broken, /no matches for kind "Thing" in version "broken\/v1": the server could not find/);
  });
});
