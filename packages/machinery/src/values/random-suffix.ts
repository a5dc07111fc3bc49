// The random end of generated names (`generateName`): letters and digits without vowels, so that no words appear.

import type { Random } from '@homeostat/base';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** `length` random characters, 5 as upstream's name generator. */
export function randomSuffix(random: Random, length = 5): string {
  let out = '';
  for (let i = 0; i < length; i++) out += alphabet.charAt(random.int(alphabet.length));
  return out;
}
