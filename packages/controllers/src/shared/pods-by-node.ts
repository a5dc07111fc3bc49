// The index of pods by the node they are assigned to; one definition, shared by all who look pods up by node.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { IndexDefinition } from '@homeostat/runtime';

export const podsByNode: IndexDefinition<Pod> = {
  name: 'node',
  valuesOf: (pod) => {
    const node = pod.spec?.nodeName ?? '';
    return node === '' ? [] : [node];
  },
};
