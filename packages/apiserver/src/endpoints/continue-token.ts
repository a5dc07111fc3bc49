// The continue token of paged lists (spec/apiserver.md §5.3): upstream's form, so that a token means the same everywhere.

import { decodeJson, type Json, newBadRequest } from '@homeostat/machinery';
import { goKind } from './decode-body.ts';

export interface ContinueToken {
  /** Revision to read at; -1: the latest, inconsistent with earlier pages. */
  readonly revision: number;
  /** First key, relative to the list's prefix. */
  readonly start: string;
}

const tokenVersion = 'meta.k8s.io/v1';

export function encodeContinue(token: ContinueToken): string {
  const json = JSON.stringify({ v: tokenVersion, rv: token.revision, start: token.start }).replaceAll(
    /[<>&]/g,
    escapeHtml,
  );
  return Buffer.from(json, 'utf8').toString('base64url');
}

/** @throws ApiError 400 */
export function decodeContinue(text: string): ContinueToken {
  const value = parseToken(decodeBase64(text));
  if (value.v !== tokenVersion) {
    throw invalidToken(`continue key is not valid: server does not recognize this encoded version ${value.v ?? ''}`);
  }
  const revision = value.rv ?? 0;
  if (revision === 0)
    throw invalidToken('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  const start = value.start ?? '';
  if (start === '') throw invalidToken('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  const key = start.startsWith('/') ? start : `/${start}`;
  if (cleanPath(key) !== key) throw invalidToken(`continue key is not valid: ${start}`);
  return { revision, start };
}

function parseToken(json: string): { readonly v?: string; readonly rv?: number; readonly start?: string } {
  let value: Json;
  try {
    value = decodeJson(json);
  } catch (error) {
    throw invalidToken(`continue key is not valid: ${error instanceof Error ? error.message : String(error)}`);
  }
  const wrong = (found: Json, where: string, type: string): Error =>
    invalidToken(`continue key is not valid: json: cannot unmarshal ${goKind(found)} into Go ${where} of type ${type}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(value, 'value', 'storage.continueToken');
  const { v, rv, start } = value as Readonly<Record<string, Json | undefined>>;
  if (v !== undefined && typeof v !== 'string') throw wrong(v, 'struct field continueToken.v', 'string');
  if (rv !== undefined && typeof rv !== 'number') throw wrong(rv, 'struct field continueToken.rv', 'int64');
  if (start !== undefined && typeof start !== 'string')
    throw wrong(start, 'struct field continueToken.start', 'string');
  return {
    ...(v === undefined ? {} : { v }),
    ...(rv === undefined ? {} : { rv }),
    ...(start === undefined ? {} : { start }),
  };
}

function decodeBase64(text: string): string {
  const bad = text.search(/[^A-Za-z0-9_-]/);
  if (bad >= 0) throw invalidToken(`continue key is not valid: illegal base64 data at input byte ${bad}`);
  if (text.length % 4 === 1)
    throw invalidToken(`continue key is not valid: illegal base64 data at input byte ${text.length - 1}`);
  const bytes = Buffer.from(text, 'base64url');
  // What is no UTF-8 is no JSON either; the complaint names its first byte.
  if (!isUtf8(bytes)) {
    const first = String.fromCharCode(bytes[0] ?? 0);
    throw invalidToken(`continue key is not valid: invalid character '${first}' looking for beginning of value`);
  }
  return bytes.toString('utf8');
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function invalidToken(text: string): Error {
  return newBadRequest(`invalid continue token: ${text}`);
}

/** Go's path.Clean for absolute paths, as far as tokens can tell: no `.`, `..` or empty segments. */
function cleanPath(path: string): string {
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

function escapeHtml(char: string): string {
  return `\\u00${char.charCodeAt(0).toString(16)}`;
}
