// FlowSchema (flowcontrol.apiserver.k8s.io/v1): which requests a priority level serves. The schemas named `exempt` and
// `catch-all` are the server's own and always say the same.

import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '@homeostat/api/types/flowcontrol-v1';
import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { fieldSchema } from '../update-parts.ts';
import { validateFlowConditions } from './conditions.ts';
import { mandatoryFlowSchemas } from './mandatory.ts';

const kind = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema' };
const specPath = new FieldPath('spec');
const precedenceMax = 10_000;
const defaultPrecedence = 1_000;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const methods = ['ByNamespace', 'ByUser'];
const methodForm: readonly GoField[] = [['Type', 'type', '']];

export const flowSchemaStrategy: KindStrategy<FlowSchema> = standardStrategy<FlowSchema>({
  kind,
  namespaced: false,
  generationFields: ['spec'],
  status: true,
  validate(object, errors) {
    validateMandatory(object, errors);
    validateSpec(object.metadata?.name ?? '', object.spec ?? ({} as FlowSchemaSpec), specPath, errors);
    validateFlowConditions(object.status?.conditions, errors);
  },
  validateStatus(object, _old, errors) {
    validateFlowConditions(object.status?.conditions, errors);
  },
  more: {
    applyDefaults(draft) {
      const spec = (draft.spec ??= {} as Mutable<FlowSchemaSpec>);
      if ((spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = defaultPrecedence;
    },
  },
});

function validateMandatory(object: FlowSchema, errors: FieldError[]): void {
  const wanted = mandatoryFlowSchemas[object.metadata?.name ?? ''];
  if (wanted === undefined || semanticEqual(object.spec, wanted, fieldSchema(kind, 'spec'))) return;
  const text = `spec of '${object.metadata?.name ?? ''}' must equal the fixed value`;
  errors.push(invalid(specPath, object.spec, text));
}

function validateSpec(name: string, spec: FlowSchemaSpec, path: FieldPath, errors: FieldError[]): void {
  const precedence = spec.matchingPrecedence ?? 0;
  const at = path.child('matchingPrecedence');
  if (precedence <= 0) errors.push(invalid(at, precedence, 'must be a positive value'));
  if (precedence > precedenceMax) errors.push(invalid(at, precedence, `must not be greater than ${precedenceMax}`));
  if (precedence === 1 && name !== 'exempt') {
    errors.push(invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  const method = spec.distinguisherMethod;
  if (method !== undefined && !methods.includes(method.type)) {
    errors.push(notSupported(path.child('distinguisherMethod', 'type'), toGoForm(method, methodForm), methods));
  }
  const level = spec.priorityLevelConfiguration?.name ?? '';
  const levelPath = path.child('priorityLevelConfiguration', 'name');
  if (level === '') errors.push(required(levelPath, 'must reference a priority level'));
  else pushInvalid(nameIsDnsSubdomain(level, false), level, levelPath, errors);
  for (const [index, rule] of (spec.rules ?? []).entries())
    validateRule(rule, path.child('rules').index(index), errors);
}

function validateRule(rule: PolicyRulesWithSubjects, path: FieldPath, errors: FieldError[]): void {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rule;
  const list = subjects ?? [];
  if (list.length === 0) errors.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  for (const [index, subject] of list.entries()) validateSubject(subject, path.child('subjects').index(index), errors);
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  for (const [index, resource] of resourceRules.entries()) {
    validateResourceRule(resource, path.child('resourceRules').index(index), errors);
  }
  for (const [index, other] of nonResourceRules.entries()) {
    validateNonResourceRule(other, path.child('nonResourceRules').index(index), errors);
  }
}

function validateSubject(subject: Subject, path: FieldPath, errors: FieldError[]): void {
  const members = [
    { kind: 'ServiceAccount', field: 'serviceAccount', check: validateServiceAccount },
    { kind: 'User', field: 'user', check: validateNamed },
    { kind: 'Group', field: 'group', check: validateNamed },
  ] as const;
  const known = members.some((member) => member.kind === subject.kind);
  if (!known) {
    errors.push(notSupported(path.child('kind'), subject.kind ?? '', ['Group', 'ServiceAccount', 'User']));
    return;
  }
  for (const member of members) {
    const value = subject[member.field];
    const at = path.child(member.field);
    if (member.kind === subject.kind) {
      if (value === undefined)
        errors.push(required(at, `${member.field} is required when subject kind is '${member.kind}'`));
      else member.check(value, at, errors);
    } else if (value !== undefined) {
      errors.push(forbidden(at, `${member.field} is forbidden when subject kind is not '${member.kind}'`));
    }
  }
}

function validateNamed(subject: { readonly name?: string }, path: FieldPath, errors: FieldError[]): void {
  if ((subject.name ?? '') === '') errors.push(required(path.child('name')));
}

function validateServiceAccount(
  subject: { readonly name?: string; readonly namespace?: string },
  path: FieldPath,
  errors: FieldError[],
): void {
  const { name = '', namespace = '' } = subject;
  if (name === '') errors.push(required(path.child('name')));
  else if (name !== '*') pushInvalid(isDns1123Subdomain(name), name, path.child('name'), errors);
  if (namespace === '') errors.push(required(path.child('namespace'), 'must specify namespace for service account'));
  else pushInvalid(isDns1123Label(namespace), namespace, path.child('namespace'), errors);
}

function validateVerbs(list: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (list.length === 0) errors.push(required(path, 'verbs must contain at least one value'));
  else if (isMixed(list)) errors.push(invalid(path, list, "if '*' is present, must not specify other verbs"));
  else if (!list.includes('*') && list.some((verb) => !verbs.includes(verb)))
    errors.push(notSupported(path, list, verbs));
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath, errors: FieldError[]): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), errors);
  const lists = [
    { field: 'apiGroups', word: 'api groups', missing: 'resource rules must supply at least one api group' },
    { field: 'resources', word: 'resources', missing: 'resource rules must supply at least one resource' },
  ] as const;
  for (const { field, word, missing } of lists) {
    const list = rule[field] ?? [];
    if (isMixed(list))
      errors.push(invalid(path.child(field), list, `if '*' is present, must not specify other ${word}`));
    if (list.length === 0) errors.push(required(path.child(field), missing));
  }
  const namespaces = rule.namespaces ?? [];
  const at = path.child('namespaces');
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'));
  } else if (isMixed(namespaces))
    errors.push(invalid(at, namespaces, "if '*' is present, must not specify other namespaces"));
  else {
    for (const [index, name] of namespaces.entries()) {
      if (name !== '*') pushInvalid(isDns1123Label(name), name, at.index(index), errors);
    }
  }
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath, errors: FieldError[]): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), errors);
  const urls = rule.nonResourceURLs ?? [];
  const at = path.child('nonResourceURLs');
  if (urls.length === 0) errors.push(required(at, 'nonResourceURLs must contain at least one value'));
  else if (isMixed(urls)) errors.push(invalid(at, urls, "if '*' is present, must not specify other non-resource URLs"));
  else {
    for (const [index, url] of urls.entries()) {
      const problem = url === '*' ? undefined : urlProblem(url);
      if (problem !== undefined) errors.push(invalid(at.index(index), url, problem));
    }
  }
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const star = url.indexOf('*');
  if (star >= 0 && !(star === url.length - 1 && url.endsWith('/*'))) return 'wildcard can only do suffix matching';
  return undefined;
}

function isMixed(list: readonly string[]): boolean {
  return list.length > 1 && list.includes('*');
}
