// The crypto port on Node: synchronous hashes, and ServiceAccount keys from PEM. The only place of the API server that
// touches private keys besides the PKI.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Json } from '@homeostat/machinery';
import type { Digests, SigningKey, TokenAlgorithm, VerificationKey } from '../authentication/crypto-port.ts';
import { toBase64Url } from '../authentication/jwt.ts';

export const nodeDigests: Digests = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  sha512: (bytes) => createHash('sha512').update(bytes).digest(),
};

/** A signing key from PKCS#8, PKCS#1 or SEC 1 PEM. @throws Error for keys that are neither RSA nor on a NIST curve. */
export function readSigningKey(pem: string): SigningKey {
  return toSigningKey(createPrivateKey(pem));
}

export function toSigningKey(privateKey: KeyObject): SigningKey {
  const key = toVerificationKey(createPublicKey(privateKey));
  const digest = digestOf(key.algorithm);
  return {
    ...key,
    sign: (data) => sign(digest, data, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}

/** Public keys of a PEM file that may hold several keys, public or private. */
export function readVerificationKeys(pem: string): readonly VerificationKey[] {
  const blocks = pem.match(/-----BEGIN [^-]*KEY-----[^]*?-----END [^-]*KEY-----/g) ?? [];
  return blocks.map((block) => toVerificationKey(createPublicKey(block)));
}

function toVerificationKey(publicKey: KeyObject): VerificationKey {
  const algorithm = algorithmOf(publicKey);
  const digest = digestOf(algorithm);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    keyId: toBase64Url(nodeDigests.sha256(der)),
    algorithm,
    verify: (data, signature) => verify(digest, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature),
    toJwk: () => publicKey.export({ format: 'jwk' }) as Record<string, Json>,
  };
}

function algorithmOf(key: KeyObject): TokenAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve === 'prime256v1') return 'ES256';
  if (curve === 'secp384r1') return 'ES384';
  if (curve === 'secp521r1') return 'ES512';
  throw new Error(
    `Cannot use a key of type ${key.asymmetricKeyType ?? 'unknown'} for tokens: expected RSA or a NIST curve`,
  );
}

function digestOf(algorithm: TokenAlgorithm): string {
  return `sha${algorithm.slice(2)}`;
}
