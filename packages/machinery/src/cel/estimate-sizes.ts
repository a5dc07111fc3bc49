// How large the values of an expression can be: from the text for literals, from what functions make of their arguments, and
// from the declared type of `self` for what is read from it. A value read from it is known by its path.

import type { Expr } from './ast.ts';
import type { CheckedExpr } from './checker.ts';
import { fixed, one, type Range, union, unknownSize } from './cost-range.ts';
import type { CelType } from './types.ts';

/** Sizes of what is in a list or a map. */
export interface EntrySizes {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

type Path = readonly string[];

interface Variable {
  readonly name: string;
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

export function unionOfEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

export class Sizes {
  readonly #checked: CheckedExpr;
  readonly #self: CelType | undefined;
  readonly #paths = new Map<Expr, Path>();
  readonly #computed = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySizes>();
  readonly #variables: Variable[] = [];

  constructor(checked: CheckedExpr, self: CelType | undefined) {
    this.#checked = checked;
    this.#self = self;
  }

  typeOf(expr: Expr): CelType | undefined {
    return this.#checked.types.get(expr);
  }

  sizeOf(expr: Expr): Range {
    return this.knownSizeOf(expr) ?? unknownSize;
  }

  knownSizeOf(expr: Expr): Range | undefined {
    const computed = this.#computed.get(expr) ?? sizeInText(expr);
    if (computed !== undefined) return computed;
    const declared = this.declaredSize(this.pathOf(expr));
    if (declared !== undefined) {
      this.#computed.set(expr, declared);
      return declared;
    }
    const type = this.typeOf(expr);
    if (type !== undefined && isScalar(type)) return one;
    return expr.kind === 'ident' ? this.#variable(expr.name)?.size : undefined;
  }

  /** The size of what is at a path; its first step stands for `self`, whatever it is. */
  declaredSize(path: Path): Range | undefined {
    if (path.length === 0 || this.#self === undefined) return undefined;
    let type: CelType | undefined = this.#self;
    for (const step of path.slice(1)) {
      type = stepInto(type, step);
      if (type === undefined) return undefined;
    }
    return { min: 0, max: ('sizeMax' in type ? type.sizeMax : undefined) ?? 0 };
  }

  set(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#computed.set(expr, size);
  }

  entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#variable(expr.name)?.entries : undefined);
  }

  setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(expr, entries);
  }

  copy(to: Expr, from: Expr): void {
    this.set(to, this.knownSizeOf(from));
    this.setEntries(to, this.entriesOf(from));
  }

  pathOf(expr: Expr): Path {
    const variable = expr.kind === 'ident' ? this.#variable(expr.name) : undefined;
    return variable?.path ?? this.#paths.get(expr) ?? [];
  }

  placeName(expr: Expr, name: string): void {
    this.#paths.set(expr, this.#variable(name)?.path ?? [name]);
  }

  placeUnder(expr: Expr, container: Expr, step: string): void {
    this.#paths.set(expr, [...this.pathOf(container), step]);
  }

  /** A name for a value. */
  pushValue(name: string, value: Expr): void {
    const entries = this.entriesOf(value);
    this.#variables.push({ name, path: this.pathOf(value), size: this.knownSizeOf(value), entries });
  }

  /** A name for each item of a list, or each key of a map. */
  pushItem(name: string, range: Expr): void {
    this.pushEntry(name, range, this.#isList(range) ? 'value' : 'key');
  }

  pushEntry(name: string, range: Expr, part: 'key' | 'value'): void {
    const steps = this.#isList(range) ? { key: '@indices', value: '@items' } : { key: '@keys', value: '@values' };
    const path = [...this.pathOf(range), steps[part]];
    this.#variables.push({ name, path, size: this.entriesOf(range)?.[part], entries: undefined });
  }

  pop(count: number): void {
    this.#variables.length -= count;
  }

  #isList(range: Expr): boolean {
    return this.entriesOf(range)?.isList ?? this.typeOf(range)?.kind === 'list';
  }

  #variable(name: string): Variable | undefined {
    return this.#variables.findLast((variable) => variable.name === name);
  }
}

function stepInto(type: CelType, step: string): CelType | undefined {
  switch (step) {
    case '@items':
    case '@values':
      return type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined;
    case '@keys':
      return type.kind === 'map' ? type.key : undefined;
    default:
      return type.kind === 'struct' ? type.field(step) : undefined;
  }
}

function sizeInText(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'literal': {
      const { literal } = expr;
      if (literal.type === 'bytes') return fixed(literal.value.length);
      return literal.type === 'string' ? fixed(Array.from(literal.value).length) : one;
    }
    case 'list':
      return fixed(expr.elements.length);
    case 'map':
      return fixed(expr.entries.length);
    default:
      return undefined;
  }
}

/** Kinds whose values are all of one size. */
const scalars: ReadonlySet<string> = new Set(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);

function isScalar(type: CelType): boolean {
  if (type.kind !== 'opaque') return scalars.has(type.kind);
  return type.name === 'optional_type' && type.params[0] !== undefined && isScalar(type.params[0]);
}
