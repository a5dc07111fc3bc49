// Whatever fits the types is accepted or refused in words: nothing a client sends makes the server fail. Every resource
// of the table is created, read in all forms, changed in all ways and deleted. A test's name says its seed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyPairSync } from 'node:crypto';
import { ApiError, createSeededRandom, createVirtualEnv, type Logger, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { type ResourceInfo, resources } from '@homeostat/api';
import { toApiVersion } from '@homeostat/machinery';
import { parseTokenFile } from '../authentication/static-tokens.ts';
import { nodeDigests, toSigningKey } from '../node/node-crypto.ts';
import { type Asked, FixtureServer } from '../server/api-server-fixture.ts';
import { createStandardParts } from '../standard-parts.ts';
import { RandomObjects } from './random-object.ts';

const perResource = 8;
/** To repeat a failure, put the number of its message here. */
const seed = createRealEnv().random.int(1_000_000);
const patches = ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml', 'json-patch+json'];
const bodies = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const queryParts = [
  ...['watch', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'sendInitialEvents', 'labelSelector'],
  ...[
    'fieldSelector',
    'allowWatchBookmarks',
    'timeout',
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
    'pretty',
  ],
  ...['includeObject', 'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents', 'follow', 'tailLines'],
];
const queryValues = [
  ...['', '0', '1', '-1', '5', '999999', '1e3', 'true', 'false', 'x', 'a=b', 'a in (b,c)', 'a in (', '!', '%', 'All'],
  ...['metadata.name=r', 'metadata.namespace!=x', 'spec.nodeName=', 'Exact', 'NotOlderThan', 'Strict', '2s', '\u0000'],
  ...[
    'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJ4XHUwMDAwIn0',
    'Foreground',
    'Metadata',
    '99999999999999999999',
  ],
];
const forms = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
];

/** A server with all its plugins, and the ways to ask it and to learn what it did not expect. */
async function start() {
  const defects: string[] = [];
  const log: Logger = {
    ...silentLogger,
    // Refusals are answered, not logged.
    error: (_, fields) => {
      const error = fields?.['error'];
      if (error instanceof Error && !(error instanceof ApiError)) defects.push(String(error.stack));
    },
  };
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const env = { ...createVirtualEnv(), log };
  const server = await FixtureServer.start({
    env,
    parts: (host) =>
      createStandardParts(host, {
        digests: nodeDigests,
        keys: { signingKey: () => Promise.resolve(key), verificationKeys: () => [key] },
        serverAddress: () => '127.0.0.1:6443',
        staticTokens: parseTokenFile('admin,admin,admin,system:masters\n'),
      }),
  });
  const failures = new Map<string, string>();
  const ask = async (method: string, url: string, asked: Asked = {}) => {
    let waiting = true;
    const headers = { authorization: 'Bearer admin', ...asked.headers };
    const answering = server.ask(method, url, { ...asked, headers });
    void answering.finally(() => (waiting = false));
    // Some plugins wait for things that others make: here time passes until they give up.
    while (waiting) await env.clock.advance(50);
    const answer = await answering;
    const defect = defects.pop();
    if (defect !== undefined && !failures.has(defect)) {
      failures.set(defect, `${method} ${url} ${asked.text ?? JSON.stringify(asked.body)}`);
    }
    return answer;
  };
  const finish = async (): Promise<void> => {
    await server.stop();
    assert.deepEqual(
      [...failures].map(([what, request]) => `${what}\n    ${request}`),
      [],
    );
  };
  return { ask, finish };
}

function urlOf(info: ResourceInfo): string {
  const group = info.group === '' ? '/api' : `/apis/${info.group}`;
  return `${group}/${info.version}${info.namespaced ? '/namespaces/default' : ''}/${info.resource}`;
}

