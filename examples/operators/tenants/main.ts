// Runs the operator against the cluster that kubectl talks to: npx node examples/operators/tenants/main.ts

import { runOperator } from '@homeostat/runtime/node';
import { tenantResource } from './api.ts';
import { tenantController } from './controller.ts';

await runOperator({
  name: 'tenant-operator',
  environment: process.env,
  definitions: [tenantResource.definition],
  controllers: [tenantController],
});
