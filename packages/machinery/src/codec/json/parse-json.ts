// The exact JSON reader: reports syntax errors in the words of Go's encoding/json, keeps repeated keys and number texts.
// It is the slow path; read-json.ts uses JSON.parse wherever that loses nothing.

import { DecodeError } from '../decode-error.ts';
import { NumberLiteral, type ParsedJson, RepeatedKeys } from './parsed-json.ts';

/**
 * How deep values may nest. Go allows 10,000; JavaScript's stack does not carry that through every walk, and no object
 * comes near either.
 */
export const nestingMax = 1000;

/** Parses one JSON text. @throws DecodeError with Go's text */
export function parseJson(text: string): ParsedJson {
  return new Parser(text).parse();
}

/** Sets a property even when its name is `__proto__`. */
export function setProperty<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): ParsedJson {
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#invalid('after top-level value');
    return value;
  }

  #value(): ParsedJson {
    this.#skipSpace();
    const char = this.#text[this.#at];
    switch (char) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        if (char !== undefined && (char === '-' || isDigit(char))) return this.#number();
        throw this.#invalid('looking for beginning of value');
    }
  }

  #nested(read: () => ParsedJson): ParsedJson {
    if (++this.#depth > nestingMax) throw this.#invalid('exceeded max depth');
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): ParsedJson {
    const entries: [string, ParsedJson][] = [];
    const object: { [key: string]: ParsedJson } = {};
    let repeats = false;
    this.#skipSpace();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return object;
    }
    for (;;) {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#invalid('looking for beginning of object key string');
      const key = this.#string();
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw this.#invalid('after object key');
      this.#at++;
      const value = this.#value();
      repeats ||= Object.hasOwn(object, key);
      entries.push([key, value]);
      setProperty(object, key, value);
      this.#skipSpace();
      const end = this.#text[this.#at];
      if (end === '}') {
        this.#at++;
        return repeats ? new RepeatedKeys(entries) : object;
      }
      if (end !== ',') throw this.#invalid('after object key:value pair');
      this.#at++;
    }
  }

  #array(): ParsedJson {
    const items: ParsedJson[] = [];
    this.#skipSpace();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#value());
      this.#skipSpace();
      const end = this.#text[this.#at];
      if (end === ']') {
        this.#at++;
        return items;
      }
      if (end !== ',') throw this.#invalid('after array element');
      this.#at++;
    }
  }

  #string(): string {
    let out = '';
    let start = ++this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22 /* " */) {
        out += this.#text.slice(start, this.#at++);
        return out;
      }
      if (code === 0x5c /* \ */) {
        out += this.#text.slice(start, this.#at++) + this.#escape();
        start = this.#at;
        continue;
      }
      if (Number.isNaN(code) || code < 0x20) throw this.#invalid('in string literal');
      this.#at++;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at] ?? '';
    const simple = simpleEscapes[char];
    if (simple !== undefined) {
      this.#at++;
      return simple;
    }
    if (char !== 'u') throw this.#invalid('in string escape code');
    for (let i = 0; i < 4; i++) {
      this.#at++;
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? '')) {
        throw this.#invalid('in \\u hexadecimal character escape');
      }
    }
    this.#at++;
    return String.fromCharCode(Number.parseInt(this.#text.slice(this.#at - 4, this.#at), 16));
  }

  #number(): number | NumberLiteral {
    const start = this.#at;
    if (this.#text[this.#at] === '-') {
      this.#at++;
      if (!isDigit(this.#text[this.#at])) throw this.#invalid('in numeric literal');
    }
    if (this.#text[this.#at] === '0') this.#at++;
    else this.#digits();
    if (this.#text[this.#at] === '.') {
      this.#at++;
      if (!isDigit(this.#text[this.#at])) throw this.#invalid('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at++;
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at++;
      if (!isDigit(this.#text[this.#at])) throw this.#invalid('in exponent of numeric literal');
      this.#digits();
    }
    const text = this.#text.slice(start, this.#at);
    const number = Number(text);
    return Number.isSafeInteger(number) && String(number) === text ? number : new NumberLiteral(text);
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at])) this.#at++;
  }

  #literal<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.#text[this.#at + i] === word[i]) continue;
      this.#at += i;
      throw this.#invalid(`in literal ${word} (expecting '${word[i]}')`);
    }
    this.#at += word.length;
    return value;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #invalid(context: string): DecodeError {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return new DecodeError('unexpected end of JSON input');
    return new DecodeError(`invalid character ${quoteByte(firstByte(code))} ${context}`);
  }
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

/** Go reads bytes: of a character beyond ASCII it sees the first one. */
function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}

const namedBytes: Readonly<Record<number, string>> = {
  0x07: '\\a',
  0x08: '\\b',
  0x09: '\\t',
  0x0a: '\\n',
  0x0b: '\\v',
  0x0c: '\\f',
  0x0d: '\\r',
  0x27: "\\'",
  0x5c: '\\\\',
};

function quoteByte(byte: number): string {
  const named = namedBytes[byte];
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  return `'${String.fromCharCode(byte)}'`;
}
