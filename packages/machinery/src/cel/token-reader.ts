// A cursor over tokens that recovers from one wrong or missing token as upstream's generated parser does,
// and words its complaints the same way. What cannot be recovered ends the parse.

import { type CelIssue, CelSyntaxError } from './issues.ts';
import { lex, type Token, type TokenKind } from './lexer.ts';

/** Token kinds in the order upstream lists them in `expecting {…}`. */
const order = [
  '==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':',
  '+', '*', '/', '%', 'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER',
  'ESC_IDENTIFIER', '<EOF>',
]; // prettier-ignore

/** What can begin an expression. */
export const expressionStart: readonly TokenKind[] = [
  '[', '{', '(', '.', '-', '!', 'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER',
]; // prettier-ignore

/** What can follow a closing bracket. */
const afterClosing = new Set<TokenKind>(
  order.slice(0, 25).filter((kind) => kind !== '{' && kind !== '(' && kind !== '!'),
);

const named = /^[A-Z_]+$/;

export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly issues: CelIssue[];
  #at = 0;

  constructor(source: string) {
    const { tokens, issues } = lex(source);
    this.#tokens = tokens;
    this.issues = [...issues];
  }

  get token(): Token {
    return this.#peek(0);
  }

  #peek(ahead: number): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token;
  }

  is(kind: TokenKind): boolean {
    return this.token.kind === kind;
  }

  nextIs(kind: TokenKind): boolean {
    return this.#peek(1).kind === kind;
  }

  next(): Token {
    const token = this.token;
    this.#at = Math.min(this.#at + 1, this.#tokens.length - 1);
    return token;
  }

  /** Takes a token of `kind` if it is next. */
  skip(kind: TokenKind): Token | undefined {
    return this.is(kind) ? this.next() : undefined;
  }

  /** Takes `.name` parts if they are followed by `kind`, which stays: `[]` where it comes at once. */
  qualifiedNameBefore(kind: TokenKind): readonly string[] | undefined {
    const names: string[] = [];
    let ahead = 0;
    while (this.#peek(ahead).kind === '.' && this.#peek(ahead + 1).kind === 'IDENTIFIER') {
      names.push(this.#peek(ahead + 1).text);
      ahead += 2;
    }
    if (this.#peek(ahead).kind !== kind) return undefined;
    this.#at += ahead;
    return names;
  }

  /** Takes a token of `kind`; passes over one extraneous token, or goes on without it where the rest fits. */
  expect(kind: TokenKind): Token {
    const token = this.token;
    if (token.kind === kind) return this.next();
    if (this.nextIs(kind) && token.kind !== '<EOF>') {
      this.#report(token, `extraneous input '${token.text}' expecting ${shown([kind])}`);
      this.next();
      return this.next();
    }
    if (this.#mayGoOnWithout(kind)) {
      this.#report(token, `missing ${shown([kind])} at '${token.text}'`);
      return { kind, text: '', offset: token.offset };
    }
    return this.fail(token, `mismatched input '${token.text}' expecting ${shown([kind])}`);
  }

  /** Makes sure that one of `kinds` is next; one extraneous token is passed over. */
  sync(kinds: readonly TokenKind[]): void {
    const token = this.token;
    if (kinds.includes(token.kind)) return;
    if (token.kind !== '<EOF>' && kinds.includes(this.#peek(1).kind)) {
      this.#report(token, `extraneous input '${token.text}' expecting ${shown(kinds)}`);
      this.next();
      return;
    }
    this.fail(token, `mismatched input '${token.text}' expecting ${shown(kinds)}`);
  }

  /** Ends the parse: no rule goes on from `start` to the token at hand. */
  noAlternative(start: Token): never {
    const texts = this.#tokens
      .slice(this.#tokens.indexOf(start), this.#at + 1)
      .filter((token) => token.kind !== '<EOF>')
      .map((token) => token.text);
    this.fail(this.token, `no viable alternative at input '${texts.length > 0 ? texts.join('') : '<EOF>'}'`);
  }

  fail(token: Token, message: string): never {
    throw new CelSyntaxError({ offset: token.offset, message: `Syntax error: ${message}` });
  }

  #report(token: Token, message: string): void {
    this.issues.push({ offset: token.offset, message: `Syntax error: ${message}` });
  }

  #mayGoOnWithout(kind: TokenKind): boolean {
    const found = this.token.kind;
    if (kind === '<EOF>') return false;
    if (kind === ':') return expressionStart.includes(found);
    return found === '<EOF>' || afterClosing.has(found);
  }
}

function shown(kinds: readonly TokenKind[]): string {
  const texts = [...kinds]
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((kind) => (named.test(kind) || kind === '<EOF>' ? kind : `'${kind}'`));
  return texts.length === 1 ? (texts[0] ?? '') : `{${texts.join(', ')}}`;
}
