// kubectl's JSONPath templates, ready to use: for `-o jsonpath`, printer columns of custom resources and sorting.

import type { Json } from '../schema/schema.ts';
import { goJson } from '../values/go-strings.ts';
import { goFloat } from '../values/go-format.ts';
import { evaluateJsonPath, type FoundValue } from './evaluate-json-path.ts';
import { JsonPathError, type JsonPathList } from './json-path-node.ts';
import { parseJsonPath } from './parse-json-path.ts';

export interface JsonPathOptions {
  /** Whether a field that is nowhere found yields nothing instead of an error; default false. */
  readonly allowMissingKeys?: boolean;
}

export class JsonPath {
  readonly #template: JsonPathList;
  readonly #allowMissingKeys: boolean;

  private constructor(template: JsonPathList, allowMissingKeys: boolean) {
    this.#template = template;
    this.#allowMissingKeys = allowMissingKeys;
  }

  /**
   * Parses a template, e.g. `{range .items[*]}{.metadata.name}{"\n"}{end}`. Text outside braces stands for itself.
   *
   * @throws JsonPathError with upstream's text
   */
  static parse(template: string, { allowMissingKeys = false }: JsonPathOptions = {}): JsonPath {
    return new JsonPath(parseJsonPath(template), allowMissingKeys);
  }

  /** The values each part of the template yields, ranges unrolled. @throws JsonPathError */
  find(data: Json): readonly (readonly Json[])[] {
    return this.#find(data).map((values) => values.map(({ value }) => value));
  }

  /** The text the template yields: values of one part are separated by blanks. @throws JsonPathError */
  print(data: Json): string {
    return this.#find(data)
      .map((values) => values.map(printValue).join(' '))
      .join('');
  }

  #find(data: Json): readonly (readonly FoundValue[])[] {
    return evaluateJsonPath(this.#template, data, { allowMissingKeys: this.#allowMissingKeys });
  }
}

function printValue({ value }: FoundValue): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return goJson(value);
  return typeof value === 'number' ? goFloat(value) : String(value);
}

/**
 * The template for a path as custom columns and `--sort-by` take it: `.metadata.name`, `metadata.name`, `{.metadata.name}`.
 *
 * @throws JsonPathError with upstream's text
 */
export function relaxedJsonPath(path: string): string {
  if (path === '') return path;
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(path);
  if (match === null) {
    throw new JsonPathError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  }
  return `{.${match[1] ?? match[2] ?? ''}}`;
}
