// Signs the tokens of token Secrets with the cluster's key. The key may take a moment to be made: until then signing throws,
// and the controller that asked tries again.

import { signJwt, type SigningKey, type TokenKeys } from '@homeostat/apiserver';
import type { TokenSigner } from '@homeostat/controllers';

export interface TokenSignerOptions {
  readonly keys: TokenKeys;
  /** CA bundle for `ca.crt`, PEM. */
  readonly rootCa?: string;
}

export function createTokenSigner({ keys, rootCa }: TokenSignerOptions): TokenSigner {
  let key: SigningKey | undefined;
  let asked = false;
  return {
    sign: (claims) => {
      if (key !== undefined) return signJwt(claims, key);
      if (!asked) {
        asked = true;
        keys.signingKey().then(
          (made) => {
            key = made;
          },
          () => {
            asked = false; // the next attempt asks again and tells what is wrong if that fails too
          },
        );
      }
      throw new Error('the key of ServiceAccount tokens is not there yet');
    },
    ...(rootCa === undefined ? {} : { rootCa }),
  };
}
