// Table rows of who may do what and what is let in: RBAC, certificates, admission configuration, flow control,
// aggregated APIs, scheduling and node classes, leases.

import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import type { APIService } from '@homeostat/api/types/apiregistration-v1';
import type { CertificateSigningRequest } from '@homeostat/api/types/certificates-v1';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { FlowSchema, PriorityLevelConfiguration } from '@homeostat/api/types/flowcontrol-v1';
import type { RuntimeClass } from '@homeostat/api/types/node-v1';
import type { ClusterRoleBinding, RoleBinding } from '@homeostat/api/types/rbac-v1';
import type { PriorityClass } from '@homeostat/api/types/scheduling-v1';

import type { TableColumn } from '../strategy.ts';
import { humanDuration } from '@homeostat/machinery';
import { AGE_COLUMN, ageOf, column, nameColumn, nameOf, orElse, table, wideColumn } from './column.ts';
import { selectorText } from './label-text.ts';

export const roleBindingTable = table<RoleBinding | ClusterRoleBinding>(
  [
    nameColumn(),
    column('Role', 'Role that is granted.'),
    AGE_COLUMN,
    wideColumn('Users', 'Users it is granted to.'),
    wideColumn('Groups', 'Groups it is granted to.'),
    wideColumn('ServiceAccounts', 'Service accounts it is granted to.'),
  ],
  (binding, nowMs) => {
    const subjects = binding.subjects ?? [];
    const names = (kind: string): string =>
      subjects
        .filter((subject) => subject.kind === kind)
        .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name))
        .join(', ');
    return [
      nameOf(binding),
      `${binding.roleRef?.kind ?? ''}/${binding.roleRef?.name ?? ''}`,
      ageOf(binding, nowMs),
      names('User'),
      names('Group'),
      names('ServiceAccount'),
    ];
  },
);

export const certificateSigningRequestTable = table<CertificateSigningRequest>(
  [
    nameColumn(),
    AGE_COLUMN,
    column('SignerName', 'Signer that is asked.'),
    column('Requestor', 'User who asks.'),
    column('RequestedDuration', 'How long the certificate should be valid.'),
    column('Condition', 'How far it got.'),
  ],
  (object, nowMs) => {
    const seconds = object.spec?.expirationSeconds;
    return [
      nameOf(object),
      ageOf(object, nowMs),
      orElse(object.spec?.signerName, '<none>'),
      object.spec?.username ?? '',
      seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
      certificateState(object),
    ];
  },
);

