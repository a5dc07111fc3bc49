// YAML to plain JSON values, as the API server converts a YAML body before it decodes it (spec/apiserver.md §2.5): the
// first document alone, keys as strings and sorted, YAML 1.1 scalars. Behind the subpath `@homeostat/machinery/yaml`,
// since the parser takes a noticeable part of start-up and few requests need it: import it when one does.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { Json } from '../../schema/schema.ts';
import { compareBytewise, goQuote } from '../../values/go-strings.ts';
import { decodeBase64 } from '../base64.ts';
import { DecodeError } from '../decode-error.ts';
import { setProperty } from '../json/parse-json.ts';
import { readJson, toText } from '../json/read-json.ts';
import { AliasExpansion, aliasTargets } from './aliases.ts';
import { resolveScalar, type YamlScalar } from './resolve-scalar.ts';
import { yamlError } from './yaml-error.ts';

export interface DecodeYamlOptions {
  /**
   * Called for each repeated key with the text of upstream's warning: `line 4: key "a" already set in map`. A strict
   * refusal joins them as `yaml: unmarshal errors:\n  line 4: key "a" already set in map\n  …`.
   */
  readonly onDuplicate?: (text: string) => void;
}

/** Reads the first document of a YAML text; an empty one is null. @throws DecodeError with Go's text where it is known */
export function decodeYaml(input: string | Uint8Array, options: DecodeYamlOptions = {}): Json {
  const text = toText(input);
  return jsonInYaml(text) ?? new Reader(text, options).read();
}

/** Values of all documents of a text: manifests. */
export function decodeYamlDocuments(input: string | Uint8Array): readonly Json[] {
  const text = toText(input);
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { ...parseOptions, lineCounter: lines });
  if (!Array.isArray(documents)) return [];
  return documents.map((document: Document) => new Reader(text, {}, document, lines).read());
}

const parseOptions = {
  version: '1.1',
  schema: 'failsafe',
  uniqueKeys: false,
  prettyErrors: false,
  merge: false,
} as const;

/** Most "YAML" bodies of programs are JSON, which is faster to read as such. */
function jsonInYaml(text: string): Json | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const { value, plain } = readJson(text);
    return plain ? sortKeys(value) : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function sortKeys(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortKeys);
  return sortedObject(
    Object.entries(value as { readonly [key: string]: Json }).map(([key, item]) => [key, sortKeys(item)]),
  );
}

function sortedObject(entries: (readonly [string, Json])[]): Json {
  const object: { [key: string]: Json } = {};
  for (const [key, item] of entries.sort(([a], [b]) => compareBytewise(a, b))) setProperty(object, key, item);
  return object;
}

class Reader {
  readonly #text: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #options: DecodeYamlOptions;
  #targets: ReadonlyMap<Alias, Node> | undefined;
  readonly #expansion = new AliasExpansion();

  constructor(text: string, options: DecodeYamlOptions, document?: Document, lines = new LineCounter()) {
    this.#text = text;
    this.#options = options;
    this.#lines = lines;
    this.#document = document ?? firstDocument(text, lines);
  }

  read(): Json {
    const problem = this.#document.errors[0];
    if (problem !== undefined) throw yamlError(problem, this.#problemLine(problem.pos[0]));
    return this.#value(this.#document.contents);
  }

  /** Counted from zero; the end of a text counts as a line of its own, newline or not. */
  #problemLine(offset: number): number {
    const line = this.#line(offset) - 1;
    return offset >= this.#text.length && !this.#text.endsWith('\n') ? line + 1 : line;
  }

  #line(offset: number): number {
    return this.#lines.linePos(offset).line;
  }

  #value(node: unknown): Json {
    this.#expansion.count();
    if (node === null || node === undefined) return null;
    if (isAlias(node)) {
      const target = this.#target(node);
      return this.#expansion.within(node.source, target, () => this.#value(target));
    }
    if (isScalar(node)) return toJson(scalarValue(node));
    if (isSeq(node)) return node.items.map((item) => this.#value(item));
    if (isMap(node)) return this.#map(node);
    throw new DecodeError('yaml: unexpected node');
  }

  #target(alias: Alias): Node {
    this.#targets ??= aliasTargets(this.#document);
    const target = this.#targets.get(alias);
    if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${alias.source}' referenced`);
    return target;
  }

  #map(map: YAMLMap): Json {
    const members = new Map<string, Json>();
    const merged = new Map<string, Json>();
    for (const pair of map.items as Pair<Node | null, Node | null>[]) {
      if (isMergeKey(pair.key)) {
        this.#merge(pair.value, merged);
        continue;
      }
      const keyValue = this.#key(pair.key);
      const key = String(keyValue);
      if (members.has(key)) {
        const line = this.#line(pair.key?.range?.[0] ?? 0);
        const shown = typeof keyValue === 'string' ? goQuote(key) : key;
        this.#options.onDuplicate?.(`line ${line}: key ${shown} already set in map`);
      }
      members.set(key, this.#value(pair.value));
    }
    return sortedObject([...new Map([...merged, ...members])]);
  }

  #merge(node: unknown, into: Map<string, Json>): void {
    this.#expansion.count();
    if (isAlias(node)) {
      const target = this.#target(node);
      this.#expansion.within(node.source, target, () => this.#merge(target, into));
      return;
    }
    if (isSeq(node)) {
      // Of several maps the first has precedence.
      for (const item of node.items.toReversed()) this.#merge(item, into);
      return;
    }
    if (!isMap(node)) throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
    for (const [key, value] of Object.entries(this.#map(node) as { readonly [key: string]: Json }))
      into.set(key, value);
  }

  #key(node: Node | null): NonNullable<YamlScalar> {
    this.#expansion.count();
    const target = isAlias(node) ? this.#target(node) : node;
    if (target !== null && !isScalar(target)) throw new DecodeError('yaml: invalid map key');
    const value = target === null ? null : scalarValue(target);
    if (value === null) throw new DecodeError('error converting YAML to JSON: unsupported map key of type nil');
    return value;
  }
}

function firstDocument(text: string, lines: LineCounter): Document {
  const options = { ...parseOptions, lineCounter: lines };
  const document = parseDocument(text, options);
  const isStream = document.errors.some((error) => error.code === 'MULTIPLE_DOCS');
  if (!isStream) return document;
  const documents = parseAllDocuments(text, options);
  return (Array.isArray(documents) ? documents[0] : undefined) ?? document;
}

function isMergeKey(node: Node | null): boolean {
  return isScalar(node) && node.type === 'PLAIN' && node.value === '<<';
}

function scalarValue(node: Scalar): YamlScalar {
  const text = typeof node.value === 'string' ? node.value : '';
  switch (node.tag) {
    case undefined:
      return node.type === 'PLAIN' ? resolveScalar(text) : text;
    case 'tag:yaml.org,2002:int':
    case 'tag:yaml.org,2002:float':
    case 'tag:yaml.org,2002:bool':
    case 'tag:yaml.org,2002:null':
      return resolveScalar(text);
    case 'tag:yaml.org,2002:binary':
      return Buffer.from(decodeBase64(text)).toString('utf8');
    default:
      return text;
  }
}

function toJson(value: YamlScalar): Json {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new DecodeError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
}
