// Field errors of validation (`k8s.io/apimachinery/pkg/util/validation/field`): paths and texts as upstream writes them.

import type { StatusCause } from '@homeostat/base';
import { stringifyJson } from './codec/json/encode-json.ts';
import { goFloat } from './values/go-format.ts';
import { goQuote } from './values/go-strings.ts';

export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

export interface FieldError {
  readonly type: FieldErrorType;
  /** Dotted path, e.g. `spec.containers[0].image`. */
  readonly field: string;
  /** The message without the path, e.g. `Required value: must be set`. */
  readonly body: string;
}

/** A path under construction; immutable, so prefixes can be shared. */
export class FieldPath {
  readonly #text: string;

  constructor(text = '') {
    this.#text = text;
  }

  /** `path.child('spec', 'replicas')` → `spec.replicas` */
  child(...names: readonly string[]): FieldPath {
    const tail = names.join('.');
    return new FieldPath(this.#text === '' ? tail : `${this.#text}.${tail}`);
  }

  /** `containers` → `containers[2]` */
  index(index: number): FieldPath {
    return new FieldPath(`${this.#text}[${index}]`);
  }

  /** `labels` → `labels[app]` */
  key(key: string): FieldPath {
    return new FieldPath(`${this.#text}[${key}]`);
  }

  toString(): string {
    return this.#text;
  }
}

export function required(path: FieldPath, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field: String(path), body: withDetail('Required value', detail) };
}

export function invalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return {
    type: 'FieldValueInvalid',
    field: String(path),
    body: withDetail(`Invalid value: ${formatValue(value)}`, detail),
  };
}

export function typeInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return {
    type: 'FieldValueTypeInvalid',
    field: String(path),
    body: withDetail(`Invalid value: ${formatValue(value)}`, detail),
  };
}

/** `supported` is printed in the order given; upstream sorts the values of sets first. */
export function notSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((item) => quote(item)).join(', ');
  const tail = supported.length === 0 ? '' : `: supported values: ${list}`;
  return {
    type: 'FieldValueNotSupported',
    field: String(path),
    body: `Unsupported value: ${formatValue(value)}${tail}`,
  };
}

export function forbidden(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field: String(path), body: withDetail('Forbidden', detail) };
}

export function duplicate(path: FieldPath, value: unknown): FieldError {
  return { type: 'FieldValueDuplicate', field: String(path), body: `Duplicate value: ${formatValue(value)}` };
}

export function notFound(path: FieldPath, value: unknown): FieldError {
  return { type: 'FieldValueNotFound', field: String(path), body: `Not found: ${formatValue(value)}` };
}

export function tooLong(path: FieldPath, maxBytes: number): FieldError {
  const unit = maxBytes === 1 ? 'byte' : 'bytes';
  const detail = maxBytes >= 0 ? `may not be more than ${maxBytes} ${unit}` : 'value is too long';
  return { type: 'FieldValueTooLong', field: String(path), body: `Too long: ${detail}` };
}

export function tooMany(path: FieldPath, actual: number, max: number): FieldError {
  return {
    type: 'FieldValueTooMany',
    field: String(path),
    body: `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
  };
}

export function internalError(path: FieldPath, detail: string): FieldError {
  return { type: 'InternalError', field: String(path), body: `Internal error: ${detail}` };
}

export function toCause(error: FieldError): StatusCause {
  return { reason: error.type, message: error.body, field: error.field };
}

/** Joins errors as upstream's aggregate does: equal texts once, brackets when more than one. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.body}`))];
  return texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'object') return stringifyJson(value);
  return typeof value === 'number' ? goFloat(value) : String(value as bigint | boolean);
}

/** Go's `%q`, as messages quote texts. */
export function quote(text: string): string {
  return goQuote(text);
}
