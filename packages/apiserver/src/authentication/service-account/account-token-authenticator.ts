// Authenticates ServiceAccount tokens: signature, issuer, audience, times, and that the account and what the token is
// bound to still exist (spec/apiserver.md §16). Signatures are remembered, existence is asked anew for every request, so a
// deleted Pod's token ends at once.

import type { Secret } from '@homeostat/api/types/core-v1';
import type { Clock } from '@homeostat/base';
import { type KubeObject, parseTime, quote } from '@homeostat/machinery';
import type { User } from '../../server/user.ts';
import type { Digests, TokenKeys } from '../crypto-port.ts';
import { audiencesOf, type JwtClaims, parseJwt, verifyJwt } from '../jwt.ts';
import { intersectAudiences, type TokenAuthenticator, TokenError, type TokenIdentity } from '../token-authenticator.ts';
import {
  type AccountClaims,
  accountUser,
  accountUsername,
  legacyIssuer,
  type ObjectClaim,
  readAccountClaims,
  readLegacyClaims,
} from './account-claims.ts';
import { VerifiedTokens } from './verified-tokens.ts';

const leewaySeconds = 60;
const invalidated = 'service account token has been invalidated';

export type AccountResource = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes';

/** Finds what a token speaks of. `uid` is the one the token names: a cached object of another uid may be stale. */
export type FindBoundObject = (
  resource: AccountResource,
  key: { readonly namespace: string; readonly name: string; readonly uid: string },
) => Promise<KubeObject | undefined>;

export interface AccountTokenOptions {
  readonly keys: TokenKeys;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly find: FindBoundObject;
  /** Accepted issuers; the first signs. */
  readonly issuers: readonly string[];
  /** The server's own audiences: those of legacy tokens. */
  readonly audiences: readonly string[];
}

export class AccountTokenAuthenticator implements TokenAuthenticator {
  readonly #options: AccountTokenOptions;
  readonly #verified: VerifiedTokens;

  constructor(options: AccountTokenOptions) {
    this.#options = options;
    this.#verified = new VerifiedTokens(options.digests);
  }

  async authenticateToken(token: string, wanted: readonly string[]): Promise<TokenIdentity | undefined> {
    const claims = this.#verifiedClaims(token);
    if (claims === undefined) return undefined;
    const legacy = claims.iss === legacyIssuer;
    const offered = audiencesOf(claims).length === 0 ? this.#options.audiences : audiencesOf(claims);
    const audiences = intersectAudiences(offered, wanted);
    if (audiences.length === 0) {
      throw new TokenError(
        `token audiences ${formatList(offered)} is invalid for the target audiences ${formatList(wanted)}`,
      );
    }
    const user = legacy ? await this.#legacyUser(token, claims) : await this.#user(claims);
    return { user, audiences };
  }

  /** Claims whose signature holds; undefined for tokens of other issuers. */
  #verifiedClaims(token: string): JwtClaims | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const jwt = parseJwt(token);
    const issuer = jwt?.claims.iss;
    if (jwt === undefined || issuer === undefined) return undefined;
    if (issuer !== legacyIssuer && !this.#options.issuers.includes(issuer)) return undefined;
    const keys = this.#options.keys.verificationKeys();
    const { kid } = jwt.header;
    if (keys.length === 0 || (kid !== undefined && !keys.some((key) => key.keyId === kid))) {
      throw new TokenError('invalid signature, no keys found');
    }
    if (!verifyJwt(jwt, keys)) throw new TokenError('the signature of the token is invalid');
    this.#verified.set(token, jwt.claims);
    return jwt.claims;
  }

