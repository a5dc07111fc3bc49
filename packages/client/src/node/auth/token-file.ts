// A bearer token in a file that is replaced under us, as mounted ServiceAccount tokens are (spec/client.md §2.3): read again every
// minute; when that fails the last one is kept.

import { readFileSync } from 'node:fs';
import type { Env } from '@homeostat/base';
import { KubeconfigError } from '../../kubeconfig/kubeconfig.ts';

export interface TokenFileOptions {
  readonly path: string;
  readonly env: Env;
  /** Used while the file can't be read at all. */
  readonly fallback?: string;
}

const maxAgeMs = 60_000;
const leewayMs = 10_000;

/** A function that gives the current token. It throws when there never was one. */
export function createTokenFile(options: TokenFileOptions): () => string {
  const { path, env, fallback } = options;
  let token: string | undefined;
  let readAtMs = -Infinity;
  return () => {
    const nowMs = env.clock.monotonicMs();
    if (token !== undefined && nowMs - readAtMs < maxAgeMs - leewayMs) return token;
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text === '') throw new Error('it is empty');
      token = text;
      readAtMs = nowMs;
      return text;
    } catch (error) {
      const kept = token ?? fallback;
      if (kept === undefined)
        throw new KubeconfigError(`the token file ${path} can't be read: ${(error as Error).message}`, {
          cause: error,
        });
      env.log.warn('the token file could not be read; the last token is kept', { path, error });
      readAtMs = nowMs;
      return kept;
    }
  };
}
