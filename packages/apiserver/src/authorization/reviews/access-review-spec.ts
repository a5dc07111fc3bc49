// The spec shared by the three access reviews: its rules, and the question it asks an authorizer
// (spec/apiserver.md §17). Pure.

import {
  type FieldError,
  FieldPath,
  invalid,
  type KubeObject,
  type ObjectMeta,
  parseFieldSelector,
  parseLabelSelector,
  required,
} from '@homeostat/machinery';
import type { AuthorizationAttributes } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';
import { joinErrors } from '../rbac/rbac-authorizer.ts';

interface SelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly SelectorRequirement[];
}

export interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
}

export interface AccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AccessReview extends KubeObject {
  readonly spec?: AccessReviewSpec;
}

/** Which of the three reviews: they differ in subject and namespace. */
export type AccessReviewForm = 'subject' | 'self' | 'local';

const specPath = new FieldPath('spec');

export function validateAccessReview(review: AccessReview, form: AccessReviewForm): readonly FieldError[] {
  const spec = review.spec ?? {};
  const { resourceAttributes: resource, nonResourceAttributes: nonResource } = spec;
  const errors: FieldError[] = [];
  const nonResourcePath = specPath.child('nonResourceAttributes');
  if (resource !== undefined && nonResource !== undefined) {
    errors.push(
      invalid(nonResourcePath, internalForm(nonResource), 'cannot be specified in combination with resourceAttributes'),
    );
  }
  if (resource === undefined && nonResource === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalid(specPath.child('resourceAttributes'), null, detail));
  }
  if (form !== 'self' && !spec.user && (spec.groups ?? []).length === 0) {
    errors.push(invalid(specPath.child('user'), '', 'at least one of user or group must be specified'));
  }
  if (resource !== undefined) errors.push(...validateSelectors(resource));
  errors.push(...validateMetadata(review.metadata ?? {}, form));
  if (form !== 'local') return errors;
  const namespace = resource?.namespace ?? '';
  if (resource !== undefined && namespace !== (review.metadata?.namespace ?? '')) {
    const path = specPath.child('resourceAttributes', 'namespace');
    errors.push(invalid(path, namespace, 'must match metadata.namespace'));
  }
  if (nonResource !== undefined) {
    errors.push(invalid(nonResourcePath, internalForm(nonResource), 'disallowed on this kind of request'));
  }
  return errors;
}

/** The question, and what of the selectors could not be read. */
export interface AccessQuestion {
  readonly attributes: AuthorizationAttributes;
  readonly error: string | undefined;
}

export function toQuestion(spec: AccessReviewSpec, user: User): AccessQuestion {
  const resource = spec.resourceAttributes;
  if (resource === undefined) {
    const { path = '', verb = '' } = spec.nonResourceAttributes ?? {};
    const empty = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
    return { attributes: { user, isResourceRequest: false, path, verb, ...empty }, error: undefined };
  }
  const problems: string[] = [];
  const field = readSelector(resource.fieldSelector, 'field');
  const label = readSelector(resource.labelSelector, 'label');
  for (const [name, selector] of [
    ['fieldSelector', field],
    ['labelSelector', label],
  ] as const) {
    const extent = selector.text === '' ? 'ignored' : 'partially ignored';
    if (selector.failed) problems.push(`spec.resourceAttributes.${name} ${extent} due to parse error`);
  }
  return {
    attributes: {
      user,
      isResourceRequest: true,
      path: '',
      verb: resource.verb ?? '',
      group: resource.group ?? '',
      version: resource.version || '*',
      resource: resource.resource ?? '',
      subresource: resource.subresource ?? '',
      namespace: resource.namespace ?? '',
      name: resource.name ?? '',
      fieldSelector: field.text,
      labelSelector: label.text,
    },
    error: problems.length === 0 ? undefined : joinErrors(problems),
  };
}