function objectOf(info: ResourceInfo, name: string, random: RandomObjects): Record<string, unknown> {
  const object = random.struct(info.schema, random.pick([0.1, 0.3, 0.6]));
  const { namespace: _, ...metadata } = (object['metadata'] ?? {}) as Record<string, unknown>;
  return { ...object, kind: info.kind, apiVersion: toApiVersion(info), metadata: { ...metadata, name } };
}

test(`random objects never make the server fail (seed ${seed})`, async () => {
  const { ask, finish } = await start();
  const random = new RandomObjects(createSeededRandom(seed));
  let made = 0;
  for (const info of resources) {
    const base = urlOf(info);
    for (let index = 0; index < perResource; index++) {
      const name = `r-${index}`;
      const object = () => objectOf(info, name, random);
      if ((await ask('POST', base, { body: object() })).status === 201) made++;
      if (info.verbs.includes('get')) {
        for (const accept of forms) await ask('GET', `${base}/${name}`, { headers: { accept } });
      }
      if (info.verbs.includes('update')) await ask('PUT', `${base}/${name}`, { body: object() });
      if (info.verbs.includes('patch')) {
        for (const type of patches) {
          const headers = { 'content-type': `application/${type}` };
          await ask('PATCH', `${base}/${name}?fieldManager=m&force=true`, { body: object(), headers });
        }
      }
      for (const subresource of info.subresources) {
        if (subresource.verbs.includes('update'))
          await ask('PUT', `${base}/${name}/${subresource.name}`, { body: object() });
      }
      if (info.verbs.includes('list')) {
        for (const accept of forms) await ask('GET', base, { headers: { accept } });
      }
      if (info.verbs.includes('delete')) await ask('DELETE', `${base}/${name}`);
    }
  }
  assert.ok(made > resources.length, `only ${made} objects were accepted`);
  await finish();
});

test(`damaged bodies never make the server fail (seed ${seed})`, async () => {
  const { ask, finish } = await start();
  const source = createSeededRandom(seed);
  const random = new RandomObjects(source);
  const pieces = [
    'null',
    '[]',
    '{}',
    '""',
    '-',
    '1e999',
    '\\u',
    '\u0000',
    ',',
    ':',
    '- ',
    '\n',
    '&a',
    '*a',
    'true',
    '9'.repeat(30),
  ];
  const damaged = (text: string): string => {
    const at = source.int(text.length);
    return text.slice(0, at) + random.pick(pieces) + text.slice(at + source.int(10));
  };
  for (const info of resources) {
    const base = urlOf(info);
    for (let index = 0; index < perResource; index++) {
      const text = damaged(JSON.stringify(objectOf(info, 'r', random)));
      const body = random.pick(bodies);
      await ask('POST', base, { text, headers: { 'content-type': body } });
      if (!info.verbs.includes('patch')) continue;
      await ask('PATCH', `${base}/r?fieldManager=m`, {
        text,
        headers: { 'content-type': `application/${random.pick(patches)}` },
      });
    }
  }
  await finish();
});

test(`random requests never make the server fail (seed ${seed})`, async () => {
  const { ask, finish } = await start();
  const source = createSeededRandom(seed);
  const random = new RandomObjects(source);
  const some = <T>(values: readonly T[]): T[] => values.filter(() => source.float() < 0.25);
  for (const info of resources) {
    for (let index = 0; index < perResource; index++) {
      const parts = some(queryParts).map((part) => `${part}=${encodeURIComponent(random.pick(queryValues))}`);
      const tail = random.pick(['', '/r', '/r/status', '/r/scale', '/r/none', '/', '//x', '/%ff', '/%2e%2e']);
      const base = random.pick([urlOf(info), urlOf(info).replace('/namespaces/default', '')]);
      const accept = random.pick([...forms, '', '*/*;q=0', 'text/html, */*', 'application/json;as=Table']);
      const method = random.pick(['GET', 'GET', 'DELETE', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'BREW']);
      // A watch would last: it is asked for with an end.
      await ask(method, `${base}${tail}?${parts.join('&')}&timeoutSeconds=1`, { headers: { accept } });
    }
  }
  await finish();
});
