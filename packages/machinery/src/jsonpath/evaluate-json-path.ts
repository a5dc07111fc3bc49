// Evaluation of JSONPath templates on JSON values: each part of the template yields a list of values.
// Follows k8s.io/client-go/util/jsonpath, whose messages it repeats. Keys of maps are visited in the object's order
// (upstream's order is random).

import type { Json } from '../schema/schema.ts';
import { goPlain, goType } from '../values/go-format.ts';
import { asList, asMap, getOwn } from '../values/json-shapes.ts';
import { compareInFilter } from './compare-in-filter.ts';
import { JsonPathError, type JsonPathList, type JsonPathNode, type SliceParam } from './json-path-node.ts';

/** A found value; literals remember whether they are floats, bytes of strings that they are unsigned. */
export interface FoundValue {
  readonly value: Json;
  readonly isFloat?: boolean;
}

export interface EvaluateOptions {
  /** Whether a field that is nowhere found yields nothing instead of an error. */
  readonly allowMissingKeys: boolean;
}

/** Evaluates a template; one list of values per part, ranges unrolled. @throws JsonPathError */
export function evaluateJsonPath(
  template: JsonPathList,
  data: Json,
  options: EvaluateOptions,
): readonly (readonly FoundValue[])[] {
  return new Evaluation(template, options).find([{ value: data }], 0);
}

class Evaluation {
  readonly #template: JsonPathList;
  readonly #options: EvaluateOptions;
  #beginRange = 0;
  #inRange = 0;
  #endRange = 0;
  #lastEnd = -1;

  constructor(template: JsonPathList, options: EvaluateOptions) {
    this.#template = template;
    this.#options = options;
  }

  // Evaluates the template from a part on. A range evaluates what follows it once per value, up to its end.
  find(input: readonly FoundValue[], from: number): (readonly FoundValue[])[] {
    const all: (readonly FoundValue[])[] = [];
    for (let i = from; i < this.#template.length; i++) {
      const node = this.#template[i];
      const results = node === undefined ? [] : this.#walk(input, node);
      if (this.#endRange > 0 && this.#endRange <= this.#inRange) {
        this.#endRange--;
        this.#lastEnd = i;
        break;
      }
      if (this.#beginRange > 0) {
        this.#beginRange--;
        this.#inRange++;
        // An empty range still shows errors in what follows, as upstream's.
        if (results.length === 0) this.find([{ value: null }], i + 1);
        for (const result of results) all.push(...this.find([result], i + 1));
        this.#inRange--;
        if (this.#lastEnd > i) i = this.#lastEnd;
        continue;
      }
      all.push(results);
    }
    return all;
  }

  #walk(input: readonly FoundValue[], node: JsonPathNode): readonly FoundValue[] {
    switch (node.kind) {
      case 'list':
        return this.#walkAll(input, node.nodes);
      case 'text':
        return [{ value: node.text }];
      case 'field':
        return this.#field(input, node.name);
      case 'identifier':
        return this.#identifier(input, node.name);
      case 'array':
        return input.flatMap(({ value }) => slice(value, node.params).map(found));
      case 'filter':
        return input.flatMap(({ value }) => this.#filter(value, node));
      case 'number':
        return input.map(() => ({ value: node.value, isFloat: node.isFloat }));
      case 'bool':
        return input.map(() => ({ value: node.value }));
      case 'wildcard':
        return input.flatMap(({ value }) => childrenOf(value).map(found));
      case 'recursive':
        return recursive(input.map(({ value }) => value)).map(found);
      case 'union':
        return node.lists.flatMap((list) => this.#walkAll(input, list));
    }
  }

  #walkAll(input: readonly FoundValue[], nodes: JsonPathList): readonly FoundValue[] {
    let current = input;
    for (const node of nodes) current = this.#walk(current, node);
    return current;
  }

  #field(input: readonly FoundValue[], name: string): readonly FoundValue[] {
    if (input.length === 0) return [];
    const results: FoundValue[] = [];
    for (const { value } of input) {
      const map = asMap(value);
      const result = map === undefined ? undefined : getOwn(map, name);
      if (result !== undefined) results.push({ value: result });
    }
    if (results.length === 0 && !this.#options.allowMissingKeys) throw new JsonPathError(`${name} is not found`);
    return results;
  }

  #identifier(input: readonly FoundValue[], name: string): readonly FoundValue[] {
    if (name === 'range') {
      this.#beginRange++;
      return input;
    }
    if (name !== 'end') throw new JsonPathError(`unrecognized identifier ${name}`);
    if (this.#inRange === 0) throw new JsonPathError('not in range, nothing to end');
    this.#endRange++;
    return [];
  }

  #filter(value: Json, node: JsonPathNode & { readonly kind: 'filter' }): readonly FoundValue[] {
    const list = asList(value);
    if (list === undefined) throw new JsonPathError(`${goPlain(value)} is not array or slice and cannot be filtered`);
    return list.filter((item) => this.#passes(item, node)).map(found);
  }

  #passes(item: Json, { left, right, operator }: JsonPathNode & { readonly kind: 'filter' }): boolean {
    const input = [{ value: item }];
    if (operator === 'exists') return this.#exists(input, left);
    const leftValue = single(this.#walkAll(input, left));
    if (leftValue === undefined) return false;
    const rightValue = single(this.#walkAll(input, right));
    return rightValue !== undefined && compareInFilter(leftValue, operator, rightValue);
  }

  // Errors on the way mean that it does not exist.
  #exists(input: readonly FoundValue[], path: JsonPathList): boolean {
    try {
      return this.#walkAll(input, path).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return false;
      throw error;
    }
  }
}

function found(value: Json): FoundValue {
  return { value };
}

function single(values: readonly FoundValue[]): FoundValue | undefined {
  if (values.length > 1) throw new JsonPathError('can only compare one element at a time');
  return values[0];
}

function slice(
  value: Json,
  [startParam, endParam, stepParam]: readonly [SliceParam, SliceParam, SliceParam],
): readonly Json[] {
  if (value === null) return [];
  const list = asList(value);
  if (list === undefined) throw new JsonPathError(`${goType(value)} is not array or slice`);
  const { length } = list;
  let start = startParam.known ? startParam.value : 0;
  if (start < 0) start += length;
  let end = endParam.known ? endParam.value : length;
  if (end < 0 || (end === 0 && endParam.derived)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0) {
    throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`);
  }
  if (end > length || end < 0) throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${length}`);
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  if (stepParam.known && stepParam.value <= 0) throw new JsonPathError('step must be > 0');
  const step = stepParam.known ? stepParam.value : 1;
  return list.slice(start, end).filter((_, index) => index % step === 0);
}

// A string counts as its bytes, as in upstream.
function childrenOf(value: Json): readonly Json[] {
  if (typeof value === 'string') return [...new TextEncoder().encode(value)];
  return asList(value) ?? Object.values(asMap(value) ?? {}).filter((child) => child !== undefined);
}

function recursive(values: readonly Json[]): readonly Json[] {
  return values.flatMap((value) => {
    const children = childrenOf(value);
    return children.length === 0 ? [] : [value, ...recursive(children)];
  });
}
