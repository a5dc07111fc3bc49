// The resources the kubelet reads and writes, as typed names, and their schemas.

import { schemaOf } from '@homeostat/api';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { invariant } from '@homeostat/base';
import { resourceType } from '@homeostat/client';
import type { StructSchema } from '@homeostat/machinery';

export const pods = resourceType<Pod>({ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true });
export const nodes = resourceType<Node>({
  group: '',
  version: 'v1',
  resource: 'nodes',
  kind: 'Node',
  namespaced: false,
});
export const leases = resourceType<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
});

export function schemaFor(kind: 'Pod' | 'Node'): StructSchema {
  const schema = schemaOf({ group: '', version: 'v1', kind });
  invariant(schema !== undefined, `there is no schema of ${kind}`);
  return schema;
}
