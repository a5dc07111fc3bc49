// A Tenant owns namespaces with quota and access; it is cluster-scoped.

import { customResource, type ObjectOf, schema } from '@homeostat/runtime/crd';

const { array, integer, object, optional, quantity, string } = schema;

const fields = {
  spec: object({
    stages: array(string({ pattern: '^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$' }), {
      minItems: 1,
      maxItems: 10,
      listType: 'set',
    }),
    admins: array(string(), { maxItems: 50, listType: 'set', default: [] }),
    memory: quantity({ default: '1Gi' }),
    /** A ConfigMap `<namespace>/<name>` whose data every namespace of the tenant gets. */
    settingsFrom: optional(string()),
  }),
  status: object({ namespaces: optional(integer()) }),
};

export const tenantResource = customResource({
  group: 'platform.example.com',
  kind: 'Tenant',
  scope: 'Cluster',
  versions: {
    v1: {
      fields,
      columns: [
        { name: 'Namespaces', type: 'integer', jsonPath: '.status.namespaces' },
        { name: 'Memory', type: 'string', jsonPath: '.spec.memory' },
      ],
    },
  },
});

export type Tenant = ObjectOf<typeof fields>;
export const tenants = tenantResource.versions.v1;
