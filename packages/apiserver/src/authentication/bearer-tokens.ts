// Bearer tokens of a request (`Authorization: Bearer …`, or the WebSocket subprotocol browsers use instead): asks the token
// authenticators in order (spec/apiserver.md §16).

import type { ApiRequest } from '@homeostat/client';
import type { Authenticator } from '../server/authenticator.ts';
import type { User } from '../server/user.ts';
import { type TokenAuthenticator, TokenError, type TokenIdentity } from './token-authenticator.ts';

const webSocketPrefix = 'base64url.bearer.authorization.k8s.io.';
const invalidToken = 'invalid bearer token';

export class BearerTokens implements Authenticator {
  readonly #authenticators: readonly TokenAuthenticator[];
  readonly #audiences: readonly string[];

  /** `audiences` are the server's own: what a request's token must be good for. */
  constructor(authenticators: readonly TokenAuthenticator[], audiences: readonly string[]) {
    this.#authenticators = authenticators;
    this.#audiences = audiences;
  }

  async authenticate(request: ApiRequest): Promise<User | undefined> {
    const token = readBearerToken(request.headers['authorization']) ?? readWebSocketToken(request.headers);
    return token === undefined ? undefined : (await this.identify(token, this.#audiences)).user;
  }

  /**
   * Whose token it is, for TokenReview too.
   * @throws TokenError when no authenticator accepts it.
   */
  async identify(token: string, audiences: readonly string[]): Promise<TokenIdentity> {
    const problems: string[] = [];
    for (const authenticator of this.#authenticators) {
      try {
        const identity = await authenticator.authenticateToken(token, audiences);
        if (identity !== undefined) return identity;
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        problems.push(error.message);
      }
    }
    throw new TokenError(problems.length === 0 ? invalidToken : `[${[invalidToken, ...problems].join(', ')}]`);
  }
}

/** The token of an Authorization header; undefined for other schemes, which count as no credentials. */
export function readBearerToken(header: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** @throws TokenError for more than one token, or one that is no base64url text. */
function readWebSocketToken(headers: Readonly<Record<string, string>>): string | undefined {
  if (headers['upgrade']?.toLowerCase() !== 'websocket') return undefined;
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  const tokens = protocols.filter((each) => each.startsWith(webSocketPrefix));
  if (tokens.length === 0) return undefined;
  if (tokens.length > 1) throw new TokenError('multiple base64.bearer.authorization tokens specified');
  const encoded = (tokens[0] ?? '').slice(webSocketPrefix.length);
  // The subprotocol is a hint, not a choice: without another one the server could not answer.
  if (protocols.length === 1) throw new TokenError('missing additional subprotocol');
  const token = Buffer.from(encoded, 'base64url').toString();
  if (token === '' || !/^[\w-]+$/.test(encoded))
    throw new TokenError('invalid base64.bearer.authorization token encoding');
  return token;
}
