// Says what a Tenant should have; the runtime makes it so: namespaces, and in each a quota, a role binding, and a copy of a ConfigMap that
// lives elsewhere. Children are made, changed and deleted as the Tenant changes.

import type { ConfigMap, ResourceQuota } from '@homeostat/api/types/core-v1';
import type { RoleBinding } from '@homeostat/api/types/rbac-v1';
import { configMaps, namespaces, resourceQuotas, roleBindings } from '@homeostat/client/resources';
import { keyOf } from '@homeostat/client';
import { defineChildren, type DesiredChild, desired, type ObservedFamily } from '@homeostat/runtime';
import { type Tenant, tenants } from './api.ts';

const usesSettings = {
  name: 'settings-from',
  valuesOf: ({ spec }: Tenant) => (spec.settingsFrom === undefined ? [] : [spec.settingsFrom]),
};

export const tenantController = defineChildren<Tenant>({
  name: 'tenants',
  for: { resource: tenants.resource, indexes: [usesSettings] },
  kinds: [
    { resource: namespaces },
    { resource: resourceQuotas },
    { resource: roleBindings },
    // The ConfigMap that is copied wakes the tenants that use it, wherever it is.
    {
      resource: configMaps,
      wakes: ({ object }, caches) =>
        caches.lister(tenants.resource).byIndex(usesSettings.name, keyOf(object)).map(keyOf),
    },
  ],
  children: (family) => family.parent.spec.stages.flatMap((stage) => namespaceOf(family, stage)),
  status: ({ children }) => ({ namespaces: children(namespaces).length }),
});

function namespaceOf(family: ObservedFamily<Tenant>, stage: string): readonly DesiredChild[] {
  const { parent } = family;
  const tenant = parent.metadata?.name ?? '';
  const namespace = `${tenant}-${stage}`;
  const metadata = { namespace, name: 'tenant' };
  const quota: ResourceQuota = { metadata, spec: { hard: { 'requests.memory': String(parent.spec.memory) } } };
  const admins: RoleBinding = {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: parent.spec.admins.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  };
  const settings = settingsOf(family);
  const copy: ConfigMap = { metadata: { namespace, name: 'settings' }, data: settings?.data ?? {} };
  return [
    desired(namespaces, { metadata: { name: namespace, labels: { tenant, stage } } }),
    desired(resourceQuotas, quota),
    desired(roleBindings, admins),
    ...(settings === undefined ? [] : [desired(configMaps, copy)]),
  ];
}

function settingsOf({ parent, caches }: ObservedFamily<Tenant>): ConfigMap | undefined {
  const [namespace, name] = parent.spec.settingsFrom?.split('/') ?? [];
  return name === undefined ? undefined : caches.lister(configMaps).get(namespace, name);
}
