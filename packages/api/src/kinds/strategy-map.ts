// The strategies of one API group, by kind.

import type { KindStrategy } from '../strategy.ts';

export type StrategyMap = Readonly<Record<string, KindStrategy>>;
