// Runs the operator against the cluster that kubectl talks to: npx node examples/operators/certificates/main.ts
// Its certificates are made up: put an issuer of yours in the place of this one.

import { runOperator } from '@homeostat/runtime/node';
import { certificateResource } from './api.ts';
import { certificateController, type Issuer } from './controller.ts';

const pretend: Issuer = {
  issue: ({ dnsNames, notAfterMs }) => ({
    certificate: `certificate of ${dnsNames.join(', ')} until ${new Date(notAfterMs).toISOString()}\n`,
    key: 'a key\n',
  }),
};

await runOperator({
  name: 'certificate-operator',
  environment: process.env,
  definitions: [certificateResource.definition],
  controllers: [certificateController(pretend)],
});
