// Definitions in the store that nobody can have written through the API.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdBytes } from '@homeostat/storage';
import { FixtureServer } from '../server/api-server-fixture.ts';
import { definition, definitionsUrl, widget, widgetsUrl } from './crd-fixture.ts';

const good = definition({ plural: 'odds', kind: 'Odd' }) as { readonly spec: object };
const status = { acceptedNames: { plural: 'odds', kind: 'Odd' } };
const broken: Readonly<Record<string, object>> = {
  'no spec': { ...good, spec: undefined },
  'no versions': { ...good, spec: { ...good.spec, versions: null } },
  'names of a wrong type': { ...good, spec: { ...good.spec, names: 5 } },
  'conditions of a wrong type': { ...good, status: { ...status, conditions: 'x' } },
  'a condition that is null': { ...good, status: { ...status, conditions: [null] } },
  'short names of a wrong type': { ...good, status: { acceptedNames: { ...status.acceptedNames, shortNames: null } } },
};

for (const [what, stored] of Object.entries(broken)) {
  test(`a server starts and serves other definitions although a stored one has ${what}`, async () => {
    const first = await FixtureServer.start();
    await first.post(definitionsUrl, definition());
    await first.halt();
    const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/odds.example.com';
    const value = holdBytes(Buffer.from(JSON.stringify(stored)));
    await first.store.txn({ compare: [], operations: [{ type: 'put', key, value }] });
    const server = await FixtureServer.start({ store: first.store });
    assert.equal((await server.post(widgetsUrl, widget('a'))).status, 201);
    await server.post(definitionsUrl, definition({ plural: 'news', kind: 'New' }));
    const made = await server.post('/apis/example.com/v1/namespaces/default/news', {
      apiVersion: 'example.com/v1',
      kind: 'New',
      metadata: { name: 'a' },
    });
    assert.equal(made.status, 201);
    await server.stop();
  });
}
