// Puts authentication together: who may be known how, the token endpoints and the OpenID documents. Composition only.

import type { Authenticator } from '../server/authenticator.ts';
import type { Route } from '../server/route.ts';
import type { ServerHost } from '../server/server-host.ts';
import type { User } from '../server/user.ts';
import type { VirtualResource } from '../server/virtual-resource.ts';
import { Anonymous } from './anonymous.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { ClientCertificates } from './client-certificate.ts';
import type { Digests, TokenKeys } from './crypto-port.ts';
import { createOidcRoutes } from './oidc-discovery.ts';
import { PeerUsers } from './peer-user.ts';
import { selfSubjectReview } from './reviews/self-subject-review.ts';
import { createTokenReview } from './reviews/token-review.ts';
import { AccountTokenAuthenticator, type FindBoundObject } from './service-account/account-token-authenticator.ts';
import { createTokenRequestResource } from './service-account/token-request.ts';
import { StaticTokens } from './static-tokens.ts';
import { UnionAuthenticator } from './union-authenticator.ts';

export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

export interface AuthenticationOptions {
  readonly keys: TokenKeys;
  readonly digests: Digests;
  /** `--token-auth-file`, parsed. */
  readonly staticTokens?: ReadonlyMap<string, User>;
  /** `--service-account-issuer`; the first signs, all are accepted. Default: {@link defaultIssuer}. */
  readonly issuers?: readonly string[];
  /** `--api-audiences`. Default: the issuers. */
  readonly audiences?: readonly string[];
  /** `--anonymous-auth`. Default: true. */
  readonly anonymous?: boolean;
  /** Where clients reach this server; for the OpenID documents. */
  readonly externalUrl: () => string;
}

export interface Authentication {
  readonly authenticator: Authenticator;
  /** TokenReview, SelfSubjectReview, serviceaccounts/token. */
  readonly virtualResources: readonly VirtualResource[];
  readonly routes: readonly Route[];
}

export function createAuthentication(
  host: Pick<ServerHost, 'env' | 'reader'>,
  options: AuthenticationOptions,
): Authentication {
  const issuers = options.issuers ?? [defaultIssuer];
  const issuer = issuers[0] ?? defaultIssuer;
  const audiences = options.audiences ?? issuers;
  const { keys, digests } = options;
  const accountTokens = new AccountTokenAuthenticator({
    keys,
    digests,
    clock: host.env.clock,
    find: findBoundObject(host),
    issuers,
    audiences,
  });
  const staticTokens = options.staticTokens === undefined ? [] : [new StaticTokens(options.staticTokens, audiences)];
  const tokens = new BearerTokens([...staticTokens, accountTokens], audiences);
  return {
    authenticator: new UnionAuthenticator(
      [new PeerUsers(), new ClientCertificates(), tokens],
      options.anonymous === false ? undefined : new Anonymous(),
    ),
    virtualResources: [
      createTokenReview(tokens, audiences),
      selfSubjectReview,
      createTokenRequestResource({ env: host.env, host, keys, issuer, audiences }),
    ],
    routes: createOidcRoutes({ issuer, keys, externalUrl: options.externalUrl }),
  };
}

/** From the cache when it has the very object, else with a read that sees every write. */
function findBoundObject(host: Pick<ServerHost, 'reader'>): FindBoundObject {
  return async (resource, { namespace, name, uid }) => {
    const reader = host.reader({ group: '', resource });
    const cached = reader.get(namespace, name);
    return cached?.metadata?.uid === uid ? cached : reader.getFresh(namespace, name);
  };
}
