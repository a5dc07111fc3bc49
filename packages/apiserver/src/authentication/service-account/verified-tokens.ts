// Remembers which tokens carry a good signature, so that each is verified once. Keyed by hash: tokens are secrets and stay
// out of memory dumps of the map. Bounded: the least recently used is forgotten.

import type { Digests } from '../crypto-port.ts';
import { type JwtClaims, toBase64Url } from '../jwt.ts';

const tokensMax = 10_000;

export class VerifiedTokens {
  readonly #claims = new Map<string, JwtClaims>();
  readonly #digests: Digests;

  constructor(digests: Digests) {
    this.#digests = digests;
  }

  get(token: string): JwtClaims | undefined {
    const key = this.#key(token);
    const claims = this.#claims.get(key);
    if (claims === undefined) return undefined;
    this.#claims.delete(key);
    this.#claims.set(key, claims);
    return claims;
  }

  set(token: string, claims: JwtClaims): void {
    this.#claims.set(this.#key(token), claims);
    if (this.#claims.size <= tokensMax) return;
    const oldest = this.#claims.keys().next();
    if (!oldest.done) this.#claims.delete(oldest.value);
  }

  #key(token: string): string {
    return toBase64Url(this.#digests.sha256(Buffer.from(token)));
  }
}
