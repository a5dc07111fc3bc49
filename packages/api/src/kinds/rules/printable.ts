// Values as messages show them where Go's encoder would leave out what is empty and sort the keys of maps.

import type { LabelSelectorLike } from './labels.ts';

/** A label selector without empty members. */
export function printableSelector(selector: LabelSelectorLike | undefined): unknown {
  if (selector === undefined) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels: printableMap(matchLabels) }),
    ...(matchExpressions.length === 0
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key = '', operator = '', values = [] }) => ({
            key,
            operator,
            ...(values.length === 0 ? {} : { values }),
          })),
        }),
  };
}

/** A map with its keys in order; null for none. */
export function printableMap(map: Readonly<Record<string, unknown>> | undefined): unknown {
  if (map === undefined) return null;
  const keys = Object.keys(map).toSorted();
  return Object.fromEntries(keys.map((key) => [key, map[key]]));
}
