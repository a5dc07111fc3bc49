// A Certificate asks for a key pair in a Secret, renewed in time.

import { customResource, type ObjectOf, schema } from '@homeostat/runtime/crd';

const { array, conditions, integer, object, optional, string, time } = schema;

const fields = {
  spec: object(
    {
      secretName: string({ minLength: 1 }),
      dnsNames: array(string({ minLength: 1 }), { minItems: 1, maxItems: 100, listType: 'set' }),
      durationSeconds: integer({ minimum: 60, default: 7_776_000 }),
      renewBeforeSeconds: integer({ minimum: 1, default: 2_592_000 }),
    },
    {
      rules: [{ rule: 'self.renewBeforeSeconds < self.durationSeconds', message: 'must be renewed while it is valid' }],
    },
  ),
  status: object({
    notAfter: optional(time()),
    renewalTime: optional(time()),
    revision: optional(integer()),
    conditions: conditions(),
  }),
};

export const certificateResource = customResource({
  group: 'certs.example.com',
  kind: 'Certificate',
  shortNames: ['cert'],
  versions: {
    v1: {
      fields,
      columns: [
        { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' },
        { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
        { name: 'Renewal', type: 'date', jsonPath: '.status.renewalTime', priority: 1 },
      ],
    },
  },
});

export type Certificate = ObjectOf<typeof fields>;
export const certificates = certificateResource.versions.v1;
