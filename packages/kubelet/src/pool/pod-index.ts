// Pods by the node they are bound to. The name and function are those of the same index elsewhere in the process.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { IndexDefinition } from '@homeostat/runtime';

export const podsByNode: IndexDefinition<Pod> = {
  name: 'spec.nodeName',
  valuesOf: ({ spec }) => (spec?.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName]),
};
