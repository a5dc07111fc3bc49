// `--token-auth-file`: lines of `token,user,uid,"group,group"` (CSV as RFC 4180 has it; lines that start with # are
// comments). Static tokens are good for the server's own audiences only.

import type { User } from '../server/user.ts';
import { intersectAudiences, type TokenAuthenticator, type TokenIdentity } from './token-authenticator.ts';

export class StaticTokens implements TokenAuthenticator {
  readonly #users: ReadonlyMap<string, User>;
  readonly #audiences: readonly string[];

  constructor(users: ReadonlyMap<string, User>, audiences: readonly string[]) {
    this.#users = users;
    this.#audiences = audiences;
  }

  authenticateToken(token: string, wanted: readonly string[]): TokenIdentity | undefined {
    const user = this.#users.get(token);
    if (user === undefined) return undefined;
    const audiences = intersectAudiences(this.#audiences, wanted);
    return audiences.length === 0 ? undefined : { user, audiences };
  }
}

/** Reads a token file. @throws Error with the number of a line that has too few fields, no token or an open quote. */
export function parseTokenFile(text: string): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  for (const { fields, line } of parseCsv(text)) {
    if (fields.length < 3) {
      throw new Error(`Cannot read line ${line} of the token file: expected at least 3 fields, found ${fields.length}`);
    }
    const [token = '', username = '', uid = '', groups = ''] = fields;
    if (token === '') throw new Error(`Cannot read line ${line} of the token file: its token is empty`);
    const names = groups.split(',').map((group) => group.trim());
    users.set(token, { username, uid, groups: names.filter((group) => group !== ''), extra: {} });
  }
  return users;
}

function* parseCsv(text: string): Generator<{ readonly fields: readonly string[]; readonly line: number }> {
  let line = 0;
  for (const raw of text.split(/\r?\n/)) {
    line++;
    if (raw.trim() === '' || raw.startsWith('#')) continue;
    if (raw.split('"').length % 2 === 0) {
      throw new Error(`Cannot read line ${line} of the token file: a quote is not closed`);
    }
    const fields: string[] = [];
    // A quoted field may hold commas; a doubled quote inside stands for one.
    for (const match of raw.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
      fields.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'));
    }
    yield { fields, line };
  }
}
