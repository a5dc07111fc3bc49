// The operating system's entropy behind the Random port; fit for secrets.

import { randomFillSync } from 'node:crypto';
import { randomFrom, type Random } from '../random.ts';

const pool = new Uint32Array(1024);
let used = pool.length;

function uint32(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const value = pool[used] ?? 0;
  pool[used++] = 0;
  return value;
}

/** The real {@link Random}. */
export const realRandom: Random = randomFrom(uint32);
