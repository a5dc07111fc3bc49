// Defaults of resource lists: amounts are kept in thousandths at the finest.

import { roundUpToMilli } from './quantities.ts';

/** Rounds up what is finer than a thousandth. */
export function defaultResourceList(list: Record<string, string> | undefined): void {
  if (list === undefined) return;
  for (const [name, quantity] of Object.entries(list)) list[name] = roundUpToMilli(quantity);
}

interface Requirements {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
}

export function defaultResources(resources: Requirements | undefined): void {
  defaultResourceList(resources?.limits);
  defaultResourceList(resources?.requests);
}
