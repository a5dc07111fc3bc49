// The parser of CEL (github.com/google/cel-spec, "Syntax"): text in, syntax tree with macros expanded out.
// Recursive descent; depth and length are bounded, so that no expression can exhaust the stack.

import type { CallExpr, Expr, ListExpr, Literal, MapEntryExpr, StructFieldExpr } from './ast.ts';
import { type CelIssue, CelSyntaxError } from './issues.ts';
import type { Token } from './lexer.ts';
import { expandMacro } from './macros.ts';
import { expressionStart, TokenReader } from './token-reader.ts';
import { unescapeLiteral } from './unescape.ts';

const codePointsMax = 100_000;
const depthMax = 250;

const reserved = new Set([
  'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace',
  'return', 'var', 'void', 'while',
]); // prettier-ignore

const relations = new Map([
  ['<', '_<_'], ['<=', '_<=_'], ['>=', '_>=_'], ['>', '_>_'], ['==', '_==_'], ['!=', '_!=_'], ['in', '@in'],
]); // prettier-ignore
const sums = new Map([
  ['+', '_+_'],
  ['-', '_-_'],
]);
const products = new Map([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
]);

export type ParseResult =
  | { readonly expr: Expr; readonly issues?: undefined }
  | { readonly expr?: undefined; readonly issues: readonly CelIssue[] };

/** Parses `source`; on failure every issue found. */
export function parseCel(source: string): ParseResult {
  const size = Array.from(source).length;
  if (size > codePointsMax) {
    return {
      issues: [
        { offset: 0, message: `expression code point size exceeds limit: size: ${size}, limit ${codePointsMax}` },
      ],
    };
  }
  const reader = new TokenReader(source);
  try {
    const expr = new Parser(reader).parse();
    return reader.issues.length > 0 ? { issues: reader.issues } : { expr };
  } catch (error) {
    if (error instanceof CelSyntaxError) return { issues: [...reader.issues, error.issue] };
    throw error;
  }
}

class Parser {
  readonly #in: TokenReader;
  readonly #depths = new WeakMap<Expr, number>();
  #depth = 0;

  constructor(reader: TokenReader) {
    this.#in = reader;
  }

  parse(): Expr {
    const expr = this.#expr();
    this.#in.expect('<EOF>');
    return expr;
  }

  #expr(): Expr {
    if (++this.#depth > depthMax) this.#tooDeep();
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
    const sign = this.#in.skip('?');
    if (sign === undefined) {
      this.#depth--;
      return condition;
    }
    const then = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
    this.#in.expect(':');
    const otherwise = this.#expr();
    this.#depth--;
    return this.#call(sign.offset, '_?_:_', [condition, then, otherwise]);
  }

