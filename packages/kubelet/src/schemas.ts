// The schemas of what the kubelet writes.

import { schemaOf } from '@homeostat/api';
import { invariant } from '@homeostat/base';
import type { StructSchema } from '@homeostat/machinery';

export function schemaFor(kind: 'Pod' | 'Node'): StructSchema {
  const schema = schemaOf({ group: '', version: 'v1', kind });
  invariant(schema !== undefined, `there is no schema of ${kind}`);
  return schema;
}
