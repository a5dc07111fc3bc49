// Field selectors: `metadata.name=a,status.phase!=Running`, with `\` escaping `\`, `,` and `=` in values.
// Which fields a kind knows, and their aliases, is the kind's business: it goes through `transform`.
// Follows k8s.io/apimachinery/pkg/fields.

import { compareBytewise } from '../values/go-strings.ts';
import { SelectorError } from './selector-error.ts';

export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** The fields of an object that selectors may use; an array is a field with several values, any of which may match. */
export type SelectableFields = Readonly<Record<string, string | readonly string[]>>;

export class FieldSelector {
  readonly terms: readonly FieldTerm[];

  constructor(terms: readonly FieldTerm[]) {
    this.terms = terms;
  }

  static readonly everything = new FieldSelector([]);

  get isEmpty(): boolean {
    return this.terms.length === 0;
  }

  /** Whether all terms hold; a field the object does not have is the empty string. */
  matches(fields: SelectableFields): boolean {
    for (const { field, operator, value } of this.terms) {
      const actual = Object.hasOwn(fields, field) ? fields[field] : '';
      const equal = typeof actual === 'string' ? actual === value : (actual?.includes(value) ?? false);
      if (equal !== (operator === '=')) return false;
    }
    return true;
  }

  /** The value the selector demands of a field, if it does: for indexes and single-key reads. */
  exactMatch(field: string): string | undefined {
    return this.terms.find((term) => term.field === field && term.operator === '=')?.value;
  }

  /** Rewrites each term; a term that becomes empty is dropped. The function throws for fields it does not know. */
  transform(rewrite: (field: string, value: string) => readonly [field: string, value: string]): FieldSelector {
    const terms: FieldTerm[] = [];
    for (const { field, operator, value } of this.terms) {
      const [newField, newValue] = rewrite(field, value);
      if (newField !== '' || newValue !== '') terms.push({ field: newField, operator, value: newValue });
    }
    return new FieldSelector(terms);
  }

  toString(): string {
    return this.terms.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(',');
  }
}

/** Parses a field selector; the empty text matches everything. @throws SelectorError */
export function parseFieldSelector(text: string): FieldSelector {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text).sort(compareBytewise)) {
    if (part === '') continue;
    const match = /^([^!=]|!(?!=))*/s.exec(part);
    const field = match?.[0] ?? '';
    const rest = part.slice(field.length);
    const operator = ['!=', '==', '='].find((candidate) => rest.startsWith(candidate));
    if (operator === undefined) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`);
    const value = unescapeFieldValue(rest.slice(operator.length));
    if (field !== '' || value !== '') terms.push({ field, operator: operator === '!=' ? '!=' : '=', value });
  }
  return new FieldSelector(terms);
}

/** Escapes a value for the text form. */
export function escapeFieldValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, (char) => `\\${char}`);
}

// Commas end a term unless a backslash precedes them.
function splitTerms(text: string): string[] {
  if (text === '') return [];
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaped = false;
  for (const char of text) {
    if (escaped) {
      if (!'\\,='.includes(char)) throw new SelectorError(`invalid field selector: invalid escape sequence: \\${char}`);
      value += char;
      escaped = false;
    } else if (char === '\\') {
      escaped = true;
    } else if (char === ',' || char === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`);
    } else {
      value += char;
    }
  }
  if (escaped) throw new SelectorError('invalid field selector: invalid escape sequence: \\');
  return value;
}
