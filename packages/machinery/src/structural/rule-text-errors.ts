// Entries of `x-kubernetes-validations` as texts: that a rule and a message are there, that a reason is known, that a field
// path leads somewhere. What a rule means is checked elsewhere (RuleChecks).

import { type FieldError, type FieldPath, invalid, notSupported, required } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { asMap, type JsonMap } from '../values/json-shapes.ts';
import { compileStructural } from './compile-structural.ts';
import { FieldPathError, resolveFieldPath } from './resolve-field-path.ts';
import { isUnreadable, textOf } from './schema-node.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

export function checkRuleTexts(node: JsonMap, rules: readonly Json[], path: FieldPath, errors: FieldError[]): void {
  for (const [i, entry] of rules.entries()) checkEntry(asMap(entry) ?? {}, node, path.index(i), errors);
}

function checkEntry(entry: JsonMap, node: JsonMap, path: FieldPath, errors: FieldError[]): void {
  const rule = textOf(entry['rule']);
  const message = textOf(entry['message']);
  const expression = textOf(entry['messageExpression']);
  const at = path.child('message');
  if (rule.trim() === '') errors.push(required(path.child('rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(at, message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) errors.push(invalid(at, message, 'must not contain line breaks'));
  else if (hasLineBreak(rule.trim()) && message === '') {
    errors.push(required(at, 'message must be specified if rule contains line breaks'));
  }
  if (expression !== '' && expression.trim() === '') {
    errors.push(required(path.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  const { reason } = entry;
  if (typeof reason === 'string' && !reasons.includes(reason)) {
    errors.push(notSupported(path.child('reason'), reason, reasons));
  }
  checkFieldPath(textOf(entry['fieldPath']), node, path.child('fieldPath'), errors);
}

function checkFieldPath(fieldPath: string, node: JsonMap, path: FieldPath, errors: FieldError[]): void {
  if (fieldPath === '') return;
  if (fieldPath.trim() === '') errors.push(invalid(path, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) errors.push(invalid(path, fieldPath, 'must not contain line breaks'));
  if (!leadsSomewhere(fieldPath, node)) errors.push(invalid(path, fieldPath, 'must be a valid path'));
}

function leadsSomewhere(fieldPath: string, node: JsonMap): boolean {
  if (isUnreadable(node)) return true;
  try {
    resolveFieldPath(fieldPath, compileStructural(node));
    return true;
  } catch (error) {
    if (error instanceof FieldPathError) return false;
    throw error;
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}
