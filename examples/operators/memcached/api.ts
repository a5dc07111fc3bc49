// The resource of the Memcached operator: one definition, from which the CustomResourceDefinition and the types follow.

import { customResource, type ObjectOf, schema } from '@homeostat/runtime/crd';

const { conditions, integer, object, optional, string } = schema;

const fields = {
  spec: object({
    size: integer({ minimum: 0, maximum: 10, default: 1, description: 'How many servers.' }),
    image: string({ default: 'memcached:1.6' }),
    memoryMegabytes: integer({ minimum: 16, default: 64 }),
  }),
  status: object({
    readyReplicas: optional(integer()),
    observedGeneration: optional(integer()),
    conditions: conditions(),
  }),
};

export const memcacheds = customResource({
  group: 'cache.example.com',
  kind: 'Memcached',
  shortNames: ['mc'],
  versions: {
    v1: {
      fields,
      columns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.readyReplicas' },
    },
  },
});

export type Memcached = ObjectOf<typeof fields>;
export const memcached = memcacheds.versions.v1;
