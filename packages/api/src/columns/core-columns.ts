// Table rows of core/v1 kinds other than Pods, volumes, Services and workloads.

import type {
  ComponentStatus,
  ConfigMap,
  Namespace,
  Node,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from '@homeostat/api/types/core-v1';
import { compareBytewise } from '@homeostat/machinery';

import { AGE_COLUMN, ageOf, column, nameColumn, nameOf, NAME_AGE_TABLE, orElse, table, wideColumn } from './column.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

export const nodeTable = table<Node>(
  [
    nameColumn(),
    column('Status', 'Whether the node is ready, and whether Pods may be put on it.'),
    column('Roles', 'What the node is used for, from its labels.'),
    AGE_COLUMN,
    column('Version', 'Version of the node agent.'),
    wideColumn('Internal-IP', 'First address inside the cluster.'),
    wideColumn('External-IP', 'First address outside the cluster.'),
    wideColumn('OS-Image', 'Operating system the node reports.'),
    wideColumn('Kernel-Version', 'Kernel the node reports.'),
    wideColumn('Container-Runtime', 'Container runtime the node reports.'),
  ],
  (node, nowMs) => [
    nameOf(node),
    nodeStatus(node),
    nodeRoles(node),
    ageOf(node, nowMs),
    node.status?.nodeInfo?.kubeletVersion ?? '',
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    orElse(node.status?.nodeInfo?.osImage, '<unknown>'),
    kernelText(node),
    orElse(node.status?.nodeInfo?.containerRuntimeVersion, '<unknown>'),
  ],
);

export const namespaceTable = table<Namespace>(
  [nameColumn(), column('Status', 'Active, or on its way out.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), object.status?.phase ?? '', ageOf(object, nowMs)],
);

export const secretTable = table<Secret>(
  [nameColumn(), column('Type', 'What the Secret is for.'), column('Data', 'How many entries it has.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), object.type ?? '', countKeys(object.data), ageOf(object, nowMs)],
);

export const configMapTable = table<ConfigMap>(
  [nameColumn(), column('Data', 'How many entries it has.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), countKeys(object.data) + countKeys(object.binaryData), ageOf(object, nowMs)],
);

export const serviceAccountTable = table<ServiceAccount>(NAME_AGE_TABLE.columns, (object, nowMs) => [
  nameOf(object),
  ageOf(object, nowMs),
]);

export const resourceQuotaTable = table<ResourceQuota>(
  [
    nameColumn(),
    column('Request', 'Use and bound of everything but limits.'),
    column('Limit', 'Use and bound of limits.'),
    AGE_COLUMN,
  ],
  (quota, nowMs) => {
    const names = Object.keys(quota.status?.hard ?? {}).sort(compareBytewise);
    const isLimit = (name: string): boolean => name.startsWith('limits.');
    const text = (limits: boolean): string =>
      names
        .filter((name) => isLimit(name) === limits)
        .map((name) => `${name}: ${quota.status?.used?.[name] ?? '0'}/${quota.status?.hard?.[name] ?? '0'}`)
        .join(', ');
    return [nameOf(quota), text(false), text(true), ageOf(quota, nowMs)];
  },
);

export const componentStatusTable = table<ComponentStatus>(
  [
    nameColumn(),
    column('Status', 'Whether the component answers.'),
    column('Message', 'What it answered.'),
    column('Error', 'Why it could not be asked.'),
  ],
  (object) => {
    const health = object.conditions?.find((condition) => condition.type === 'Healthy');
    if (health === undefined) return [nameOf(object), 'Unknown', '', ''];
    const status = health.status === 'True' ? 'Healthy' : 'Unhealthy';
    return [nameOf(object), status, health.message ?? '', health.error ?? ''];
  },
);

function nodeStatus(node: Node): string {
  const ready = node.status?.conditions?.findLast((condition) => condition.type === 'Ready');
  let text = 'Unknown';
  if (ready !== undefined) text = ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function nodeRoles(node: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return orElse([...roles].sort(compareBytewise).join(','), '<none>');
}

/** Since 1.36 with the architecture, when the node reports it. */
function kernelText(node: Node): string {
  const { kernelVersion, architecture } = node.status?.nodeInfo ?? {};
  const kernel = orElse(kernelVersion, '<unknown>');
  return orElse(architecture, '') === '' ? kernel : `${kernel} (${architecture})`;
}

function addressOf(node: Node, type: string): string {
  return node.status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
}

function countKeys(map: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(map ?? {}).length;
}
