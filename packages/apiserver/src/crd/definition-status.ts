// The status a CustomResourceDefinition should have: accepted names, NamesAccepted, Established, and the approval of
// protected groups (spec/apiserver.md §14.2). Pure; what is written is the difference.

import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from '@homeostat/api/types/apiextensions-v1';
import { goQuote } from '@homeostat/machinery';
import { acceptNames } from './accept-names.ts';
import { findCondition, type Statement, withCondition } from './conditions.ts';

const approvalAnnotation = 'api-approved.kubernetes.io';
const approvalUrl = 'https://github.com/kubernetes/enhancements/pull/1111';

/** `now` is a wire time. */
export function definitionStatus(
  definition: CustomResourceDefinition,
  all: Iterable<CustomResourceDefinition>,
  now: string,
): CustomResourceDefinitionStatus {
  const { names, condition } = acceptNames(definition, all);
  let conditions = withCondition(definition.status?.conditions ?? [], condition, now);
  conditions = withCondition(conditions, established(definition, condition.status === 'True'), now);
  const approval = approvalOf(definition);
  if (approval !== undefined) conditions = withCondition(conditions, approval, now);
  return { ...definition.status, conditions, acceptedNames: names } as CustomResourceDefinitionStatus;
}

/** What was established stays so: its objects are in use. */
function established(definition: CustomResourceDefinition, isAccepted: boolean): Statement {
  const present = findCondition(definition, 'Established');
  if (present?.status === 'True') return present;
  const message = isAccepted ? 'the initial names have been accepted' : 'not all names are accepted';
  return isAccepted
    ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message };
}

/** Groups of the Kubernetes project say who approved them; undefined for all others. */
function approvalOf(definition: CustomResourceDefinition): Statement | undefined {
  const group = definition.spec?.group ?? '';
  const isProtected = ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
  if (!isProtected) return undefined;
  const value = definition.metadata?.annotations?.[approvalAnnotation] ?? '';
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const text = `protected groups must have approval annotation ${goQuote(approvalAnnotation)}`;
  if (value === '')
    return { type, status: 'False', reason: 'MissingAnnotation', message: `${text}, see ${approvalUrl}` };
  if (value.startsWith('unapproved'))
    return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${goQuote(value)}` };
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(value))
    return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` };
  const message = `${text} with either a URL or a reason starting with "unapproved", see ${approvalUrl}`;
  return { type, status: 'False', reason: 'InvalidAnnotation', message };
}
