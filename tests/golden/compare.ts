// Compares JSON values of two servers: everything, except what cannot be equal (forms.ts), and that by what can be
// asked of it: a uid is the same one everywhere, resource versions keep their order and equality, times their form.

import { isAge, uuid, type Part } from './forms.ts';
import { isObject, type JsonObject } from './json-values.ts';
import { orderManagedFields } from './managed-fields.ts';
import { Shown } from './shown.ts';

export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

// Resource versions remembered: the order is checked against this many.
const orderedVersionsMax = 400;

export class Comparison {
  readonly expected: Shown;
  readonly actual: Shown;
  readonly #uidTo = new Map<string, string>();
  readonly #uidFrom = new Map<string, string>();
  readonly #versions: (readonly [bigint, bigint])[] = [];
  #differences: Difference[] = [];

  constructor(options: { readonly controllersRun: boolean }) {
    this.expected = new Shown(options);
    this.actual = new Shown(options);
  }

  /** Hands over the differences found since the last call. */
  takeDifferences(): Difference[] {
    const found = this.#differences;
    this.#differences = [];
    return found;
  }

  differ(path: string, expected: unknown, actual: unknown): void {
    this.#differences.push({ path, expected, actual });
  }

  /** Compares values; `key` is the field they are under and `parent` the expected object that has it. */
  compare(path: string, expected: unknown, actual: unknown, key = '', parent?: JsonObject): void {
    if (key === 'description' && /columnDefinitions\[\d+\]\.description$/.test(path)) {
      // The prose of a Table's columns is each server's own.
      if (typeof actual !== 'string') this.differ(path, 'a text', actual);
    } else if (typeof expected === 'string') {
      this.#compareField(path, expected, actual, key, parent);
    } else if (typeof expected === 'number' && typeof actual === 'number') {
      if (!isSameNumber(key, expected, actual)) this.differ(path, expected, actual);
    } else if (Array.isArray(expected) && Array.isArray(actual)) {
      this.#compareLists(path, expected, actual, key);
    } else if (isObject(expected) && isObject(actual)) {
      this.#compareObjects(path, expected, actual);
    } else if (expected !== actual) {
      this.differ(path, expected, actual);
    }
  }

