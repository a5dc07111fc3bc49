import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@homeostat/base';
import type { RequestContext } from '../server/request-context.ts';
import { basicChecks, createHealthRoutes, type HealthCheck } from './health-routes.ts';

const failing: HealthCheck = { name: 'broken', endpoints: ['readyz'], check: () => 'reason' };

async function get(path: string, checks: readonly HealthCheck[], query = ''): Promise<string> {
  const route = createHealthRoutes(silentLogger, checks).find((each) => path.startsWith(each.path));
  const context = {
    info: { path },
    query: new URLSearchParams(query),
    signal: new AbortController().signal,
  } as unknown as RequestContext;
  const response = await route?.handle(context);
  if (response?.body.kind !== 'bytes') return `${response?.status}`;
  return `${response.status} ${Buffer.concat([...response.body.chunks]).toString()}`;
}

test('a health endpoint is ok, or tells of every check when asked', async () => {
  assert.equal(await get('/livez', basicChecks), '200 ok');
  assert.equal(await get('/livez', basicChecks, 'verbose'), '200 [+]ping ok\n[+]log ok\nlivez check passed\n');
  assert.equal(await get('/livez/ping', basicChecks), '200 ok');
  assert.equal(await get('/livez/none', basicChecks), 'undefined');
});

test('a failing check fails its endpoint and withholds the reason', async () => {
  const checks = [...basicChecks, failing];
  assert.equal(
    await get('/readyz', checks),
    '500 [+]ping ok\n[+]log ok\n[-]broken failed: reason withheld\nreadyz check failed\n',
  );
  assert.equal(await get('/livez', checks), '200 ok');
  assert.equal(await get('/readyz', checks, 'exclude=broken'), '200 ok');
});

test('excluding what is not there is told', async () => {
  assert.equal(
    await get('/readyz', basicChecks, 'verbose&exclude=x'),
    '200 [+]ping ok\n[+]log ok\nwarn: some health checks cannot be excluded: no matches for "x"\nreadyz check passed\n',
  );
});
