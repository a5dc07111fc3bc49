// Kubernetes' semver library: `semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))`; `semver('v1.2', true)` is forgiving.

import { compareBytewise, goQuote } from '../../values/go-strings.ts';
import { type Overload, overloads } from '../functions.ts';
import { CelError, type CelOpaque, type CelValue } from '../values.ts';

class SemverValue implements CelOpaque {
  readonly opaqueName = 'kubernetes.Semver';
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  compare(other: SemverValue): number {
    for (const [index, number] of this.numbers.entries()) {
      const second = other.numbers[index] ?? 0n;
      if (number !== second) return number < second ? -1 : 1;
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof SemverValue && this.compare(other) === 0;
  }
}

const of = (value: CelValue | undefined): SemverValue => value as SemverValue;
export const semvers: readonly Overload[] = overloads({
  'semver(string): Semver': ([text]) => toSemver(text as string, false),
  'semver(string, bool): Semver': ([text, normalize]) => toSemver(text as string, normalize as boolean),
  'isSemver(string): bool': ([text]) => isSemver(text as string, false),
  'isSemver(string, bool): bool': ([text, normalize]) => isSemver(text as string, normalize as boolean),
  'Semver.major(): int': ([a]) => of(a).numbers[0],
  'Semver.minor(): int': ([a]) => of(a).numbers[1],
  'Semver.patch(): int': ([a]) => of(a).numbers[2],
  'Semver.isLessThan(Semver): bool': ([a, b]) => of(a).compare(of(b)) < 0,
  'Semver.isGreaterThan(Semver): bool': ([a, b]) => of(a).compare(of(b)) > 0,
  'Semver.compareTo(Semver): int': ([a, b]) => BigInt(of(a).compare(of(b))),
});

function toSemver(text: string, normalize: boolean): SemverValue {
  return parse(normalize ? normalized(text) : text);
}

function isSemver(text: string, normalize: boolean): boolean {
  try {
    toSemver(text, normalize);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

const letters = /^[0-9A-Za-z-]*$/;

/** @throws CelError in the words of upstream's library */
function parse(text: string): SemverValue {
  if (text === '') throw new CelError('Version string empty');
  const [, major, minor, rest] = /^([^.]*)\.([^.]*)\.(.*)$/s.exec(text) ?? [];
  if (major === undefined || minor === undefined || rest === undefined) {
    throw new CelError('No Major.Minor.Patch elements found');
  }
  const numbers = [numberOf('Major', major), numberOf('Minor', minor)] as const;
  const [beforeBuild = '', ...builds] = rest.split('+');
  const [patch = '', ...prereleases] = beforeBuild.split('-');
  const patchNumber = numberOf('Patch', patch);
  const prerelease = prereleases.length === 0 ? [] : prereleases.join('-').split('.');
  for (const part of prerelease) checkPrerelease(part);
  for (const part of builds.length === 0 ? [] : builds.join('+').split('.')) {
    if (part === '') throw new CelError('Build meta data is empty');
    if (!letters.test(part)) throw new CelError(`Invalid character(s) found in build meta data ${goQuote(part)}`);
  }
  return new SemverValue([...numbers, patchNumber], prerelease);
}

function numberOf(name: string, text: string): bigint {
  if (!/^[0-9]*$/.test(text)) {
    throw new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`);
  }
  if (/^0./.test(text)) throw new CelError(`${name} number must not contain leading zeroes ${goQuote(text)}`);
  return uint64(text);
}

function checkPrerelease(part: string): void {
  if (part === '') throw new CelError('Prerelease is empty');
  if (!letters.test(part)) throw new CelError(`Invalid character(s) found in prerelease ${goQuote(part)}`);
  if (!/^[0-9]+$/.test(part)) return;
  if (/^0./.test(part)) {
    throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`);
  }
  uint64(part);
}

const uint64Digits = 20;

function uint64(text: string): bigint {
  const value = text.length > uint64Digits ? undefined : BigInt(text);
  if (text !== '' && value !== undefined && value < 2n ** 64n) return value;
  const why = text === '' ? 'invalid syntax' : 'value out of range';
  throw new CelError(`strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
}

/** Without a leading v, missing parts are zero, leading zeros are dropped. */
function normalized(text: string): string {
  const [first = '', second, ...more] = text.replace(/^v/, '').split('.');
  const parts = [first, ...(second === undefined ? [] : [second]), ...(more.length === 0 ? [] : [more.join('.')])];
  const plain = parts.map((part) => (part.length > 1 ? part.replace(/^0+/, '').replace(/^(?![0-9])/, '0') : part));
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) ?? '')) {
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (plain.length < 3) plain.push('0');
  return plain.join('.');
}

/** A release is after its prereleases; numbers come before words. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareIdentifiers(a[index] ?? '', b[index] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function compareIdentifiers(a: string, b: string): number {
  const [first, second] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (first !== second) return first ? -1 : 1;
  if (!first) return Math.sign(compareBytewise(a, b));
  return BigInt(a) === BigInt(b) ? 0 : BigInt(a) < BigInt(b) ? -1 : 1;
}
