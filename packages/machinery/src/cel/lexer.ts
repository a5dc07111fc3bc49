// Splits a CEL text into tokens, with the token names and the complaints of upstream's generated lexer.

import type { CelIssue } from './issues.ts';
import { unescapeLiteral } from './unescape.ts';

/** Punctuation and keywords are their own kind; the rest are named as upstream's messages name them. */
export type TokenKind = string;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

export interface LexResult {
  readonly tokens: readonly Token[];
  readonly issues: readonly CelIssue[];
}

const punctuation = [
  '==', '!=', '<=', '>=', '&&', '||',
  '<', '>', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%',
]; // prettier-ignore

const keywords = new Set(['in', 'true', 'false', 'null']);

const space = /[\t \r\n\f]+|\/\/[^\n]*/y;
const number =
  /0x[0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|[0-9]+[uU]?/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdentifier = /`[A-Za-z0-9_.\-/ ]+`/y;
const text =
  /[bB]?(?:[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^\n\r]|[^\\"\n\r])*"|'(?:\\[^\n\r]|[^\\'\n\r])*')|[rR][bB](?:"[^"\n\r]*"|'[^'\n\r]*')/y;

/** Tokens of `source`, the last of kind `<EOF>`; characters that begin no token are issues and left out. */
export function lex(source: string): LexResult {
  const tokens: Token[] = [];
  const issues: CelIssue[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const push = (kind: TokenKind, length: number): void => {
    tokens.push({ kind, text: source.slice(at, at + length), offset: at });
    at += length;
  };
  while (at < source.length) {
    const blank = take(space);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const literal = take(text);
    if (literal !== undefined) {
      const kind = /^[rR]?[bB]/.test(literal) ? 'BYTES' : 'STRING';
      const wrong = escapeIssue(literal);
      if (wrong === undefined) push(kind, literal.length);
      else {
        issues.push({ offset: at, message: `Syntax error: token recognition error at: '${literal}'` });
        at += literal.length;
      }
      continue;
    }
    const digits = take(number);
    if (digits !== undefined) {
      push(numberKind(digits), digits.length);
      continue;
    }
    const name = take(identifier);
    if (name !== undefined) {
      push(keywords.has(name) ? name : 'IDENTIFIER', name.length);
      continue;
    }
    const escaped = take(escapedIdentifier);
    if (escaped !== undefined) {
      push('ESC_IDENTIFIER', escaped.length);
      continue;
    }
    const sign = punctuation.find((candidate) => source.startsWith(candidate, at));
    if (sign !== undefined) {
      push(sign, sign.length);
      continue;
    }
    const wrong = unrecognized(source, at);
    issues.push({ offset: at, message: `Syntax error: token recognition error at: '${wrong}'` });
    at += wrong.length;
  }
  tokens.push({ kind: '<EOF>', text: '<EOF>', offset: source.length });
  return { tokens, issues };
}

function numberKind(digits: string): TokenKind {
  if (/[uU]$/.test(digits)) return 'NUM_UINT';
  if (digits.startsWith('0x')) return 'NUM_INT';
  return /[.eE]/.test(digits) ? 'NUM_FLOAT' : 'NUM_INT';
}

/** The characters upstream's lexer gives up on: an open string to its line's end, else the beginning of a longer sign. */
function unrecognized(source: string, at: number): string {
  const first = String.fromCodePoint(source.codePointAt(at) ?? 0);
  if (first === '"' || first === "'" || first === '`') return source.slice(at).split('\n', 1)[0] ?? first;
  if ('=&|'.includes(first)) return source.slice(at, at + 2);
  return first;
}

function escapeIssue(literal: string): string | undefined {
  try {
    unescapeLiteral(literal);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
