// ComponentStatuses are not stored: the API server makes them up when asked. Deprecated since 1.19.

import type { ComponentStatus } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';

export const componentStatusStrategy: KindStrategy<ComponentStatus> = {};
