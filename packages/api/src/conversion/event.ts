// Event in its two groups: core/v1, which is stored, and events.k8s.io/v1, which renamed what it kept and prefixed
// with `deprecated` what it did not.

import type { KubeObject } from '@homeostat/machinery';

const NAMES_IN_CORE: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};

const NAMES_FROM_CORE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES_IN_CORE).map(([name, core]) => [core, name]),
);

/** events.k8s.io/v1 to core/v1. */
export function eventToCore(event: KubeObject): KubeObject {
  return renameFields(event, NAMES_IN_CORE);
}

/** core/v1 to events.k8s.io/v1. */
export function eventFromCore(event: KubeObject): KubeObject {
  return renameFields(event, NAMES_FROM_CORE);
}

function renameFields(object: KubeObject, names: Readonly<Record<string, string>>): KubeObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value]));
}
