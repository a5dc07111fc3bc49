// Runs the operator against the cluster that kubectl talks to: npx node examples/operators/memcached/main.ts
// With --plan it prints what it would do, and does nothing. In a Pod: --port 8080 --host 0.0.0.0 (docs/guides/running-in-a-cluster.md).

import { parseArgs } from 'node:util';
import { runOperator } from '@homeostat/runtime/node';
import { memcacheds } from './api.ts';
import { memcachedController } from './controller.ts';

const { values } = parseArgs({
  options: { plan: { type: 'boolean' }, port: { type: 'string', default: '0' }, host: { type: 'string' } },
});

await runOperator({
  name: 'memcached-operator',
  environment: process.env,
  definitions: [memcacheds.definition],
  controllers: ({ events }) => [memcachedController(events)],
  election: true,
  port: Number(values.port),
  ...(values.host === undefined ? {} : { host: values.host }),
  mode: values.plan === true ? 'plan' : 'run',
});
