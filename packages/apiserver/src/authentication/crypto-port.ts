// The cryptography the API server's core needs, as synchronous ports: on Node they are backed by its crypto module
// (`node/node-crypto.ts`); a simulation passes fixture keys. Nothing here draws randomness or reads files.

import type { Json } from '@homeostat/machinery';

/** Hash functions; results are fresh arrays. */
export interface Digests {
  sha256(bytes: Uint8Array): Uint8Array;
  sha512(bytes: Uint8Array): Uint8Array;
}

/** JWS algorithms of ServiceAccount tokens. */
export type TokenAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A public key that tokens are checked with. */
export interface VerificationKey {
  /** base64url(SHA-256(DER of the public key)), as upstream names keys. */
  readonly keyId: string;
  readonly algorithm: TokenAlgorithm;
  verify(data: Uint8Array, signature: Uint8Array): boolean;
  /** Members of the key's JWK that say its value, e.g. `kty`, `n`, `e`. */
  toJwk(): Readonly<Record<string, Json>>;
}

/** A private key that tokens are signed with. */
export interface SigningKey extends VerificationKey {
  sign(data: Uint8Array): Uint8Array;
}

/** Where ServiceAccount keys come from. RSA keys take a while to make: signing may have to wait, verifying does not. */
export interface TokenKeys {
  /** The key new tokens are signed with. */
  signingKey(): Promise<SigningKey>;
  /** Every key that verifies, those of earlier signing keys too. Empty until the first is there. */
  verificationKeys(): readonly VerificationKey[];
}
