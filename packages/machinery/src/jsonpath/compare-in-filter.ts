// Comparisons in filters `[?(@.a == 1)]`: of strings, numbers and booleans of the same kind only.

import type { FoundValue } from './evaluate-json-path.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { JsonPathError } from './json-path-node.ts';

/** Whether `left operator right` holds. @throws JsonPathError for other operators and kinds that don't compare */
export function compareInFilter(left: FoundValue, operator: string, right: FoundValue): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return isLess(left, right);
    case '>':
      return !isLess(left, right) && !isEqual(left, right);
    case '<=':
      return isLess(left, right) || isEqual(left, right);
    case '>=':
      return !isLess(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

type Kind = 'bool' | 'int' | 'float' | 'string';

function kindOf({ value, isFloat }: FoundValue): Kind {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return isFloat === true || !Number.isInteger(value) ? 'float' : 'int';
    default:
      throw new JsonPathError('invalid type for comparison');
  }
}

function sameKind(left: FoundValue, right: FoundValue): Kind {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw new JsonPathError('incompatible types for comparison');
  return kind;
}

function isEqual(left: FoundValue, right: FoundValue): boolean {
  sameKind(left, right);
  // eslint-disable-next-line eqeqeq -- a number equals the bigint of its value
  return left.value == right.value;
}

function isLess(left: FoundValue, right: FoundValue): boolean {
  if (sameKind(left, right) === 'bool') throw new JsonPathError('invalid type for comparison');
  const [a, b] = [left.value, right.value];
  if (typeof a === 'string' && typeof b === 'string') return compareBytewise(a, b) < 0;
  return Number(a) < Number(b);
}