/** The subject the spec names. */
export function reviewedUser(spec: AccessReviewSpec): User {
  return { username: spec.user ?? '', uid: spec.uid ?? '', groups: spec.groups ?? [], extra: spec.extra ?? {} };
}

function validateSelectors(resource: ResourceAttributes): FieldError[] {
  const path = specPath.child('resourceAttributes');
  return [
    ...validateSelector(resource.fieldSelector, path.child('fieldSelector')),
    ...validateSelector(resource.labelSelector, path.child('labelSelector')),
  ];
}

function validateSelector(selector: SelectorAttributes | undefined, path: FieldPath): FieldError[] {
  if (selector === undefined) return [];
  const errors: FieldError[] = [];
  const raw = selector.rawSelector ?? '';
  const requirements = selector.requirements ?? [];
  if (raw !== '' && requirements.length > 0) {
    errors.push(invalid(path.child('rawSelector'), raw, 'may not specified at the same time as requirements'));
  }
  if (raw === '' && requirements.length === 0) {
    const detail = `when ${String(path)} is specified, requirements or rawSelector is required`;
    errors.push(required(path.child('requirements'), detail));
  }
  requirements.forEach((requirement, index) => {
    const at = path.child('requirements').index(index);
    const count = (requirement.values ?? []).length;
    if (['In', 'NotIn'].includes(requirement.operator ?? '') && count === 0) {
      errors.push(required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
    if (['Exists', 'DoesNotExist'].includes(requirement.operator ?? '') && count > 0) {
      const body = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push({ type: 'FieldValueForbidden', field: String(at.child('values')), body });
    }
    if (!requirement.key) errors.push(required(at.child('key'), 'must be specified'));
  });
  return errors;
}

function validateMetadata(metadata: ObjectMeta, form: AccessReviewForm): FieldError[] {
  const { managedFields: _managed, namespace, ...rest } = metadata;
  const filled = Object.values(rest).some((value) => value !== undefined && value !== null);
  const misplaced = form !== 'local' && (namespace ?? '') !== '';
  if (!filled && !misplaced) return [];
  const detail = form === 'local' ? 'must be empty except for namespace' : 'must be empty';
  return [invalid(new FieldPath('metadata'), metadata, detail)];
}

/** Messages show the value as Go's internal type has it. */
function internalForm(attributes: { readonly path?: string; readonly verb?: string }): unknown {
  return { Path: attributes.path ?? '', Verb: attributes.verb ?? '' };
}

function readSelector(
  selector: SelectorAttributes | undefined,
  kind: 'field' | 'label',
): { readonly text: string; readonly failed: boolean } {
  if (selector === undefined) return { text: '', failed: false };
  const raw = selector.rawSelector ?? '';
  if (raw !== '') return isReadable(raw, kind) ? { text: raw, failed: false } : { text: '', failed: true };
  // Requirements are joined by "and", so leaving one out only widens the question.
  const terms = (selector.requirements ?? []).map((each) => termOf(each, kind));
  return { text: terms.filter((term) => term !== undefined).join(','), failed: terms.includes(undefined) };
}

function isReadable(raw: string, kind: 'field' | 'label'): boolean {
  try {
    if (kind === 'label') parseLabelSelector(raw);
    else parseFieldSelector(raw);
    return true;
  } catch {
    return false;
  }
}

function termOf(
  { key = '', operator = '', values = [] }: SelectorRequirement,
  kind: 'field' | 'label',
): string | undefined {
  if (kind === 'field') {
    if (values.length !== 1) return undefined;
    const value = (values[0] ?? '').replaceAll(/[\\,=]/g, (c) => `\\${c}`);
    if (operator === 'In') return `${key}=${value}`;
    return operator === 'NotIn' ? `${key}!=${value}` : undefined;
  }
  if (operator === 'In') return `${key} in (${values.join(',')})`;
  if (operator === 'NotIn') return `${key} notin (${values.join(',')})`;
  if (operator === 'Exists') return key;
  return operator === 'DoesNotExist' ? `!${key}` : undefined;
}
