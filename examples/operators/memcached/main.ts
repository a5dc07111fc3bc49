// Runs the operator against the cluster that kubectl talks to: npx node examples/operators/memcached/main.ts

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
});
