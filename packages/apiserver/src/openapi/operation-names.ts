// How operations are called: `listAppsV1NamespacedDeployment`, tag `apps_v1` (spec/apiserver.md §19). Generated clients take
// their method names from these.

import { isBuiltinGroup } from '../discovery/group-order.ts';

/** `Apps`, `RbacAuthorization`, `Core`; groups of CRDs keep every part. */
export function groupTitle(group: string): string {
  return group === '' ? 'Core' : words(group).map(capitalise).join('');
}

/** `apps_v1`, `rbacAuthorization_v1`; without a version `apps`. */
export function groupTag(group: string, version?: string): string {
  const [first = '', ...rest] = group === '' ? ['core'] : words(group);
  const name = first + rest.map(capitalise).join('');
  return version === undefined ? name : `${name}_${version}`;
}

export function versionTitle(version: string): string {
  return capitalise(version);
}

export function capitalise(text: string): string {
  return text === '' ? '' : text[0]?.toUpperCase() + text.slice(1);
}

function words(group: string): string[] {
  const short = isBuiltinGroup(group) ? group.replace(/\.k8s\.io$/, '') : group;
  return short.split(/[.-]/);
}
