// Parser of kubectl's JSONPath templates: text with actions in braces, e.g. `{range .items[*]}{.metadata.name}{"\n"}{end}`.
// Follows k8s.io/client-go/util/jsonpath, whose messages it repeats.

import { goQuote } from '../values/go-strings.ts';
import { atoi } from '../values/int-or-string.ts';
import { JsonPathError, type JsonPathList, type JsonPathNode, type SliceParam } from './json-path-node.ts';
import { unquote } from './unquote.ts';

/** Parses a template into its texts and actions. @throws JsonPathError */
export function parseJsonPath(text: string): JsonPathList {
  return new Parser(text).parse();
}

/** Parses the inside of one action. */
function parseAction(text: string): JsonPathList {
  const [action] = new Parser(`{${text}}`).parse();
  return action?.kind === 'list' ? action.nodes : [];
}

const eof = '';

class Parser {
  readonly #input: readonly string[];
  #start = 0;
  #position = 0;

  constructor(text: string) {
    this.#input = Array.from(text);
  }

  parse(): JsonPathList {
    const root: JsonPathNode[] = [];
    while (this.#position < this.#input.length) {
      if (this.#peek() === '{') {
        this.#flushText(root);
        this.#position++;
        this.#take();
        root.push({ kind: 'list', nodes: this.#action() });
      } else {
        this.#position++;
      }
    }
    this.#flushText(root);
    return root;
  }

  #flushText(nodes: JsonPathNode[]): void {
    if (this.#position > this.#start) nodes.push({ kind: 'text', text: this.#take() });
  }

  #peek(ahead = 0): string {
    return this.#input[this.#position + ahead] ?? eof;
  }

  #next(): string {
    const char = this.#peek();
    if (char !== eof) this.#position++;
    return char;
  }

