// Rules of a CustomResourceDefinition when it is written: that they compile, that they may use oldSelf where they do, and
// that what they can cost, times how often they can run, stays within upstream's limits.

import { costMax, estimateCost } from '../cel/estimate-cost.ts';
import { type FieldError, type FieldPath, forbidden, invalid } from '../field-error.ts';
import { goJsonString } from '../values/go-strings.ts';
import { compileStructural } from './compile-structural.ts';
import { declarationOf, requestBytesMax } from './rule-declarations.ts';
import type { RuleChecks, RuleSite } from './rule-checks.ts';
import { type RuleProgram, ruleProgramsOf } from './rule-programs.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';
import { validateRules } from './validate-rules.ts';

const ruleCostLimit = 10_000_000;
const schemaCostLimit = 100_000_000;
/** Rules that cost less than this part of the limit are not named as those that cost most. */
const notablePart = 0.01;
const expensiveMax = 4;

const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** Checks the rules of one schema; make a new one for each. */
export function createRuleChecks(): RuleChecks {
  const total = new TotalCost();
  return {
    check(site) {
      const schema = compileStructural(site.schema);
      const isResource = site.step === 'root';
      const runs = runsOf(site, schema, isResource);
      const path = site.path.child('x-kubernetes-validations');
      return ruleProgramsOf(schema, isResource).flatMap((program, index) =>
        program.rule.rule.trim() === '' ? [] : checkRule(program, site, path.index(index), runs, total),
      );
    },
    checkDefault: (value, schema, path, isResource) =>
      validateRules(value, value, schema, { path, isResource, ratchets: false }).errors,
    finish: (path) => total.errors(path),
  };
}

function checkRule(
  program: RuleProgram,
  site: RuleSite,
  path: FieldPath,
  runs: number,
  total: TotalCost,
): FieldError[] {
  const { rule } = program;
  const errors: FieldError[] = [];
  const at = path.child('rule');
  if (program.program !== undefined) {
    const cost = Math.min(costMax, estimateCost(program.program.checked, program.self) * runs);
    if (cost > ruleCostLimit) errors.push(forbidden(at, costText('estimated rule cost', cost, ruleCostLimit)));
    total.add(at, cost);
  }
  if (program.error !== undefined) errors.push(invalidRule(at, rule, program.error));
  errors.push(...checkMessage(program, path.child('messageExpression'), runs, total));
  if (program.isTransition) {
    if (site.uncorrelatable !== undefined) {
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${String(site.uncorrelatable)}`;
      errors.push(invalid(at, rule.rule, text));
    }
  } else if (rule.optionalOldSelf !== undefined && program.error === undefined) {
    errors.push(
      invalid(path.child('optionalOldSelf'), rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  }
  return errors;
}

function checkMessage(program: RuleProgram, at: FieldPath, runs: number, total: TotalCost): FieldError[] {
  if ((program.rule.messageExpression ?? '').trim() === '') return [];
  if (program.messageError !== undefined) return [invalidRule(at, program.rule, program.messageError)];
  if (program.message === undefined) return [];
  const cost = Math.min(costMax, estimateCost(program.message.checked, program.self) * runs);
  total.add(at, cost);
  return cost > ruleCostLimit ? [forbidden(at, costText('estimated messageExpression cost', cost, ruleCostLimit))] : [];
}

/** Shows the rule as Go's JSON of it. */
function invalidRule(path: FieldPath, rule: ValidationRule, detail: string): FieldError {
  const text = (value: string | undefined): string => goJsonString(value ?? '');
  const shown =
    `{"Rule":${text(rule.rule)},"Message":${text(rule.message)},"MessageExpression":${text(rule.messageExpression)},` +
    `"Reason":${rule.reason === undefined ? 'null' : goJsonString(rule.reason)},"FieldPath":${text(rule.fieldPath)},` +
    `"OptionalOldSelf":${rule.optionalOldSelf ?? null}}`;
  return { type: 'FieldValueInvalid', field: String(path), body: `Invalid value: ${shown}: ${detail}` };
}

/** How often a rule can run on one object: by the bounds of what it is in, or by what fits in a request. */
function runsOf(site: RuleSite, schema: StructuralSchema, isResource: boolean): number {
  let runs = 1;
  for (let at: RuleSite | undefined = site; at?.parent !== undefined; at = at.parent) {
    const bound =
      at.step === 'items'
        ? at.parent.schema['maxItems']
        : at.step === 'additionalProperties'
          ? at.parent.schema['maxProperties']
          : 1;
    if (typeof bound !== 'number') return runsInRequest(schema, isResource);
    runs = Math.min(costMax, runs * bound);
  }
  return runs;
}

function runsInRequest(schema: StructuralSchema, isResource: boolean): number {
  const bytesMin = declarationOf(schema, isResource)?.bytesMin ?? 0;
  return Math.floor(requestBytesMax / (bytesMin + 1));
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} ${advice}`;
}

class TotalCost {
  #total = 0;
  readonly #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];

  add(path: FieldPath, cost: number): void {
    this.#total = Math.min(costMax, this.#total + cost);
    if (cost >= schemaCostLimit * notablePart) this.#expensive.push({ path, cost });
  }

  errors(path: FieldPath): FieldError[] {
    if (this.#total <= schemaCostLimit) return [];
    const most = this.#expensive.toSorted((a, b) => b.cost - a.cost).slice(0, expensiveMax);
    const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    return [
      ...most.map((one) => forbidden(one.path, text)),
      forbidden(
        path,
        costText(
          'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
          this.#total,
          schemaCostLimit,
        ),
      ),
    ];
  }
}