  #compareField(path: string, expected: string, actual: unknown, key: string, parent: JsonObject | undefined): void {
    switch (key) {
      case 'resourceVersion':
        if (/^\d+$/.test(expected) && expected !== '0') {
          this.#compareVersions(path, expected, actual, parent);
          return;
        }
        break;
      case 'continue':
        if (typeof actual !== 'string' || (expected === '') !== (actual === '')) this.differ(path, expected, actual);
        return;
      case 'kid':
      case 'audit-id':
      case 'etag':
        if (typeof actual !== 'string') this.differ(path, expected, actual);
        return;
    }
    this.compareText(path, expected, actual);
  }

  compareText(path: string, expected: string, actual: unknown): void {
    if (expected === actual) {
      for (const part of this.expected.cut(expected).parts) {
        if (part.kind === 'uid') this.#compareUids(path, part.value, part.value);
      }
      return;
    }
    if (typeof actual !== 'string') return this.differ(path, expected, actual);
    if (isAge(expected) && isAge(actual)) return;
    // Certificates and tokens in Secrets.
    if (/^(LS0tLS1CRUdJTi|ZXlK)/.test(expected) && expected.slice(0, 4) === actual.slice(0, 4)) {
      const decode = (text: string): string => Buffer.from(text, 'base64').toString();
      return this.compareText(`${path}<base64>`, decode(expected), decode(actual));
    }
    const ours = this.expected.cut(expected);
    const theirs = this.actual.cut(actual);
    if (ours.text !== theirs.text || ours.parts.length !== theirs.parts.length) {
      return this.differ(path, expected, actual);
    }
    ours.parts.forEach((part, index) => this.#compareParts(path, part, theirs.parts[index]));
  }

  #compareParts(path: string, expected: Part, actual: Part | undefined): void {
    if (actual === undefined) return;
    if (expected.kind === 'uid') this.#compareUids(path, expected.value, actual.value);
    if (expected.kind !== 'jwt') return;
    try {
      this.compare(`${path}<jwt>`, openJwt(expected.value), openJwt(actual.value));
    } catch {
      this.differ(path, 'a JWT', actual.value);
    }
  }

  #compareUids(path: string, expected: string, actual: string): void {
    const bound = this.#uidTo.get(expected);
    if (bound === undefined && !this.#uidFrom.has(actual)) {
      this.#uidTo.set(expected, actual);
      this.#uidFrom.set(actual, expected);
    } else if (bound !== actual) {
      this.differ(path, `the uid first seen as ${bound ?? 'another'}`, actual);
    }
  }

  #compareVersions(path: string, expected: string, actual: unknown, parent: JsonObject | undefined): void {
    if (typeof actual !== 'string' || !/^\d+$/.test(actual)) return this.differ(path, expected, actual);
    // That of a list is the store's, which moves for reasons of its own.
    if (parent !== undefined && !('uid' in parent)) return;
    const pair = [BigInt(expected), BigInt(actual)] as const;
    const broken = this.#versions.find((seen) => order(seen[0], pair[0]) !== order(seen[1], pair[1]));
    if (broken !== undefined) {
      const [before, beforeActual] = broken;
      this.differ(path, `resourceVersion in order (${expected} after ${before})`, `${actual} after ${beforeActual}`);
    }
    this.#versions.push(pair);
    if (this.#versions.length > orderedVersionsMax) this.#versions.shift();
  }

  #compareLists(path: string, expected: readonly unknown[], actual: readonly unknown[], key: string): void {
    if (expected.length !== actual.length) {
      return this.differ(path, `${expected.length} items`, `${actual.length} items`);
    }
    if (key !== 'managedFields') {
      return expected.forEach((each, index) => this.compare(`${path}[${index}]`, each, actual[index]));
    }
    const { problem, pairs } = orderManagedFields(expected, actual);
    if (problem !== undefined) return this.differ(path, problem.wanted, problem.found);
    pairs.forEach(([ours, theirs], index) => this.compare(`${path}[${index}]`, ours, theirs));
  }

  #compareObjects(path: string, expected: JsonObject, actual: JsonObject): void {
    const twins = this.#twinKeys(expected, actual);
    for (const [key, value] of Object.entries(expected)) {
      const actualKey = twins.get(key) ?? key;
      if (actualKey in actual)
        this.compare(path === '' ? key : `${path}.${key}`, value, actual[actualKey], key, expected);
      else this.differ(`${path}.${key}`, value, undefined);
    }
    const known = new Set(twins.values());
    for (const [key, value] of Object.entries(actual)) {
      if (!(key in expected) && !known.has(key)) this.differ(`${path}.${key}`, undefined, value);
    }
  }

  /** Keys that name an object by its uid (managedFields do), with the same key of the other server. */
  #twinKeys(expected: JsonObject, actual: JsonObject): Map<string, string> {
    const twins = new Map<string, string>();
    for (const key of Object.keys(expected)) {
      if (key in actual || !uuid.test(key)) continue;
      const twin = key.replace(new RegExp(uuid.source, 'g'), (uid) => this.#uidTo.get(uid) ?? uid);
      if (twin in actual) twins.set(key, twin);
    }
    return twins;
  }
}

function isSameNumber(key: string, expected: number, actual: number): boolean {
  if (expected === actual) return true;
  if (/nodePort/i.test(key)) return actual >= 30_000 && actual <= 32_767 && expected >= 30_000;
  return ['exp', 'iat', 'nbf', 'warnafter', 'remainingItemCount'].includes(key);
}

function order(a: bigint, b: bigint): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Header and claims. */
function openJwt(token: string): unknown[] {
  return token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown);
}
