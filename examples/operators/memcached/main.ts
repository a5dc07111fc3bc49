// Runs the operator against the cluster that kubectl talks to: npx node examples/operators/memcached/main.ts
// With --plan it prints what it would do, and does nothing.

import { runOperator } from '@homeostat/runtime/node';
import { memcacheds } from './api.ts';
import { memcachedController } from './controller.ts';

await runOperator({
  name: 'memcached-operator',
  environment: process.env,
  definitions: [memcacheds.definition],
  controllers: ({ events }) => [memcachedController(events)],
  election: { namespace: 'default' },
  port: 0,
  mode: process.argv.includes('--plan') ? 'plan' : 'run',
});
