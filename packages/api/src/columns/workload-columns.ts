// Table rows of the kinds that make Pods from a template: apps/v1, batch/v1, ReplicationController and PodTemplate.

import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@homeostat/api/types/apps-v1';
import type { CronJob, Job } from '@homeostat/api/types/batch-v1';
import type { PodTemplate, PodTemplateSpec, ReplicationController } from '@homeostat/api/types/core-v1';
import { humanDuration, parseApiVersion } from '@homeostat/machinery';

import type { TableStrategy } from '../strategy.ts';
import { AGE_COLUMN, ageOf, column, nameColumn, nameOf, orElse, table, wideColumn } from './column.ts';
import { formatAge } from './human-age.ts';
import { formatLabels, formatSelector, selectorText } from './label-text.ts';

const CONTAINERS = wideColumn('Containers', 'Containers of the Pod template.');
const IMAGES = wideColumn('Images', 'Images of the Pod template, in the order of its containers.');
const SELECTOR = wideColumn('Selector', 'Labels that the Pods are found by.');
const DESIRED = column('Desired', 'How many Pods there should be.', 'integer');
const CURRENT = column('Current', 'How many Pods there are.', 'integer');
const READY = column('Ready', 'How many Pods are ready.', 'integer');

export const deploymentTable = table<Deployment>(
  [
    nameColumn(),
    column('Ready', 'Ready Pods out of those wanted.'),
    column('Up-to-date', 'Pods made from the present template.'),
    column('Available', 'Pods that have been ready for long enough.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, nowMs) => [
    nameOf(object),
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    object.status?.updatedReplicas ?? 0,
    object.status?.availableReplicas ?? 0,
    ageOf(object, nowMs),
    ...containerCells(object.spec?.template),
    selectorText(object.spec?.selector),
  ],
);

const REPLICA_COLUMNS = [nameColumn(), DESIRED, CURRENT, READY, AGE_COLUMN, CONTAINERS, IMAGES, SELECTOR];

export const replicaSetTable = table<ReplicaSet>(REPLICA_COLUMNS, (object, nowMs) => [
  nameOf(object),
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  ageOf(object, nowMs),
  ...containerCells(object.spec?.template),
  formatSelector(object.spec?.selector),
]);

export const replicationControllerTable = table<ReplicationController>(REPLICA_COLUMNS, (object, nowMs) => [
  nameOf(object),
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  ageOf(object, nowMs),
  ...containerCells(object.spec?.template),
  formatLabels(object.spec?.selector),
]);

const daemonSetCells = table<DaemonSet>(
  [
    nameColumn(),
    DESIRED,
    CURRENT,
    READY,
    column('Up-to-date', 'Pods made from the present template.', 'integer'),
    column('Available', 'Pods that have been ready for long enough.', 'integer'),
    column('Node Selector', 'Labels that a node must carry to get a Pod.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, nowMs) => [
    nameOf(object),
    object.status?.desiredNumberScheduled ?? 0,
    object.status?.currentNumberScheduled ?? 0,
    object.status?.numberReady ?? 0,
    object.status?.updatedNumberScheduled ?? 0,
    object.status?.numberAvailable ?? 0,
    formatLabels(object.spec?.template?.spec?.nodeSelector),
    ageOf(object, nowMs),
    ...containerCells(object.spec?.template),
    formatSelector(object.spec?.selector),
  ],
);

/** The template's generation is an annotation of the served object only: rows go without it. */
export const daemonSetTable: TableStrategy<DaemonSet> = {
  ...daemonSetCells,
  rowMetadata(object) {
    const { annotations, ...rest } = object.metadata ?? {};
    const shown = Object.entries(annotations ?? {}).filter(
      ([name]) => name !== 'deprecated.daemonset.template.generation',
    );
    return shown.length === 0 ? rest : { ...object.metadata, annotations: Object.fromEntries(shown) };
  },
};

export const statefulSetTable = table<StatefulSet>(
  [nameColumn(), column('Ready', 'Ready Pods out of those wanted.'), AGE_COLUMN, CONTAINERS, IMAGES],
  (object, nowMs) => [
    nameOf(object),
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    ageOf(object, nowMs),
    ...containerCells(object.spec?.template),
  ],
);

export const controllerRevisionTable = table<ControllerRevision>(
  [
    nameColumn(),
    column('Controller', 'What the revision belongs to.'),
    column('Revision', 'Place in the history.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [nameOf(object), controllerName(object), object.revision ?? 0, ageOf(object, nowMs)],
);

export const podTemplateTable = table<PodTemplate>(
  [
    nameColumn(),
    column('Containers', 'Containers of the template.'),
    column('Images', 'Images of the template, in the order of its containers.'),
    column('Pod Labels', 'Labels that Pods made from it carry.'),
  ],
  (object) => [nameOf(object), ...containerCells(object.template), formatLabels(object.template?.metadata?.labels)],
);

export const jobTable = table<Job>(
  [
    nameColumn(),
    column('Status', 'Where the Job stands.'),
    column('Completions', 'Pods that succeeded, out of those needed.'),
    column('Duration', 'From start to completion, or until now.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, nowMs) => [
    nameOf(object),
    jobStatus(object),
    jobCompletions(object),
    jobDuration(object, nowMs),
    ageOf(object, nowMs),
    ...containerCells(object.spec?.template),
    formatSelector(object.spec?.selector),
  ],
);

export const cronJobTable = table<CronJob>(
  [
    nameColumn(),
    column('Schedule', 'When Jobs are started, in cron format.'),
    column('Timezone', 'Time zone of the schedule.'),
    column('Suspend', 'Whether new Jobs are held back.', 'boolean'),
    column('Active', 'Jobs that run now.', 'integer'),
    column('Last Schedule', 'Time since a Job was last started.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, nowMs) => [
    nameOf(object),
    object.spec?.schedule ?? '',
    orElse(object.spec?.timeZone, '<none>'),
    suspendText(object.spec?.suspend),
    object.status?.active?.length ?? 0,
    object.status?.lastScheduleTime === undefined ? '<none>' : formatAge(object.status.lastScheduleTime, nowMs),
    ageOf(object, nowMs),
    ...containerCells(object.spec?.jobTemplate?.spec?.template),
    formatSelector(object.spec?.jobTemplate?.spec?.selector),
  ],
);

function containerCells(template: PodTemplateSpec | undefined): readonly [string, string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map((c) => c.name).join(','), containers.map((c) => c.image ?? '').join(',')];
}

function controllerName(object: ControllerRevision): string {
  const owner = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}

function jobStatus(job: Job): string {
  const holds = (type: string): boolean =>
    job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (holds('Suspended')) return 'Suspended';
  if (holds('FailureTarget')) return 'FailureTarget';
  if (holds('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

function jobCompletions(job: Job): string {
  const succeeded = job.status?.succeeded ?? 0;
  if (job.spec?.completions !== undefined) return `${succeeded}/${job.spec.completions}`;
  const parallelism = job.spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: Job, nowMs: number): string {
  const start = job.status?.startTime;
  if (start === undefined || start === null) return '';
  const end = job.status?.completionTime;
  return humanDuration((end === undefined || end === null ? nowMs : Date.parse(end)) - Date.parse(start));
}

function suspendText(suspend: boolean | undefined): string {
  if (suspend === undefined) return '<unset>';
  return suspend ? 'True' : 'False';
}
