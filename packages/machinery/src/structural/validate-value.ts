// Holding a value against a schema, as kube-openapi's validator does it: the same checks in the same order, with the same
// texts, and the same choice of which branch of anyOf and oneOf to speak of (the one with most checks passed).
//
// Where an old value correlates (spec/apiserver.md §14.6), what was wrong before and has not changed is not an error.

import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { checkNumber } from './check-number.ts';
import { checkType } from './check-type.ts';
import type { Findings } from './findings.ts';
import { correlateItems, isUnchanged } from './correlate.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * Adds what is wrong with a value. What its old value was forgiven, it is forgiven too.
 *
 * @param old - the correlated old value; undefined when there is none
 */
export function checkCorrelated(
  value: Json,
  schema: StructuralSchema,
  old: Json | undefined,
  findings: Findings,
): void {
  const { size } = findings;
  checkValue(value, schema, old, findings);
  if (findings.size > size && old !== undefined && isUnchanged(value, old, schema)) findings.truncate(size);
}

/** The checks themselves, counted as upstream counts its validators. */
function checkValue(value: Json, schema: StructuralSchema, old: Json | undefined, findings: Findings): void {
  if (value === null) {
    checkType(null, schema, findings);
    checkEnum(null, schema, findings);
    return;
  }
  if (schema.types.length > 0 || schema.checkedFormat !== undefined) {
    checkType(value, schema, findings);
    findings.checks++;
  }
  if (schema.anyOf.length > 0 || schema.oneOf.length > 0 || schema.allOf.length > 0 || schema.not !== undefined) {
    checkJunctors(value, schema, findings);
  }
  findings.checks += 2;
  switch (typeof value) {
    case 'string':
      checkString(value, schema, findings);
      findings.checks++;
      break;
    case 'number':
    case 'bigint':
      checkNumber(value, schema, findings);
      findings.checks += 2;
      break;
    case 'boolean':
      break;
    default:
      if (!Array.isArray(value)) break;
      checkList(value as readonly Json[], schema, old, findings);
      findings.checks += 2;
      break;
  }
  checkEnum(value, schema, findings);
  findings.checks++;
  if (typeof value === 'object' && !Array.isArray(value)) {
    checkMap(value as JsonMap, schema, old, findings);
    findings.checks++;
  }
  findings.checks++;
}

function checkString(value: string, schema: StructuralSchema, findings: Findings): void {
  const { maxLength, minLength, pattern, checkedFormat } = schema;
  if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength) {
    findings.tooLong(maxLength);
  } else if (minLength !== undefined && (value.length < minLength || characters(value) < minLength)) {
    findings.invalid(value, `should be at least ${minLength} chars long`);
  } else if (pattern !== undefined && !pattern.test(value)) {
    findings.invalid(value, `should match '${pattern.source}'`);
  }
  if (checkedFormat?.test === undefined) return;
  findings.checks++;
  if (!checkedFormat.test(value)) findings.typeInvalid(checkedFormat.name, value);
}

function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

function checkEnum(value: Json, schema: StructuralSchema, findings: Findings): void {
  if (schema.enum === undefined) return;
  // As upstream compares them: null is never among the values, and the fraction of a number doesn't count where an integer
  // is listed.
  if (value !== null) {
    const whole = typeof value === 'number' ? Math.trunc(value) : value;
    for (const allowed of schema.enum) if (allowed === whole || deepEqual(allowed, value)) return;
  }
  findings.notSupported(value, schema.enum);
}

function checkList(list: readonly Json[], schema: StructuralSchema, old: Json | undefined, findings: Findings): void {
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    const oldItemOf = correlateItems(schema, old);
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as Json;
      findings.enter(i);
      checkCorrelated(item, items, oldItemOf?.(item), findings);
      findings.leave();
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    findings.invalid(list.length, `should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && list.length > maxItems) findings.tooMany(list.length, maxItems);
}

function checkMap(map: JsonMap, schema: StructuralSchema, old: Json | undefined, findings: Findings): void {
  const { minProperties, maxProperties, properties, additionalProperties, required } = schema;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const size = Object.keys(map).length;
    if (minProperties !== undefined && size < minProperties) {
      findings.invalid(size, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && size > maxProperties) findings.tooMany(size, maxProperties);
  }
  const oldMap = old === undefined ? undefined : asMap(old);
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const property = properties.get(key);
    const child = property ?? additionalProperties;
    if (child === undefined || child === true) continue;
    if (child === false) {
      findings.forbiddenProperty(key);
      continue;
    }
    const oldValue = oldMap === undefined || isTypeMeta(key, findings) ? undefined : getOwn(oldMap, key);
    findings.enter(key, property === undefined);
    checkCorrelated(value, child, oldValue, findings);
    findings.leave();
  }
  for (const name of required) if (!Object.hasOwn(map, name) || map[name] === undefined) findings.required(name);
}

/** Objects of all versions are shown in the one asked for: whether these two are what they were can't be told. */
function isTypeMeta(name: string, findings: Findings): boolean {
  return findings.isAtRoot && (name === 'kind' || name === 'apiVersion');
}

/** Clauses are forgiven nothing, whatever the value was. */
function checkJunctors(value: Json, schema: StructuralSchema, findings: Findings): void {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf.length > 0) {
    const branches = untilValid(anyOf, value, findings);
    const isValid = branches.at(-1)?.isValid === true;
    if (!isValid) findings.plain('must validate at least one schema (anyOf)');
    findings.merge(isValid ? branches.at(-1) : best(branches));
  }
  if (oneOf.length > 0) {
    const branches = oneOf.map((branch) => tryBranch(branch, value, findings));
    const valid = branches.filter((branch) => branch.isValid);
    if (valid.length === 1) findings.merge(valid[0]);
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      findings.plain(`must validate one and only one schema (oneOf). ${found}`);
      if (valid.length === 0) findings.merge(best(branches));
    }
  }
  if (allOf.length > 0) {
    const branches = allOf.map((branch) => tryBranch(branch, value, findings));
    for (const branch of branches) findings.merge(branch);
    const valid = branches.filter((branch) => branch.isValid).length;
    if (valid < allOf.length) {
      findings.plain(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    }
  }
  if (not !== undefined && tryBranch(not, value, findings).isValid) {
    findings.plain('must not validate the schema (not)');
  }
}

function tryBranch(schema: StructuralSchema, value: Json, at: Findings): Findings {
  const branch = at.fork();
  checkValue(value, schema, undefined, branch);
  return branch;
}

function untilValid(schemas: readonly StructuralSchema[], value: Json, at: Findings): readonly Findings[] {
  const branches: Findings[] = [];
  for (const schema of schemas) {
    const branch = tryBranch(schema, value, at);
    branches.push(branch);
    if (branch.isValid) break;
  }
  return branches;
}

/** The first of those with most checks passed. */
function best(branches: readonly Findings[]): Findings | undefined {
  let found: Findings | undefined;
  for (const branch of branches) if (found === undefined || branch.checks > found.checks) found = branch;
  return found;
}
