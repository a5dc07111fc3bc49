// Reads the `Impersonate-*` headers of a request into the user it wants to be (spec/apiserver.md §16.1). Says nothing
// about whether it may.

import { newBadRequest, quote } from '@homeostat/machinery';
import type { User } from '../../server/user.ts';

const userHeader = 'impersonate-user';
const groupHeader = 'impersonate-group';
const uidHeader = 'impersonate-uid';
const extraPrefix = 'impersonate-extra-';

/**
 * The wanted user as the headers say it, or undefined when nobody is impersonated. An empty user name counts as absent.
 * @throws ApiError 400 for groups, uid or extra without a user name.
 */
export function readWantedUser(headers: Readonly<Record<string, string>>): User | undefined {
  const username = headers[userHeader] ?? '';
  const uid = headers[uidHeader] ?? '';
  const groups = headers[groupHeader] === undefined ? [] : splitValues(headers[groupHeader]);
  const extra: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(extraPrefix)) extra[decodeKey(name.slice(extraPrefix.length))] = splitValues(value);
  }
  const wanted = { username, uid, groups, extra };
  if (username !== '') return wanted;
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw newBadRequest(`requested ${formatUser(wanted)} without impersonating a user name`);
}

/** The headers without those that impersonate: nothing behind this stage may see them. */
export function withoutImpersonation(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name !== userHeader && name !== groupHeader && name !== uidHeader && !name.startsWith(extraPrefix),
    ),
  );
}

/** Several headers of one name arrive joined by a comma and a space. */
function splitValues(value: string): string[] {
  return value.split(', ');
}

function decodeKey(encoded: string): string {
  const key = encoded.toLowerCase();
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** As Go's `%#v` prints it: clients show this text. */
function formatUser(user: User): string {
  const groups = user.groups.length === 0 ? '[]string(nil)' : `[]string${formatValues(user.groups)}`;
  const keys = Object.keys(user.extra).sort();
  const entries = keys.map((key) => `${quote(key)}:[]string${formatValues(user.extra[key] ?? [])}`);
  const extra = keys.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${quote(user.username)}, UID:${quote(user.uid)}, Groups:${groups}, Extra:${extra}}`;
}

function formatValues(values: readonly string[]): string {
  return `{${values.map(quote).join(', ')}}`;
}
