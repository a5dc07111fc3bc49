// What validating and mutating admission policies and their bindings share.

import type { ParamKind, ParamRef, Variable } from '@homeostat/api/types/admissionregistration-v1';
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { AdmissionExpressions } from './expression-checks.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { nameIsDnsSubdomain, nameIsPathSegment } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';

const reservedWords = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

export function validateFailurePolicy(policy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (policy === undefined) errors.push(required(path));
  else if (policy !== 'Fail' && policy !== 'Ignore') errors.push(notSupported(path, policy, ['Fail', 'Ignore']));
}

export function validateParamKind(kind: ParamKind | undefined, path: FieldPath, errors: FieldError[]): void {
  if (kind === undefined) return;
  const apiVersion = kind.apiVersion ?? '';
  const at = path.child('apiVersion');
  const parts = apiVersion.split('/');
  if (apiVersion === '') errors.push(required(at));
  else if (parts.length > 2) errors.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const group = parts.length === 2 ? (parts[0] ?? '') : '';
    const version = parts.at(-1) ?? '';
    const groupTexts = group === '' ? [] : isDns1123Subdomain(group);
    if (groupTexts.length > 0) errors.push(invalid(at, group, groupTexts.join(',')));
    const versionTexts = isDns1035Label(version);
    if (versionTexts.length > 0) errors.push(invalid(at, version, versionTexts.join(',')));
  }
  const name = kind.kind ?? '';
  const texts = name === '' ? [] : isDns1035Label(name.toLowerCase());
  if (name === '') errors.push(required(path.child('kind')));
  else if (texts.length > 0) {
    errors.push(
      invalid(path.child('kind'), name, `may have mixed case, but should otherwise match: ${texts.join(',')}`),
    );
  }
}

/** Checks the variables, and declares each for what comes after it. */
export function validateVariables(
  variables: readonly Variable[],
  path: FieldPath,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  for (const [index, { name = '', expression = '' }] of variables.entries()) {
    const at = path.index(index);
    if (name.trim() === '') errors.push(required(at.child('name'), 'name is not specified'));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reservedWords.has(name)) {
      errors.push(invalid(at.child('name'), name, 'must be a valid CEL identifier'));
    }
    if (validateExpression(expression, at.child('expression'), errors)) {
      expressions?.declare(name, expression, at.child('expression'), errors);
    }
  }
}

/** Whether there is an expression. */
export function validateExpression(expression: string | undefined, path: FieldPath, errors: FieldError[]): boolean {
  if ((expression ?? '').trim() !== '') return true;
  errors.push(required(path, 'expression is not specified'));
  return false;
}

export function validatePolicyName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (name === '') errors.push(required(path));
  else pushInvalid(nameIsDnsSubdomain(name, false), name, path, errors);
}

export function validateParamRef(ref: ParamRef | undefined, path: FieldPath, errors: FieldError[]): void {
  if (ref === undefined) return;
  const { name = '', selector, parameterNotFoundAction: action } = ref;
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '') {
    pushInvalid(nameIsPathSegment(name, false), name, path.child('name'), errors);
    if (selector !== undefined) errors.push(forbidden(path.child('name'), exclusive));
  }
  if (selector !== undefined) {
    validateLabelSelector(selector, path.child('selector'), errors);
    if (name !== '') errors.push(forbidden(path.child('selector'), exclusive));
  }
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  const at = path.child('parameterNotFoundAction');
  if ((action ?? '') === '') errors.push(required(at));
  else if (action !== 'Deny' && action !== 'Allow') errors.push(notSupported(at, action, ['Deny', 'Allow']));
}
