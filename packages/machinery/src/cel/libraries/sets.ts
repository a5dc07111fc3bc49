// The sets extension: contains, equivalent and intersects over lists.

import { equals } from '../compare.ts';
import { type Implementation, type Overload, overloadsOf } from '../functions.ts';
import type { CelList, CelValue } from '../values.ts';

const has = (list: CelList, item: CelValue): boolean => Array.from(list).some((other) => equals(other, item));
const contains = (list: CelList, others: CelList): boolean => Array.from(others).every((item) => has(list, item));

const onLists = (test: (a: CelList, b: CelList) => boolean): Record<string, Implementation> => ({
  '(list(A), list(A)): bool': ([a, b]) => test(a as CelList, b as CelList),
});

export const sets: readonly Overload[] = [
  ...overloadsOf('sets.contains', onLists(contains)),
  ...overloadsOf(
    'sets.equivalent',
    onLists((a, b) => contains(a, b) && contains(b, a)),
  ),
  ...overloadsOf(
    'sets.intersects',
    onLists((a, b) => Array.from(a).some((item) => has(b, item))),
  ),
];
