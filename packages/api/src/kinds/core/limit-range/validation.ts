// Validation of LimitRanges: resource names by type, and that bounds and defaults do not contradict one another.

import {
  canonicalQuantity,
  compareQuantity,
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isQualifiedName,
  parseQuantity,
  required,
} from '@homeostat/machinery';
import type { LimitRange, LimitRangeItem } from '@homeostat/api/types/core-v1';
import { validateKubeObjectMeta } from '../../metadata/object-meta.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../../rules/resource-names.ts';
import { own, pushInvalid, sortedKeys } from '../../rules/values.ts';

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

export function validateLimitRange(limitRange: LimitRange): FieldError[] {
  const metadata = limitRange.metadata ?? {};
  const errors = validateKubeObjectMeta(
    metadata,
    { namespaced: true, name: nameIsDnsSubdomain },
    new FieldPath('metadata'),
  );
  const types = new Set<string>();
  for (const [index, item] of (limitRange.spec?.limits ?? []).entries()) {
    const path = new FieldPath('spec').child('limits').index(index);
    validateType(item.type ?? '', path.child('type'), errors);
    if (types.has(item.type ?? '')) errors.push(duplicate(path.child('type'), item.type ?? ''));
    types.add(item.type ?? '');
    validateItem(item, path, errors);
  }
  return errors;
}

function validateType(type: string, path: FieldPath, errors: FieldError[]): void {
  const texts = isQualifiedName(type);
  pushInvalid(texts, type, path, errors);
  if (texts.length > 0 || type.includes('/') || limitTypes.includes(type)) return;
  errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'));
}

type List = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

function validateItem(item: LimitRangeItem, path: FieldPath, errors: FieldError[]): void {
  const names = new Set<string>();
  const checkNames = (list: List): void => {
    for (const name of sortedKeys(item[list])) {
      const at = path.child(list).key(name);
      if (item.type === 'Pod' || item.type === 'Container') validateContainerResourceName(name, at, errors);
      else validateResourceName(name, at, errors);
      names.add(name);
    }
  };
  checkNames('max');
  checkNames('min');
  for (const list of ['default', 'defaultRequest'] as const) {
    if (item.type !== 'Pod') checkNames(list);
    else if (sortedKeys(item[list]).length > 0) {
      errors.push(forbidden(path.child(list), "may not be specified when `type` is 'Pod'"));
    }
  }
  if (
    item.type === 'PersistentVolumeClaim' &&
    item.min?.['storage'] === undefined &&
    item.max?.['storage'] === undefined
  ) {
    const text = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(path.child('limits'), text));
  }
  checkNames('maxLimitRequestRatio');
  for (const name of [...names].toSorted()) validateAmounts(item, name, path, errors);
}

function validateAmounts(item: LimitRangeItem, name: string, path: FieldPath, errors: FieldError[]): void {
  const isPod = item.type === 'Pod';
  const min = own(item.min, name);
  const max = own(item.max, name);
  const limit = isPod ? undefined : own(item.default, name);
  const request = isPod ? undefined : own(item.defaultRequest, name);
  const show = canonicalQuantity;
  const at = (list: List): FieldPath => path.child(list).key(name);
  const above = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && compareQuantity(a, b) > 0;
  const complain = (list: List, shown: string | undefined, text: string): void => {
    errors.push(invalid(at(list), show(shown ?? '0'), text));
  };
  const [minText, maxText, limitText, requestText] = [min, max, limit, request].map((value) => show(value ?? '0'));
  if (above(min, max)) complain('min', min, `min value ${minText} is greater than max value ${maxText}`);
  if (above(min, request)) {
    complain('defaultRequest', request, `min value ${minText} is greater than default request value ${requestText}`);
  }
  if (above(request, max)) {
    complain('defaultRequest', request, `default request value ${requestText} is greater than max value ${maxText}`);
  }
  if (above(request, limit)) {
    const text = `default request value ${requestText} is greater than default limit value ${limitText}`;
    complain('defaultRequest', request, text);
  }
  // The value shown is the bound that is broken, not the default.
  if (above(min, limit)) complain('default', min, `min value ${minText} is greater than default value ${limitText}`);
  if (above(limit, max)) complain('default', max, `default value ${limitText} is greater than max value ${maxText}`);
  validateRatio(own(item.maxLimitRequestRatio, name), min, max, at('maxLimitRequestRatio'), errors);
  if (
    !isOvercommitAllowed(name) &&
    limit !== undefined &&
    request !== undefined &&
    compareQuantity(limit, request) !== 0
  ) {
    const text = `default value ${limitText} must equal to defaultRequest value ${requestText} in ${name}`;
    complain('defaultRequest', request, text);
  }
}

/** Above this, thousandths of a quantity do not fit in 64 bits. */
const milliMax = 2n ** 63n / 1000n;

function validateRatio(
  ratio: string | undefined,
  min: string | undefined,
  max: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (ratio === undefined) return;
  const shown = canonicalQuantity(ratio);
  if (compareQuantity(ratio, '1') < 0) errors.push(invalid(path, shown, `ratio ${shown} is less than 1`));
  if (min === undefined || max === undefined) return;
  const inMilli = [ratio, min, max].every((value) => parseQuantity(value).scaledBigInt(0) < milliMax);
  const read = (value: string): number => (inMilli ? parseQuantity(value).milliValue() : parseQuantity(value).value());
  const bound = read(max) / read(min);
  const value = inMilli ? read(ratio) / 1000 : read(ratio);
  if (value > bound) errors.push(invalid(path, shown, `ratio ${shown} is greater than max/min = ${bound.toFixed(6)}`));
}
