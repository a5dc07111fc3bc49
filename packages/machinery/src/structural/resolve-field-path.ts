// Paths to fields of custom resources as definitions write them (`.spec.replicas`, `.spec['a.b'].c`): of selectable fields
// and of rules. Only fields that the schema specifies can be named.

import { FieldPath } from '../field-error.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A path that leads nowhere; the message is upstream's, to stand after `is an invalid path: `. */
export class FieldPathError extends Error {
  override readonly name = 'FieldPathError';
}

export interface ResolvedFieldPath {
  readonly path: FieldPath;
  /** The names on the way, from the root. */
  readonly names: readonly string[];
  /** What the field is. */
  readonly schema: StructuralSchema;
}

export interface ResolveFieldPathOptions {
  /** Whether names may be quoted in brackets. Default true. */
  readonly brackets?: boolean;
}

/** @throws FieldPathError */
export function resolveFieldPath(
  text: string,
  root: StructuralSchema,
  { brackets = true }: ResolveFieldPathOptions = {},
): ResolvedFieldPath {
  const tokens = tokenize(text);
  const names: string[] = [];
  let path = new FieldPath();
  let schema = root;
  const next = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new FieldPathError('unexpected end of JSON path');
    return token;
  };
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (token !== '.' && token !== '[') throw new FieldPathError(`expected [ or . but got: ${token}`);
    if (token === '[' && !brackets) throw new FieldPathError('array notation is not allowed');
    const name = token === '.' ? next() : unquote(next());
    const isNamed = schema.properties.size > 0;
    schema = childOf(name, schema);
    path = isNamed ? path.child(name) : path.key(name);
    names.push(name);
    if (token === '[') {
      const end = next();
      if (end !== ']') throw new FieldPathError(`expected ] but got ${end}`);
    }
  }
  return { path, names, schema };
}

function childOf(name: string, { properties, additionalProperties }: StructuralSchema): StructuralSchema {
  const child = properties.size > 0 ? properties.get(name) : additionalProperties;
  if (typeof child !== 'object') throw new FieldPathError('does not refer to a valid field');
  return child;
}

/** `.`, `[` and `]` one by one, quoted names and what is between as they are. */
function tokenize(text: string): string[] {
  return text.match(/[.[\]]|'(?:[^'\\]|\\.)*'|[^.[\]]+/g) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquote(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new FieldPathError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replace(/\\(.)/g, (sequence, char: string) => {
    const plain = escapes[char];
    if (plain === undefined) throw new FieldPathError(`invalid string literal: invalid escape char ${sequence}`);
    return plain;
  });
}
