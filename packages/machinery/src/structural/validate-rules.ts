// Runs the rules of a schema (`x-kubernetes-validations`) on an object: which old value correlates, messages and reasons,
// budgets, and ratcheting (spec/apiserver.md §14.5 and §14.6; `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`).

import { perCallCostLimit } from '../cel/environment.ts';
import { CelOptional } from '../cel/values.ts';
import { fromJson } from '../cel/json-values.ts';
import { type FieldError, FieldPath } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { utf8Length } from '../values/rule-texts.ts';
import { correlateItems, isUnchanged } from './correlate.ts';
import { declarationOf } from './rule-declarations.ts';
import { ruleError } from './rule-error.ts';
import { type RuleProgram, ruleProgramsOf } from './rule-programs.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

/** Cost units that all rules may spend on one object. */
const objectCostBudget = 10_000_000;
const messageBytesMax = 5 * 1024;

export interface ValidateRulesOptions {
  /** Where the value is; absent for a whole object, whose own path is `<nil>`. */
  readonly path?: FieldPath;
  /** Whether the value is a whole custom resource, so that rules see its kind and names. Default: there is no `path`. */
  readonly isResource?: boolean;
  /** Whether rules that fail on unchanged values are forgiven. Default true. */
  readonly ratchets?: boolean;
  /** Cost units for all rules; default 10,000,000. */
  readonly costBudget?: number;
}

export interface ValidateRulesResult {
  readonly errors: readonly FieldError[];
  /** Rules that fail on values that did not change: told as warnings (`field: body`), not as errors. */
  readonly ratcheted: readonly FieldError[];
  /** Cost units that were spent. */
  readonly cost: number;
}

/**
 * Which rules an object breaks. The object must be valid otherwise (`rulesNotChecked()` says what to report if it is not).
 * Always ends: costs are bounded for each rule and for the object.
 *
 *     const { errors } = validateRules(object, old, schema); // old: undefined on create
 */
export function validateRules(
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema,
  options: ValidateRulesOptions = {},
): ValidateRulesResult {
  const { path, costBudget = objectCostBudget, isResource = path === undefined, ratchets = true } = options;
  const run = new RulesRun(costBudget, ratchets);
  run.visit(value, old, schema, path, isResource);
  return { errors: run.errors, ratcheted: run.ratcheted, cost: costBudget - run.budget };
}

class RulesRun {
  readonly errors: FieldError[] = [];
  readonly ratcheted: FieldError[] = [];
  readonly #ratchets: boolean;
  /** Cost units that are left; negative when more was spent than there were. */
  budget: number;

  constructor(budget: number, ratchets: boolean) {
    this.budget = budget;
    this.#ratchets = ratchets;
  }

  visit(
    value: Json,
    old: Json | undefined,
    schema: StructuralSchema,
    path: FieldPath | undefined,
    isResource: boolean,
  ): void {
    if (!schema.has.rules || value === null || value === undefined || this.budget < 0) return;
    this.#runRules(value, old ?? undefined, schema, path, isResource);
    if (Array.isArray(value)) this.#visitItems(value as readonly Json[], old, schema, path);
    else if (typeof value === 'object') this.#visitFields(value as JsonMap, old, schema, path);
  }

