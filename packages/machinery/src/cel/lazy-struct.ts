// A struct whose fields are computed when an expression asks for them, each once: the variables of a policy.

import type { EvaluateResult } from './environment.ts';
import { CelError, type CelMap, type CelValue } from './values.ts';

/** @param name - of the type, as declared @param fields - how each field comes to its value */
export function lazyStruct(name: string, fields: ReadonlyMap<string, () => EvaluateResult>): CelMap {
  const values = new Map<string, EvaluateResult>();
  return new LazyStruct(name, fields, values);
}

class LazyStruct implements CelMap {
  readonly celKind = 'struct';
  readonly typeName: string;
  readonly #fields: ReadonlyMap<string, () => EvaluateResult>;
  readonly #values: Map<string, EvaluateResult>;

  constructor(name: string, fields: ReadonlyMap<string, () => EvaluateResult>, values: Map<string, EvaluateResult>) {
    this.typeName = name;
    this.#fields = fields;
    this.#values = values;
  }

  get size(): number {
    return this.#fields.size;
  }

  /** @throws CelError where the field's own evaluation fails */
  get(key: CelValue): CelValue | undefined {
    const compute = typeof key === 'string' ? this.#fields.get(key) : undefined;
    if (compute === undefined) return undefined;
    const name = key as string;
    const result = this.#values.get(name) ?? compute();
    this.#values.set(name, result);
    if (result.error === undefined) return result.value;
    throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${result.error}`);
  }

  has(key: CelValue): boolean {
    return typeof key === 'string' && this.#fields.has(key);
  }

  keys(): Iterable<CelValue> {
    return this.#fields.keys();
  }
}
