// The text form of label selectors: `app=web,tier!=db,env in (a,b),!legacy,n>5`. `in` and `notin` are operators only
// where an operator may stand. Messages are upstream's, odd quotes included (spec/apiserver.md §5.4).

import { compareBytewise } from '../values/go-strings.ts';
import { labelKeyError, type LabelOperator, LabelRequirement } from './label-requirement.ts';
import { LabelSelector } from './label-selector.ts';
import { SelectorError } from './selector-error.ts';

/** Parses a label selector; the empty text matches everything. @throws SelectorError */
export function parseLabelSelector(text: string): LabelSelector {
  return LabelSelector.of(new Parser(scan(text)).parse());
}

type TokenKind = 'end' | 'identifier' | 'in' | 'notin' | ')' | '(' | ',' | '!' | '==' | '=' | '!=' | '>' | '<';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const operators = new Map<TokenKind, LabelOperator>([
  ['in', 'in'],
  ['=', '='],
  ['==', '=='],
  ['>', 'gt'],
  ['<', 'lt'],
  ['notin', 'notin'],
  ['!=', '!='],
]);
const end: Token = { kind: 'end', text: '' };

function scan(text: string): readonly Token[] {
  const nul = text.indexOf('\0');
  const pattern = /(==|!=|[=!(),<>])|([^=!(),<> \t\r\n]+)/g;
  const tokens: Token[] = [];
  for (const [, symbol, word] of (nul < 0 ? text : text.slice(0, nul)).matchAll(pattern)) {
    if (symbol !== undefined) tokens.push({ kind: symbol as TokenKind, text: symbol });
    else if (word !== undefined)
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
  }
  return [...tokens, end];
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'identifier' && token.kind !== '!') {
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following.kind !== 'identifier' && following.kind !== '!') {
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#checkedRequirement();
    } catch (error) {
      if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #checkedRequirement(): LabelRequirement {
    let token = this.#take();
    const absent = token.kind === '!';
    if (absent) token = this.#take();
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const keyError = labelKeyError(key, '<nil>');
    if (keyError !== undefined) throw new SelectorError(`${keyError.field}: ${keyError.body}`);
    if (absent) return LabelRequirement.create(key, '!', []);
    const { kind } = this.#peek();
    if (kind === 'end' || kind === ',') return LabelRequirement.create(key, 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    return LabelRequirement.create(key, operator, [...new Set(values)].sort(compareBytewise));
  }

  #operator(): LabelOperator {
    const token = this.#tokens[this.#position++] ?? end;
    const operator = operators.get(token.kind);
    if (operator === undefined) {
      throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    return operator;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',') {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    if (this.#take().kind !== ')') throw new SelectorError(`found '${first.text}', expected: ')'`);
    return values;
  }

  // Commas may stand for empty values: `(,a)`, `(a,,b)`, `(a,)`.
  #identifiers(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.kind === 'identifier') {
        values.push(token.text);
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.length === 0 || next.kind === ',') values.push('');
        if (next.kind === ')') return [...values, ''];
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return '';
    const token = this.#take();
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  // `in` and `notin` are plain words except where `#operator` reads.
  #peek(): Token {
    return asWord(this.#tokens[this.#position] ?? end);
  }

  #take(): Token {
    return asWord(this.#tokens[this.#position++] ?? end);
  }
}

function asWord(token: Token): Token {
  return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;
}
