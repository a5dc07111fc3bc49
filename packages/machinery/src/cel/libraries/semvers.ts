// Kubernetes' semver library: `semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))`; `semver('v1.2', true)` is forgiving.

import { compareBytewise } from '../../values/go-strings.ts';
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
const number = '(0|[1-9][0-9]{0,18})';
const identifier = '(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const strict = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

export const semvers: readonly Overload[] = overloads({
  'semver(string): Semver': ([text]) => toSemver(text as string, false),
  'semver(string, bool): Semver': ([text, normalize]) => toSemver(text as string, normalize as boolean),
  'isSemver(string): bool': ([text]) => parse(text as string, false) !== undefined,
  'isSemver(string, bool): bool': ([text, normalize]) => parse(text as string, normalize as boolean) !== undefined,
  'Semver.major(): int': ([a]) => of(a).numbers[0],
  'Semver.minor(): int': ([a]) => of(a).numbers[1],
  'Semver.patch(): int': ([a]) => of(a).numbers[2],
  'Semver.isLessThan(Semver): bool': ([a, b]) => of(a).compare(of(b)) < 0,
  'Semver.isGreaterThan(Semver): bool': ([a, b]) => of(a).compare(of(b)) > 0,
  'Semver.compareTo(Semver): int': ([a, b]) => BigInt(of(a).compare(of(b))),
});

function toSemver(text: string, normalize: boolean): SemverValue {
  const parsed = parse(text, normalize);
  if (parsed === undefined)
    throw new CelError(
      `semver parse error during conversion from string: ${JSON.stringify(text)} is no semantic version`,
    );
  return parsed;
}

function parse(text: string, normalize: boolean): SemverValue | undefined {
  const match = strict.exec(normalize ? normalized(text) : text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = match;
  return new SemverValue([BigInt(major), BigInt(minor), BigInt(patch)], prerelease?.split('.') ?? []);
}

/** Without a leading v, missing parts are zero, leading zeros are dropped. */
function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([0-9.]*)(.*)$/s.exec(text) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=[0-9])/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
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
