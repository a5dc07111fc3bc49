// What validation found so far, and where in the value it is. Paths are only written out when something is wrong.

import {
  type FieldError,
  FieldPath,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { goJson, goQuote } from '../values/go-strings.ts';
import { sortJson } from '../values/sort-json.ts';

export class Findings {
  /** How many checks were made, by upstream's count: it decides which branch of anyOf and oneOf is spoken of. */
  checks = 0;
  readonly #base: FieldPath | undefined;
  #errors: FieldError[] = [];
  /** Shared by forks: a fork is walked to its end before its parent goes on. */
  readonly #path: (string | number)[];
  #startsWithKey = false;

  /** @param base - where the value is; undefined for a whole object */
  constructor(base: FieldPath | undefined, path: (string | number)[] = []) {
    this.#base = base;
    this.#path = path;
  }

  get size(): number {
    return this.#errors.length;
  }

  get isValid(): boolean {
    return this.#errors.length === 0;
  }

  /** The errors, each text once. */
  get errors(): readonly FieldError[] {
    if (this.#errors.length < 2) return this.#errors;
    const seen = new Map(this.#errors.map((error) => [`${error.field}\n${error.body}`, error]));
    return [...seen.values()];
  }

  get isAtRoot(): boolean {
    return this.#path.length === 0;
  }

  /** @param isKey - the step is a key of a map, no specified field: at the root it is written with a dot before it */
  enter(step: string | number, isKey = false): void {
    if (this.#path.length === 0) this.#startsWithKey = isKey;
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Findings of their own for the same place. */
  fork(): Findings {
    const fork = new Findings(this.#base, this.#path);
    fork.#startsWithKey = this.#startsWithKey;
    return fork;
  }

  merge(other: Findings | undefined): void {
    if (other === undefined) return;
    this.checks += other.checks;
    if (other.#errors.length > 0) this.#errors = [...this.#errors, ...other.#errors];
  }

  truncate(size: number): void {
    this.#errors.length = size;
  }

  required(name: string): void {
    const path = this.#name;
    this.#errors.push(required(this.#field(path === '' ? name : `${path}.${name}`)));
  }

  /** @param wanted - a type, several types, or a format @param found - what is there instead */
  typeInvalid(wanted: string, found: string): void {
    const text = `${this.#name} in body must be of type ${wanted}: ${goQuote(found)}`;
    this.#errors.push(typeInvalid(this.#field(), found, text));
  }

  /** @param rule - what the value should be like: `should be at least 2 chars long` */
  invalid(value: Json, rule: string): void {
    this.#errors.push(invalid(this.#field(), value, `${this.#name} in body ${rule}`));
  }

  forbiddenProperty(key: string): void {
    const text = `${this.#name}.${key} in body is a forbidden property`;
    this.#errors.push(invalid(this.#field(), key, text));
  }

  /** @param shown - the number as Go prints it, which depends on what it is compared with */
  invalidNumber(shown: string, rule: string): void {
    this.#pushInvalid(shown, `${this.#name} in body ${rule}`);
  }

  negativeFactor(shown: string): void {
    this.#pushInvalid(shown, `factor MultipleOf declared for ${this.#name} must be positive: ${shown}`);
  }

  notSupported(value: Json, allowed: readonly Json[]): void {
    const texts = allowed.map((item) => (typeof item === 'string' ? item : goJson(item)));
    this.#errors.push(notSupported(this.#field(), sortJson(value), texts));
  }

  tooLong(max: number): void {
    this.#errors.push(tooLong(this.#field(), max));
  }

  tooMany(actual: number, max: number): void {
    this.#errors.push(tooMany(this.#field(), actual, max));
  }

  /** An error that upstream reports without a field: `"spec.a" must not validate the schema (not)`. */
  plain(text: string): void {
    this.#errors.push(invalid(this.#base ?? noField, '', `${goQuote(this.#name)} ${text}`));
  }

  /** A number that its type can't hold. @param what - the value, or the keyword that is out of range */
  outOfRange(what: string, type: string, format: string | undefined): void {
    const form = format === undefined ? '(default format)' : `with format ${format}`;
    const text = `${what} must be of type ${type} ${form} in ${this.#name}`;
    this.#errors.push(invalid(this.#base ?? noField, '', text));
  }

  #pushInvalid(shown: string, text: string): void {
    const field = String(this.#field());
    this.#errors.push({ type: 'FieldValueInvalid', field, body: `Invalid value: ${shown}: ${text}` });
  }

  /** The path as texts show it. */
  get #name(): string {
    let name = '';
    for (const step of this.#path) {
      if (typeof step === 'number') name += `[${step}]`;
      else name += name === '' && !this.#startsWithKey ? step : `.${step}`;
    }
    return name;
  }

  #field(name = this.#name): FieldPath {
    const tail = name.startsWith('.') ? name.slice(1) : name;
    if (this.#base === undefined) return tail === '' ? noField : new FieldPath(tail);
    return tail === '' ? this.#base : this.#base.child(tail);
  }
}

/** How Go prints a path that is nil. */
const noField = new FieldPath('<nil>');