  async #user(claims: JwtClaims): Promise<User> {
    const nowMs = this.#options.clock.nowMs();
    checkTimes(claims, nowMs / 1000);
    const bound = readAccountClaims(claims);
    if (bound === undefined) throw new TokenError('service account token claims could not be validated');
    const { namespace, serviceaccount, pod, node } = bound;
    await this.#checkAccount(namespace, serviceaccount.name ?? '', serviceaccount.uid ?? '');
    await this.#checkBound(bound);
    return accountUser({
      namespace,
      name: serviceaccount.name ?? '',
      uid: serviceaccount.uid ?? '',
      jti: claims.jti,
      pod,
      node,
    });
  }

  async #checkAccount(namespace: string, name: string, uid: string): Promise<void> {
    const account = await this.#options.find('serviceaccounts', { namespace, name, uid });
    if (account === undefined) throw new TokenError(`serviceaccounts ${quote(name)} not found`);
    if (account.metadata?.uid !== uid) {
      throw new TokenError(`service account UID (${account.metadata?.uid ?? ''}) does not match claim (${uid})`);
    }
    if (this.#isGone(account)) throw new TokenError(`service account ${namespace}/${name} has been deleted`);
  }

  async #checkBound({ namespace, secret, pod, node }: AccountClaims): Promise<void> {
    if (secret !== undefined) await this.#checkReference('secret', namespace, secret);
    if (pod !== undefined) await this.#checkReference('pod', namespace, pod);
    // A Pod's token only tells its node; a token bound to a node lives with it.
    else if (node !== undefined) await this.#checkReference('node', '', node);
  }

  async #checkReference(
    kind: 'secret' | 'pod' | 'node',
    namespace: string,
    { name = '', uid = '' }: ObjectClaim,
  ): Promise<void> {
    const object = await this.#options.find(`${kind}s`, { namespace, name, uid });
    if (object === undefined) throw new TokenError(invalidated);
    const found = object.metadata?.uid ?? '';
    if (found !== uid) {
      throw new TokenError(`${kind} UID (${found}) does not match service account ${kind} ref claim (${uid})`);
    }
    if (this.#isGone(object)) throw new TokenError(invalidated);
  }

  /** Whether an object on its way out has been so for longer than clocks may differ. */
  #isGone(object: KubeObject): boolean {
    const deleted = object.metadata?.deletionTimestamp;
    if (deleted === undefined) return false;
    return parseTime(deleted) < this.#options.clock.nowMs() - leewaySeconds * 1000;
  }

  async #legacyUser(token: string, claims: JwtClaims): Promise<User> {
    const { namespace, secretName, accountName, accountUid } = readLegacyClaims(claims);
    if (!claims.sub) throw new TokenError('sub claim is missing');
    if (namespace === '') throw new TokenError('namespace claim is missing');
    if (secretName === '') throw new TokenError('secretName claim is missing');
    if (accountName === '') throw new TokenError('serviceAccountName claim is missing');
    if (accountUid === '') throw new TokenError('serviceAccountUID claim is missing');
    if (claims.sub !== accountUsername(namespace, accountName)) throw new TokenError('sub claim is invalid');
    const secret = (await this.#options.find('secrets', { namespace, name: secretName, uid: '' })) as
      Secret | undefined;
    if (secret?.metadata?.deletionTimestamp !== undefined || secret === undefined) {
      throw new TokenError('Token has been invalidated');
    }
    if (Buffer.from(secret.data?.['token'] ?? '', 'base64').toString() !== token) {
      throw new TokenError("Token does not match server's copy");
    }
    const account = await this.#options.find('serviceaccounts', { namespace, name: accountName, uid: accountUid });
    if (account === undefined) throw new TokenError(`serviceaccounts ${quote(accountName)} not found`);
    if (account.metadata?.deletionTimestamp !== undefined) {
      throw new TokenError(`ServiceAccount ${namespace}/${accountName} has been deleted`);
    }
    if (account.metadata?.uid !== accountUid) {
      throw new TokenError(`ServiceAccount UID (${account.metadata?.uid ?? ''}) does not match claim (${accountUid})`);
    }
    if (secret.metadata?.labels?.['kubernetes.io/legacy-token-invalid-since']) {
      throw new TokenError(`the token in secret ${namespace}/${secretName} has been marked invalid`);
    }
    return accountUser({ namespace, name: accountName, uid: accountUid });
  }
}

function checkTimes(claims: JwtClaims, nowSeconds: number): void {
  if (claims.nbf !== undefined && nowSeconds + leewaySeconds < claims.nbf) {
    throw new TokenError('service account token is not valid yet');
  }
  if (claims.exp !== undefined && nowSeconds - leewaySeconds > claims.exp) {
    throw new TokenError('service account token has expired');
  }
  if (claims.iat !== undefined && nowSeconds + leewaySeconds < claims.iat) {
    throw new TokenError('service account token is issued in the future');
  }
}

function formatList(values: readonly string[]): string {
  return `[${values.map(quote).join(' ')}]`;
}
