// CreateOptions, UpdateOptions and PatchOptions: decoding from the query and validation (spec/apiserver.md §1.5).

import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  newInvalid,
  notSupported,
  required,
  tooLong,
} from '@homeostat/machinery';
import { queryBool, queryList } from './query-values.ts';

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
  /** As admission sees them. */
  readonly object: Readonly<Record<string, unknown>>;
}

const managerBytesMax = 128;

/** @throws ApiError 422 of the options kind */
export function decodeWriteOptions(
  query: URLSearchParams,
  kind: WriteOptionsKind,
  patch?: 'apply' | 'other',
): WriteOptions {
  const dryRun = queryList(query, 'dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const force = kind === 'PatchOptions' ? queryBool(query, 'force') : undefined;
  const errors: FieldError[] = [];
  if (patch === 'apply' && fieldManager === '')
    errors.push(required(new FieldPath('fieldManager'), 'is required for apply patch'));
  if (patch === 'other' && force !== undefined)
    errors.push(forbidden(new FieldPath('force'), 'may not be specified for non-apply patch'));
  validateFieldManager(fieldManager, errors);
  validateDryRun(dryRun, errors);
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    errors.push(notSupported(new FieldPath('fieldValidation'), fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun !== undefined,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force: force ?? false,
    object: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(force === undefined ? {} : { force }),
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(fieldValidation === '' ? {} : { fieldValidation }),
    },
  };
}

function validateDryRun(dryRun: readonly string[] | undefined, errors: FieldError[]): void {
  if (dryRun === undefined || dryRun.every((value) => value === 'All')) return;
  errors.push(notSupported(new FieldPath('dryRun'), dryRun, ['All']));
}

function validateFieldManager(manager: string, errors: FieldError[]): void {
  const path = new FieldPath('fieldManager');
  if (Buffer.byteLength(manager) > managerBytesMax) errors.push(tooLong(path, managerBytesMax));
  let position = 0;
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(char);
  }
}

/** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols, and the plain space. */
export function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}