export const leaseTable = table<Lease>(
  [nameColumn(), column('Holder', 'Who holds it now.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), object.spec?.holderIdentity ?? '', ageOf(object, nowMs)],
);

export const priorityClassTable = table<PriorityClass>(
  [
    nameColumn(),
    column('Value', 'Priority its Pods get.', 'integer'),
    column('Global-Default', 'Whether Pods that name no class get it.', 'boolean'),
    AGE_COLUMN,
    column('PreemptionPolicy', 'Whether its Pods drive out others.'),
  ],
  (object, nowMs) => [
    nameOf(object),
    object.value ?? 0,
    object.globalDefault ?? false,
    ageOf(object, nowMs),
    object.preemptionPolicy ?? '',
  ],
);

export const runtimeClassTable = table<RuntimeClass>(
  [nameColumn(), column('Handler', 'Runtime configuration on the node.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), object.handler ?? '', ageOf(object, nowMs)],
);

const WEBHOOK_COLUMNS: readonly TableColumn[] = [
  nameColumn(),
  column('Webhooks', 'How many webhooks it has.', 'integer'),
  AGE_COLUMN,
];

export const webhookConfigurationTable = table<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  WEBHOOK_COLUMNS,
  (object, nowMs) => [nameOf(object), object.webhooks?.length ?? 0, ageOf(object, nowMs)],
);

export const validatingAdmissionPolicyTable = table<ValidatingAdmissionPolicy>(
  policyColumns(column('Validations', 'How many rules it has.', 'integer')),
  (object, nowMs) => [
    nameOf(object),
    object.spec?.validations?.length ?? 0,
    paramKindText(object.spec?.paramKind),
    ageOf(object, nowMs),
  ],
);

export const mutatingAdmissionPolicyTable = table<MutatingAdmissionPolicy>(
  policyColumns(column('Mutations', 'How many changes it makes.', 'integer')),
  (object, nowMs) => [
    nameOf(object),
    object.spec?.mutations?.length ?? 0,
    paramKindText(object.spec?.paramKind),
    ageOf(object, nowMs),
  ],
);

export const admissionPolicyBindingTable = table<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>(
  [
    nameColumn(),
    column('PolicyName', 'Policy that it puts to work.'),
    column('ParamRef', 'Parameters it gives to the policy.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => {
    const ref = object.spec?.paramRef;
    let text = '<unset>';
    if (ref !== undefined) {
      const name = orElse(ref.name, '');
      const namespace = orElse(ref.namespace, '');
      if (name !== '') text = namespace === '' ? name : `${namespace}/${name}`;
      else if (ref.selector !== undefined) text = selectorText(ref.selector);
    }
    return [nameOf(object), object.spec?.policyName ?? '', text, ageOf(object, nowMs)];
  },
);

export const flowSchemaTable = table<FlowSchema>(
  [
    nameColumn(),
    column('PriorityLevel', 'Priority level that serves its requests.'),
    column('MatchingPrecedence', 'Which schema wins: the lowest number.'),
    column('DistinguisherMethod', 'How its requests are split into flows.'),
    AGE_COLUMN,
    column('MissingPL', 'Whether the priority level does not exist.'),
  ],
  (object, nowMs) => [
    nameOf(object),
    object.spec?.priorityLevelConfiguration?.name ?? '',
    object.spec?.matchingPrecedence ?? 0,
    object.spec?.distinguisherMethod?.type ?? '<none>',
    ageOf(object, nowMs),
    object.status?.conditions?.find((condition) => condition.type === 'Dangling')?.status ?? '?',
  ],
);

export const priorityLevelConfigurationTable = table<PriorityLevelConfiguration>(
  [
    nameColumn(),
    column('Type', 'Whether its requests are limited at all.'),
    column('NominalConcurrencyShares', 'Its share of the seats.'),
    column('Queues', 'How many queues it has.'),
    column('HandSize', 'How many queues one flow may use.'),
    column('QueueLengthLimit', 'How many requests may wait in a queue.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => {
    const { limited } = object.spec ?? {};
    const queuing = limited?.limitResponse?.queuing;
    return [
      nameOf(object),
      object.spec?.type ?? '',
      limited?.nominalConcurrencyShares ?? '<none>',
      queuing?.queues ?? '<none>',
      queuing?.handSize ?? '<none>',
      queuing?.queueLengthLimit ?? '<none>',
      ageOf(object, nowMs),
    ];
  },
);

export const apiServiceTable = table<APIService>(
  [
    nameColumn(),
    column('Service', 'What serves the group version.'),
    column('Available', 'Whether it can be reached.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => {
    const service = object.spec?.service;
    const condition = object.status?.conditions?.find((entry) => entry.type === 'Available');
    let available = 'Unknown';
    if (condition !== undefined) {
      available = condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason ?? ''})`;
    }
    const target = service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
    return [nameOf(object), target, available, ageOf(object, nowMs)];
  },
);

function policyColumns(count: TableColumn): readonly TableColumn[] {
  return [nameColumn(), count, column('ParamKind', 'Kind of the parameters it takes.'), AGE_COLUMN];
}

function paramKindText(kind: { readonly apiVersion?: string; readonly kind?: string } | undefined): string {
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`;
}

function certificateState(object: CertificateSigningRequest): string {
  const has = (type: string): boolean =>
    object.status?.conditions?.some((condition) => condition.type === type) ?? false;
  let state = 'Pending';
  if (has('Denied')) state = 'Denied';
  else if (has('Approved')) state = 'Approved';
  if (has('Failed')) state += ',Failed';
  if (orElse(object.status?.certificate, '') !== '') state += ',Issued';
  return state;
}
