// One YAML scalar as yaml.v2's emitter writes it: which style a string gets, how it is escaped, where it is folded.

import type { Json } from '../../schema/schema.ts';
import { goFloat64 } from '../../values/go-format.ts';
import { looksLikeTimestamp, resolveScalar } from './resolve-scalar.ts';

export interface ScalarPlace {
  /** Where the scalar begins, counted from zero. */
  readonly column: number;
  /** Indent of lines it goes on to. */
  readonly indent: number;
  /** Keys are neither folded nor written as blocks. */
  readonly key: boolean;
}

const widthMax = 80;

/** A scalar, or an empty collection. */
export function emitScalar(value: Json, place: ScalarPlace): string {
  switch (typeof value) {
    case 'string':
      return emitString(value, place);
    case 'number':
      return isGoInteger(value) ? String(value) : goFloat64(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? '[]' : '{}';
    default:
      return String(value);
  }
}

/** Upstream writes JSON first and reads it back: what fits an int64 or uint64 is an integer, the rest a float. */
function isGoInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64;
}

function emitString(text: string, place: ScalarPlace): string {
  const facts = analyze(text);
  if (text.includes('\n')) {
    return facts.blockAllowed && !place.key ? literal(text, place) : doubleQuoted(text, place);
  }
  if (typeof resolveScalar(text) !== 'string' || looksSexagesimal(text) || looksLikeTimestamp(text))
    return doubleQuoted(text, place);
  if (facts.plainAllowed) return fold(text, place, place.column);
  return facts.singleQuotedAllowed ? singleQuoted(text, place) : doubleQuoted(text, place);
}

function looksSexagesimal(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}

interface Facts {
  readonly plainAllowed: boolean;
  readonly singleQuotedAllowed: boolean;
  readonly blockAllowed: boolean;
}

// Characters yaml.v2 writes as they are: no tabs, nothing beyond the basic plane.
const printable = /^[\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;

function analyze(text: string): Facts {
  const special = !printable.test(text);
  const indicators =
    /^(?:---|\.\.\.)/.test(text) ||
    /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
    /^[?:-](?:[ \t\n]|$)/.test(text) ||
    /:(?:[ \t\n]|$)/.test(text.slice(1)) ||
    /[ \t\n]#/.test(text);
  const edges = /^[ \n]|[ \n]$/.test(text);
  const spaceBreak = / \n/.test(text);
  const breakSpace = /\n /.test(text);
  return {
    plainAllowed: !indicators && !edges && !breakSpace && !spaceBreak && !special && !text.includes('\n'),
    singleQuotedAllowed: !breakSpace && !spaceBreak && !special,
    blockAllowed: !text.endsWith(' ') && !spaceBreak && !special && text !== '',
  };
}

function literal(text: string, { indent }: ScalarPlace): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const body = text.replace(/\n$/, '');
  const lines = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}

function singleQuoted(text: string, place: ScalarPlace): string {
  const quoted = fold(text.replaceAll("'", "''"), place, place.column + 1);
  return `'${quoted}'`;
}

const shortEscapes = new Map([
  ['\0', '\\0'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function doubleQuoted(text: string, place: ScalarPlace): string {
  let out = '"';
  let column = place.column + 1;
  let spaces = false;
  const chars = Array.from(text);
  chars.forEach((char, i) => {
    if (char === ' ') {
      const fold = !place.key && !spaces && column > widthMax && i > 0 && i < chars.length - 1;
      if (fold) {
        const more = chars[i + 1] === ' ' ? '\\' : '';
        out += `\n${' '.repeat(place.indent)}${more}`;
        column = place.indent + more.length;
      } else {
        out += char;
        column++;
      }
      spaces = true;
      return;
    }
    const written = escapeChar(char);
    out += written;
    column += Array.from(written).length;
    spaces = false;
  });
  return `${out}"`;
}

function escapeChar(char: string): string {
  const short = shortEscapes.get(char);
  if (short !== undefined) return short;
  if (printable.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  const [letter, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return `\\${letter}${code
    .toString(16)
    .toUpperCase()
    .padStart(digits as number, '0')}`;
}

/** Breaks at single spaces once the line is longer than 80 columns; a reader joins the lines again. */
function fold(text: string, place: ScalarPlace, start: number): string {
  if (place.key || start + text.length <= widthMax) return text;
  let out = '';
  let column = start;
  let spaces = false;
  const chars = Array.from(text);
  chars.forEach((char, i) => {
    if (char !== ' ') {
      out += char;
      column++;
      spaces = false;
      return;
    }
    const isEdge = i === 0 || i === chars.length - 1;
    if (!spaces && !isEdge && column > widthMax && chars[i + 1] !== ' ') {
      out += `\n${' '.repeat(place.indent)}`;
      column = place.indent;
    } else {
      out += char;
      column++;
    }
    spaces = true;
  });
  return out;
}