  /** The text since the last take. */
  #take(): string {
    const text = this.#input.slice(this.#start, this.#position).join('');
    this.#start = this.#position;
    return text;
  }

  #startsWith(text: string): boolean {
    return Array.from(text).every((char, index) => this.#peek(index) === char);
  }

  #action(): JsonPathList {
    const nodes: JsonPathNode[] = [];
    while (!this.#startsWith('}')) this.#step(nodes);
    this.#position++;
    this.#take();
    return nodes;
  }

  #step(nodes: JsonPathNode[]): void {
    if (this.#startsWith('[?(')) {
      nodes.push(this.#filter());
      return;
    }
    if (this.#startsWith('..')) {
      this.#recursive(nodes);
      return;
    }
    const char = this.#next();
    if (char === eof || isEndOfLine(char)) throw new JsonPathError('unclosed action');
    if (char === ' ' || char === '@' || char === '$') {
      this.#take();
    } else if (char === '[') {
      nodes.push(...this.#array());
    } else if (char === '"' || char === "'") {
      nodes.push(this.#quoted(char));
    } else if (char === '.') {
      nodes.push(this.#field());
    } else if (char === '+' || char === '-' || isDigit(char)) {
      this.#position--;
      nodes.push(this.#number());
    } else if (isAlphaNumeric(char)) {
      this.#position--;
      nodes.push(this.#identifier());
    } else {
      throw new JsonPathError(`unrecognized character in action: ${showChar(char)}`);
    }
  }

  #recursive(nodes: JsonPathNode[]): void {
    if (nodes.at(-1)?.kind === 'recursive') throw new JsonPathError('invalid multiple recursive descent');
    this.#position += 2;
    this.#take();
    nodes.push({ kind: 'recursive' });
    if (isAlphaNumeric(this.#peek())) nodes.push(this.#field());
  }

  #identifier(): JsonPathNode {
    while (!isTerminator(this.#peek())) this.#position++;
    const name = this.#take();
    return name === 'true' || name === 'false'
      ? { kind: 'bool', value: name === 'true' }
      : { kind: 'identifier', name };
  }

  #number(): JsonPathNode {
    if (this.#peek() === '+' || this.#peek() === '-') this.#position++;
    while (this.#peek() === '.' || isDigit(this.#peek())) this.#position++;
    const text = this.#take();
    const integer = atoi(text);
    if (integer !== undefined) return { kind: 'number', value: integer, isFloat: false };
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`);
    return { kind: 'number', value: Number(text), isFloat: true };
  }

  #field(): JsonPathNode {
    this.#take();
    while (!isTerminator(this.#peek())) {
      if (this.#next() === '\\') this.#next();
    }
    const name = this.#take();
    return name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') };
  }

  #quoted(end: string): JsonPathNode {
    for (;;) {
      const char = this.#next();
      if (char === eof || char === '\n') throw new JsonPathError('unterminated quoted string');
      if (char === end && this.#peek(-2) !== '\\') break;
    }
    const value = this.#take();
    const text = unquote(value);
    if (text === undefined) throw new JsonPathError(`unquote string ${value} error invalid syntax`);
    return { kind: 'text', text };
  }

  #array(): JsonPathList {
    for (;;) {
      const char = this.#next();
      if (char === eof || char === '\n') throw new JsonPathError('unterminated array');
      if (char === ']') break;
    }
    const inside = this.#take().slice(1, -1);
    const text = inside === '*' ? ':' : inside;
    const parts = text.split(',');
    if (parts.length > 1) {
      return [{ kind: 'union', lists: parts.map((part) => parseAction(`[${part.replaceAll(/^ +| +$/g, '')}]`)) }];
    }
    const key = /^'([^']*)'$/.exec(text)?.[1];
    if (key !== undefined) return parseAction(`.${key}`);
    return [parseSlice(text)];
  }

  #filter(): JsonPathNode {
    this.#position += 3;
    this.#take();
    this.#skipFilter();
    if (this.#next() !== ']') throw new JsonPathError('unclosed array expect ]');
    const text = this.#take().slice(0, -2);
    const match = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text);
    const [, left = '', operator = '', right = ''] = match ?? [];
    if (match === null) return { kind: 'filter', left: parseAction(text), right: [], operator: 'exists' };
    return { kind: 'filter', left: parseAction(left), right: parseAction(right), operator };
  }

  // Moves behind the closing parenthesis; one in a quoted string does not count.
  #skipFilter(): void {
    let quote = eof;
    let isClosed = false;
    for (;;) {
      const char = this.#next();
      if (char === eof || char === '\n') throw new JsonPathError('unterminated filter');
      if (char === '"' || char === "'") {
        if (quote === eof) quote = char;
        else if (this.#peek(-2) !== '\\' && char === quote) isClosed = true;
      } else if (char === ')' && (quote !== eof) === isClosed) {
        return;
      }
    }
  }
}

function parseSlice(text: string): JsonPathNode {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const start = sliceParam(match[1] ?? '');
  const end =
    match[2] === undefined ? { known: true, value: start.value + 1, derived: true } : sliceParam(match[2].slice(1));
  const step = match[3] === undefined ? sliceParam('') : sliceParam(match[3].slice(1));
  return { kind: 'array', params: [start, end, step] };
}

function sliceParam(text: string): SliceParam {
  if (text === '') return { known: false, value: 0, derived: false };
  const value = atoi(text);
  if (value === undefined) throw new JsonPathError(`array index ${text} is not a number`);
  return { known: true, value, derived: false };
}

function isEndOfLine(char: string): boolean {
  return char === '\r' || char === '\n';
}

function isTerminator(char: string): boolean {
  return char === eof || ' \t\r\n.,[]$@{}'.includes(char);
}

function isDigit(char: string): boolean {
  return /^\p{Nd}$/u.test(char);
}

function isAlphaNumeric(char: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(char);
}

// Go's %#U: the code point and, when it can be printed, the character.
function showChar(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return goQuote(char).includes('\\x') || goQuote(char).includes('\\u') || char < ' '
    ? `U+${code}`
    : `U+${code} '${char}'`;
}
