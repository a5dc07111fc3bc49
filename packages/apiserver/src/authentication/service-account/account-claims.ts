// What a ServiceAccount token says: the claims exactly as upstream writes them, new and legacy, and the user they stand
// for (spec/apiserver.md §16).

import type { User } from '../../server/user.ts';
import type { JwtClaims } from '../jwt.ts';

/** Which object a token is bound to. */
export interface ObjectClaim {
  readonly name?: string;
  readonly uid?: string;
}

/** The private claims under `kubernetes.io`. */
export interface AccountClaims {
  readonly namespace: string;
  readonly serviceaccount: ObjectClaim;
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
  /** Seconds since the epoch after which the token should have been replaced, though it is still good. */
  readonly warnafter?: number;
}

/** Claims of the tokens that Secrets of type `kubernetes.io/service-account-token` hold. */
export interface LegacyAccountClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly accountName: string;
  readonly accountUid: string;
}

export const legacyIssuer = 'kubernetes/serviceaccount';
const legacyPrefix = 'kubernetes.io/serviceaccount/';

export function accountUsername(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Reads the private claims of a current token; undefined when they are not there. */
export function readAccountClaims(claims: JwtClaims): AccountClaims | undefined {
  const value = claims['kubernetes.io'] as AccountClaims | undefined;
  if (typeof value !== 'object' || value === null || typeof value.namespace !== 'string') return undefined;
  return typeof value.serviceaccount === 'object' ? value : undefined;
}

export function readLegacyClaims(claims: JwtClaims): LegacyAccountClaims {
  const read = (name: string): string => {
    const value = claims[legacyPrefix + name];
    return typeof value === 'string' ? value : '';
  };
  return {
    namespace: read('namespace'),
    secretName: read('secret.name'),
    accountName: read('service-account.name'),
    accountUid: read('service-account.uid'),
  };
}

/** The claims of a legacy token, as the token controller writes them. */
export function legacyClaims(claims: LegacyAccountClaims): JwtClaims {
  return {
    iss: legacyIssuer,
    [`${legacyPrefix}namespace`]: claims.namespace,
    [`${legacyPrefix}secret.name`]: claims.secretName,
    [`${legacyPrefix}service-account.name`]: claims.accountName,
    [`${legacyPrefix}service-account.uid`]: claims.accountUid,
    sub: accountUsername(claims.namespace, claims.accountName),
  };
}

/** What a valid token tells about its bearer. */
export interface AccountFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly jti?: string | undefined;
  readonly pod?: ObjectClaim | undefined;
  readonly node?: ObjectClaim | undefined;
}

export function accountUser({ namespace, name, uid, jti, pod, node }: AccountFacts): User {
  const extra: Record<string, readonly string[]> = {};
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') extra[`authentication.kubernetes.io/${key}`] = [value];
  };
  add('credential-id', jti === undefined || jti === '' ? undefined : `JTI=${jti}`);
  add('node-name', node?.name);
  add('node-uid', node?.uid);
  add('pod-name', pod?.name);
  add('pod-uid', pod?.uid);
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { username: accountUsername(namespace, name), uid, groups, extra };
}
