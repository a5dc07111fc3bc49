// One condition on labels: `key in (a,b)`, `key!=a`, `!key`, `key>5`. Checked when it is made, so that matching can't fail.
// Follows k8s.io/apimachinery/pkg/labels.

import { aggregateFieldErrors, type FieldError, FieldPath, invalid, notSupported } from '../field-error.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { isLabelValue, isQualifiedName } from '../values/names.ts';
import { SelectorError } from './selector-error.ts';

/** Operators in upstream's spelling; `exists` and `!` take no value, `gt` and `lt` one integer. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export const labelOperators: readonly LabelOperator[] = ['!', '!=', '=', '==', 'exists', 'gt', 'in', 'lt', 'notin'];

export type Labels = Readonly<Record<string, string>>;

export class LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];

  private constructor(key: string, operator: LabelOperator, values: readonly string[]) {
    this.key = key;
    this.operator = operator;
    this.values = values;
  }

  /** Makes a checked requirement. @throws SelectorError with upstream's text, all problems in one */
  static create(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    const errors: FieldError[] = [];
    const keyError = labelKeyError(key, 'key');
    if (keyError !== undefined) errors.push(keyError);
    checkValueCount(operator, values, errors);
    for (const [index, value] of values.entries()) {
      const texts = isLabelValue(value);
      if (texts.length > 0)
        errors.push(invalid(new FieldPath('values').index(index).key(key), value, texts.join('; ')));
    }
    if (errors.length > 0) throw new SelectorError(aggregateFieldErrors(errors));
    return new LabelRequirement(key, operator, values);
  }

  /** `key=value`, unchecked: for labels that come from stored objects. */
  static equals(key: string, value: string): LabelRequirement {
    return new LabelRequirement(key, '=', [value]);
  }

  matches(labels: Labels): boolean {
    const has = Object.hasOwn(labels, this.key);
    const value = has ? labels[this.key] : undefined;
    switch (this.operator) {
      case '=':
      case '==':
      case 'in':
        return value !== undefined && this.values.includes(value);
      case '!=':
      case 'notin':
        return value === undefined || !this.values.includes(value);
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case 'gt':
      case 'lt':
        return value !== undefined && this.#matchesOrder(value);
    }
  }

  #matchesOrder(value: string): boolean {
    const left = parseInt64(value);
    const right = parseInt64(this.values[0] ?? '');
    if (left === undefined || right === undefined) return false;
    return this.operator === 'gt' ? left > right : left < right;
  }

  toString(): string {
    switch (this.operator) {
      case 'exists':
        return this.key;
      case '!':
        return `!${this.key}`;
      case 'in':
      case 'notin':
        return `${this.key} ${this.operator} (${[...this.values].sort(compareBytewise).join(',')})`;
      case 'gt':
        return `${this.key}>${this.values.join(',')}`;
      case 'lt':
        return `${this.key}<${this.values.join(',')}`;
      default:
        return `${this.key}${this.operator}${this.values.join(',')}`;
    }
  }
}

/** The problem of a label key, at a path; upstream prints `<nil>` where it has none. */
export function labelKeyError(key: string, path: string): FieldError | undefined {
  const texts = isQualifiedName(key);
  return texts.length === 0 ? undefined : invalid(new FieldPath(path), key, texts.join('; '));
}

function checkValueCount(operator: LabelOperator, values: readonly string[], errors: FieldError[]): void {
  const path = new FieldPath('values');
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) {
        errors.push(invalid(path, null, "for 'in', 'notin' operators, values set can't be empty"));
      }
      return;
    case '=':
    case '==':
    case '!=':
      if (values.length !== 1)
        errors.push(invalid(path, values, 'exact-match compatibility requires one single value'));
      return;
    case 'exists':
    case '!':
      if (values.length > 0) {
        errors.push(invalid(path, values, 'values set must be empty for exists and does not exist'));
      }
      return;
    case 'gt':
    case 'lt':
      if (values.length !== 1) {
        errors.push(invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required"));
      }
      for (const [index, value] of values.entries()) {
        if (parseInt64(value) === undefined) {
          errors.push(invalid(path.index(index), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
        }
      }
      return;
    default:
      errors.push(notSupported(new FieldPath('operator'), operator, labelOperators));
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
