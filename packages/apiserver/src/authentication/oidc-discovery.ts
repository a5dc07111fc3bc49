// The OpenID documents by which others check this server's ServiceAccount tokens: `/.well-known/openid-configuration` and
// `/openid/v1/jwks` (spec/apiserver.md §16).

import type { ApiResponse } from '@homeostat/client';
import type { Route } from '../server/route.ts';
import type { TokenKeys } from './crypto-port.ts';

const keysPath = '/openid/v1/jwks';

export interface OidcDiscoveryOptions {
  readonly issuer: string;
  readonly keys: TokenKeys;
  /** Where clients reach this server, e.g. `https://192.0.2.2:6443`. */
  readonly externalUrl: () => string;
}

export function createOidcRoutes({ issuer, keys, externalUrl }: OidcDiscoveryOptions): readonly Route[] {
  return [
    {
      path: '/.well-known/openid-configuration',
      async handle(): Promise<ApiResponse> {
        await keys.signingKey();
        const algorithms = [...new Set(keys.verificationKeys().map((key) => key.algorithm))].sort();
        return answer('application/json', {
          issuer,
          jwks_uri: `${externalUrl()}${keysPath}`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: algorithms,
        });
      },
    },
    {
      path: keysPath,
      async handle(): Promise<ApiResponse> {
        await keys.signingKey();
        const sets = keys.verificationKeys().map((key) => {
          const { kty, ...value } = key.toJwk();
          return { use: 'sig', kty, kid: key.keyId, alg: key.algorithm, ...value };
        });
        return answer('application/jwk-set+json', { keys: sets });
      },
    },
  ];
}

function answer(contentType: string, body: unknown): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' },
    body: { kind: 'bytes', chunks: [Buffer.from(JSON.stringify(body))] },
  };
}
