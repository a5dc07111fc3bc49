// Names that look like digests and are the same in every run. Nobody trusts them with anything.

import { fnv32a } from '@homeostat/machinery';

/** 64 hex digits that follow from the text. */
export function fingerprint(text: string): string {
  // Two hashes: a cluster has so many containers that 32 bits would meet twice.
  const second = fnv32a(text, 0x9dc5811c);
  let word = fnv32a(text);
  let out = '';
  for (let count = 0; count < 8; count++) {
    // One round of a mixer: every bit of the hashes reaches every digit.
    word = Math.imul(word ^ (word >>> 16) ^ (second + count), 0x85ebca6b) >>> 0;
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35) >>> 0;
    word = (word ^ (word >>> 16)) >>> 0;
    out += word.toString(16).padStart(8, '0');
  }
  return out;
}