  #visitItems(
    items: readonly Json[],
    old: Json | undefined,
    schema: StructuralSchema,
    path: FieldPath | undefined,
  ): void {
    if (schema.items === undefined) return;
    const oldItemOf = correlateItems(schema, old);
    for (const [index, item] of items.entries()) {
      this.visit(item, oldItemOf?.(item), schema.items, (path ?? new FieldPath()).index(index), false);
    }
  }

  #visitFields(map: JsonMap, old: Json | undefined, schema: StructuralSchema, path: FieldPath | undefined): void {
    const correlates = schema.mapType !== 'atomic';
    const oldMap = correlates ? asMap(old) : undefined;
    const { properties, additionalProperties } = schema;
    for (const [key, value] of Object.entries(map)) {
      const property = properties.get(key);
      const child = property ?? additionalProperties;
      if (typeof child !== 'object') continue;
      const at = path ?? new FieldPath();
      const oldValue = oldMap === undefined ? undefined : getOwn(oldMap, key);
      this.visit(value, oldValue, child, property === undefined ? at.key(key) : at.child(key), false);
    }
  }

  #runRules(
    value: Json,
    old: Json | undefined,
    schema: StructuralSchema,
    path: FieldPath | undefined,
    isResource: boolean,
  ): void {
    let unchanged: boolean | undefined;
    for (const program of ruleProgramsOf(schema, isResource)) {
      if (this.budget < 0) return;
      const needsOld = program.isTransition && program.rule.optionalOldSelf !== true;
      if (needsOld && old === undefined) continue;
      const error = this.#runRule(program, { value, old, schema, path, isResource });
      if (error === undefined) continue;
      // Only what rests on the value alone may be forgiven because the value is as it was.
      unchanged ??= this.#ratchets && old !== undefined && isUnchanged(value, old, schema);
      (unchanged && !program.isTransition ? this.ratcheted : this.errors).push(error);
    }
  }

  #runRule(program: RuleProgram, site: Site): FieldError | undefined {
    const { rule } = program;
    const { path, schema, value } = site;
    if (program.program === undefined)
      return ruleError(path, schema.type, { text: `rule compile error: ${program.error}` });
    const bindings = bindingsOf(site, rule);
    const result = program.program.evaluate(bindings, { costBudget: Math.min(perCallCostLimit, this.budget) });
    this.budget -= result.cost;
    if (this.budget < 0) {
      return ruleError(path, undefined, {
        text: 'validation failed due to running out of cost budget, no further validation rules will be run',
      });
    }
    if (result.error !== undefined) {
      if (result.exhausted) this.budget = -1;
      return ruleError(path, schema.type, { text: failureText(result.error, result.exhausted, rule) });
    }
    if (result.value === true) return undefined;
    const text = this.#messageOf(program, bindings) ?? (messageOf(rule) || `failed rule: ${rule.rule.trim()}`);
    return ruleError(path, isScalar(value) ? { value } : undefined, {
      text,
      reason: rule.reason,
      fieldPath: rule.fieldPath,
      schema,
    });
  }

  /** What the message expression says, unless it fails or says nothing that fits in a line. */
  #messageOf({ message }: RuleProgram, bindings: Readonly<Record<string, unknown>>): string | undefined {
    if (message === undefined) return undefined;
    const result = message.evaluate(bindings, { costBudget: Math.min(perCallCostLimit, this.budget) });
    this.budget -= result.cost;
    const text = typeof result.value === 'string' ? result.value.trim() : '';
    return text === '' || text.includes('\n') || utf8Length(text) > messageBytesMax ? undefined : text;
  }
}

interface Site {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly schema: StructuralSchema;
  readonly path: FieldPath | undefined;
  readonly isResource: boolean;
}

function bindingsOf({ value, old, schema, isResource }: Site, rule: ValidationRule): Readonly<Record<string, unknown>> {
  if (rule.optionalOldSelf !== true) return old === undefined ? { self: value } : { self: value, oldSelf: old };
  const type = declarationOf(schema, isResource)?.type;
  return { self: value, oldSelf: old === undefined ? CelOptional.none : new CelOptional(fromJson(old, type)) };
}

function failureText(error: string, exhausted: boolean, rule: ValidationRule): string {
  const shown = messageOf(rule) || rule.rule.trim();
  if (exhausted)
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
  if (error.startsWith('no such overload')) {
    return `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`;
  }
  return `${error} evaluating rule: ${shown}`;
}

function messageOf(rule: ValidationRule): string {
  return rule.message?.trim() ?? '';
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object';
}
