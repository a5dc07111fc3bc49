// LimitRanges: defaults and bounds for what one Pod, container or claim asks for.

import type { Mutable } from '@homeostat/machinery';
import type { LimitRange, LimitRangeItem } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { defaultResourceList } from '../../rules/resource-lists.ts';
import { validateLimitRange } from './validation.ts';

export const limitRangeStrategy: KindStrategy<LimitRange> = {
  allowCreateOnUpdate: true,
  applyDefaults(draft) {
    for (const item of draft.spec?.limits ?? []) {
      if (item.type === 'Container') fillContainerDefaults(item);
      for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) {
        defaultResourceList(list);
      }
    }
  },
  validateCreate: validateLimitRange,
  validateUpdate: validateLimitRange,
};

/** The default limit is the maximum, the default request the default limit, or else the minimum. */
function fillContainerDefaults(item: Mutable<LimitRangeItem>): void {
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
}