  /** Long chains of one operator become a balanced tree, as upstream's do: depth stays logarithmic. */
  #logical(sign: string, name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    for (let token = this.#in.skip(sign); token !== undefined; token = this.#in.skip(sign)) {
      places.push(token.offset);
      terms.push(operand());
    }
    const balance = (from: number, to: number): Expr => {
      if (from === to) return terms[from] as Expr;
      const middle = (from + to + 1) >> 1;
      return this.#call(places[middle - 1] ?? 0, name, [balance(from, middle - 1), balance(middle, to)]);
    };
    return balance(0, terms.length - 1);
  }

  #relation(): Expr {
    return this.#chain(relations, () => this.#chain(sums, () => this.#chain(products, () => this.#unary())));
  }

  #chain(signs: ReadonlyMap<string, string>, operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const name = signs.get(this.#in.token.kind);
      if (name === undefined) return left;
      const { offset } = this.#in.next();
      left = this.#call(offset, name, [left, operand()]);
    }
  }

  #unary(): Expr {
    this.#in.sync(expressionStart);
    const sign = this.#in.token;
    if (sign.kind !== '!' && sign.kind !== '-') return this.#member();
    if (sign.kind === '-' && (this.#in.nextIs('NUM_INT') || this.#in.nextIs('NUM_FLOAT'))) return this.#member();
    let count = 0;
    while (this.#in.is(sign.kind)) {
      if (sign.kind === '-' && count > 0 && (this.#in.nextIs('NUM_INT') || this.#in.nextIs('NUM_FLOAT'))) break;
      this.#in.next();
      count++;
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#call(sign.offset, sign.kind === '!' ? '!_' : '-_', [operand]);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const token = this.#in.token;
      if (token.kind === '.') expr = this.#selection(expr);
      else if (token.kind === '[') expr = this.#index(expr);
      else return expr;
    }
  }

  #selection(operand: Expr): Expr {
    const dot = this.#in.next();
    const optional = this.#in.skip('?') !== undefined;
    const name = this.#in.token;
    if (name.kind !== 'IDENTIFIER' && name.kind !== 'ESC_IDENTIFIER') this.#in.noAlternative(optional ? name : dot);
    this.#in.next();
    const field = unquoted(name);
    if (optional) {
      const literal: Literal = { type: 'string', value: field };
      return this.#call(dot.offset, '_?._', [operand, { kind: 'literal', offset: name.offset, literal }]);
    }
    const open = name.kind === 'IDENTIFIER' ? this.#in.skip('(') : undefined;
    if (open === undefined)
      return this.#noted({ kind: 'select', offset: dot.offset, operand, field, testOnly: false }, [operand]);
    const args = this.#arguments();
    return this.#expand(this.#call(open.offset, field, args, operand));
  }

  #index(operand: Expr): Expr {
    const { offset } = this.#in.next();
    const optional = this.#in.skip('?') !== undefined;
    const index = this.#expr();
    this.#in.expect(']');
    return this.#call(offset, optional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #arguments(): Expr[] {
    this.#in.sync([...expressionStart, ')']);
    const args: Expr[] = [];
    if (this.#in.skip(')') !== undefined) return args;
    do args.push(this.#expr());
    while (this.#in.skip(',') !== undefined);
    this.#in.expect(')');
    return args;
  }

  #primary(): Expr {
    this.#in.sync(expressionStart.filter((kind) => kind !== '!'));
    const token = this.#in.token;
    switch (token.kind) {
      case 'IDENTIFIER':
      case '.':
        return this.#name();
      case '(': {
        this.#in.next();
        const inner = this.#expr();
        this.#in.expect(')');
        return inner;
      }
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      default:
        return this.#literal();
    }
  }

  #name(): Expr {
    const dot = this.#in.skip('.');
    const first = this.#in.token;
    if (first.kind !== 'IDENTIFIER') this.#in.noAlternative(dot ?? first);
    this.#in.next();
    const open = this.#in.skip('(');
    if (open !== undefined) return this.#expand(this.#call(open.offset, first.text, this.#arguments()));
    // A qualified name before a brace is a type's name: `Object.metadata{`.
    const parts = this.#in.qualifiedNameBefore('{');
    if (parts !== undefined) return this.#struct([first.text, ...parts].join('.'));
    if (reserved.has(first.text))
      throw new CelSyntaxError({ offset: first.offset, message: `reserved identifier: ${first.text}` });
    return { kind: 'ident', offset: first.offset, name: first.text };
  }

  #struct(typeName: string): Expr {
    const { offset } = this.#in.expect('{');
    const fields: StructFieldExpr[] = [];
    this.#in.sync(['}', ',', '?', 'IDENTIFIER', 'ESC_IDENTIFIER']);
    while (this.#in.is('IDENTIFIER') || this.#in.is('ESC_IDENTIFIER') || this.#in.is('?')) {
      const optional = this.#in.skip('?') !== undefined;
      const name = this.#in.next();
      const colon = this.#in.expect(':');
      fields.push({ offset: colon.offset, name: unquoted(name), value: this.#expr(), optional });
      this.#in.sync(['}', ',']);
      if (this.#in.skip(',') === undefined) break;
    }
    this.#in.expect('}');
    return this.#noted(
      { kind: 'struct', offset, typeName, fields },
      fields.map((field) => field.value),
    );
  }

  #list(): Expr {
    const { offset } = this.#in.next();
    const elements: Expr[] = [];
    const optional = new Set<number>();
    this.#in.sync([...expressionStart, ']', ',', '?']);
    while (!this.#in.is(']') && !this.#in.is(',')) {
      if (this.#in.skip('?') !== undefined) optional.add(elements.length);
      elements.push(this.#expr());
      this.#in.sync([']', ',']);
      if (this.#in.skip(',') === undefined) break;
    }
    if (elements.length === 0) this.#in.skip(',');
    this.#in.expect(']');
    const list: ListExpr = { kind: 'list', offset, elements, optional };
    return this.#noted(list, elements);
  }

  #map(): Expr {
    const { offset } = this.#in.next();
    const entries: MapEntryExpr[] = [];
    this.#in.sync([...expressionStart, '}', ',', '?']);
    while (!this.#in.is('}') && !this.#in.is(',')) {
      const optional = this.#in.skip('?') !== undefined;
      const key = this.#expr();
      const colon = this.#in.expect(':');
      entries.push({ offset: colon.offset, key, value: this.#expr(), optional });
      this.#in.sync(['}', ',']);
      if (this.#in.skip(',') === undefined) break;
    }
    if (entries.length === 0) this.#in.skip(',');
    this.#in.expect('}');
    return this.#noted(
      { kind: 'map', offset, entries },
      entries.flatMap((entry) => [entry.key, entry.value]),
    );
  }

  #literal(): Expr {
    const sign = this.#in.skip('-');
    const token = this.#in.next();
    return { kind: 'literal', offset: (sign ?? token).offset, literal: literalOf(token, sign !== undefined) };
  }

  #expand(call: CallExpr): Expr {
    const expr = expandMacro(call) ?? call;
    return this.#noted(expr, [...(call.target === undefined ? [] : [call.target]), ...call.args]);
  }

  #call(offset: number, name: string, args: readonly Expr[], target?: Expr): CallExpr {
    const call: CallExpr = { kind: 'call', offset, name, args, target };
    this.#noted(call, target === undefined ? args : [target, ...args]);
    return call;
  }

  /** Remembers how deep a node is: chains such as `a + b + …` grow without recursion here, but not where they are evaluated. */
  #noted<T extends Expr>(expr: T, children: readonly Expr[]): T {
    const depth = children.reduce((most, child) => Math.max(most, this.#depths.get(child) ?? 0), 0) + 1;
    if (depth > depthMax) this.#tooDeep();
    this.#depths.set(expr, depth);
    return expr;
  }

  #tooDeep(): never {
    throw new CelSyntaxError({
      offset: this.#in.token.offset,
      message: `expression recursion limit exceeded: ${depthMax}`,
    });
  }
}

function unquoted(name: Token): string {
  return name.kind === 'ESC_IDENTIFIER' ? name.text.slice(1, -1) : name.text;
}

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;

function literalOf(token: Token, negative: boolean): Literal {
  const fail = (message: string): never => {
    throw new CelSyntaxError({ offset: token.offset, message: `Syntax error: ${message}` });
  };
  const invalid = (type: string): never => {
    throw new CelSyntaxError({ offset: token.offset, message: `invalid ${type} literal` });
  };
  switch (token.kind) {
    case 'true':
    case 'false':
      return { type: 'bool', value: token.kind === 'true' };
    case 'null':
      return { type: 'null', value: null };
    case 'NUM_INT': {
      const value = negative ? -BigInt(token.text) : BigInt(token.text);
      if (value < int64Min || value > int64Max) invalid('int');
      return { type: 'int', value };
    }
    case 'NUM_UINT': {
      const value = BigInt(token.text.slice(0, -1));
      if (value > uint64Max) invalid('uint');
      return { type: 'uint', value };
    }
    case 'NUM_FLOAT': {
      const value = Number(token.text);
      if (!Number.isFinite(value)) invalid('double');
      return { type: 'double', value: negative ? -value : value };
    }
    case 'STRING':
      return { type: 'string', value: unescapeLiteral(token.text) as string };
    case 'BYTES':
      return { type: 'bytes', value: unescapeLiteral(token.text) as Uint8Array };
    default:
      return fail(`mismatched input '${token.text}'`);
  }
}
