// Names that look like digests and are the same in every run. Nobody trusts them with anything.

import { fnv32a } from '@homeostat/machinery';

/** 64 hex digits that follow from the text. */
export function fingerprint(text: string): string {
  let out = '';
  let seed = 0x811c9dc5;
  for (let word = 0; word < 8; word++) {
    seed = fnv32a(`${word}/${text}`, seed);
    out += seed.toString(16).padStart(8, '0');
  }
  return out;
}
