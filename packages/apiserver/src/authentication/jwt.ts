// Compact JSON Web Tokens (RFC 7519, RFC 7515) over the crypto port, synchronous. Encrypted and unsigned tokens are not
// supported: a token without a known algorithm does not parse.

import type { SigningKey, VerificationKey } from './crypto-port.ts';

/** Registered claims, and whatever else is in the token. Times are seconds since the epoch. */
export interface JwtClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

export interface ParsedJwt {
  readonly header: { readonly alg: string; readonly kid?: string };
  /** Not yet verified. */
  readonly claims: JwtClaims;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Encodes and signs; claims are written sorted by name. */
export function signJwt(claims: JwtClaims, key: SigningKey): string {
  const header = { alg: key.algorithm, kid: key.keyId };
  const signed = `${encodePart(header)}.${encodePart(sortKeys(claims))}`;
  return `${signed}.${toBase64Url(key.sign(Buffer.from(signed)))}`;
}

/** Parses without verifying; undefined for anything that is no signed compact JWT. */
export function parseJwt(token: string): ParsedJwt | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const [header, claims, signature] = parts;
  if (!header || !claims || !signature) return undefined;
  const head = decodePart(header);
  const body = decodePart(claims);
  if (head === undefined || body === undefined) return undefined;
  const { alg, kid } = head;
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined;
  return {
    header: { alg, ...(kid === undefined ? {} : { kid }) },
    claims: body,
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Whether one of `keys` made the signature. A key id in the header narrows the choice; the algorithm is the key's own. */
export function verifyJwt(jwt: ParsedJwt, keys: readonly VerificationKey[]): boolean {
  const { alg, kid = '' } = jwt.header;
  const candidates = kid === '' ? keys : keys.filter((key) => key.keyId === kid);
  return candidates.some((key) => key.algorithm === alg && key.verify(jwt.signed, jwt.signature));
}

export function audiencesOf(claims: JwtClaims): readonly string[] {
  if (claims.aud === undefined) return [];
  return typeof claims.aud === 'string' ? [claims.aud] : claims.aud;
}

export function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

function encodePart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decodePart(part: string): Record<string, unknown> | undefined {
  if (!/^[\w-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sortKeys(item)]));
}
