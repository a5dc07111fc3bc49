// Names from `generateName` (spec/apiserver.md §4.2): a prefix and five random letters that spell no words.

import type { Random } from '@homeostat/base';

const letters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const baseLengthMax = 63 - suffixLength;

/** Attempts before a collision is reported. */
export const generateNameAttempts = 8;

export function generateName(base: string, random: Random): string {
  return `${base.slice(0, baseLengthMax)}${randomSuffix(random, suffixLength)}`;
}

export function randomSuffix(random: Random, length: number): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += letters[random.int(letters.length)];
  return suffix;
}
