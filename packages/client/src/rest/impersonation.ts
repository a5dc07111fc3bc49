// Acting as somebody else (spec/apiserver.md §16.1): the fields of a user as Impersonate-* headers.

/** Who to act as. The caller needs the right to impersonate; the server checks it. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The headers. Several values of one name are joined by `, ` as the transport port has it; HTTP sends one header each.
 * @throws TypeError without a user name, and for a value that holds `, `: it could not be told from two.
 */
export function impersonationHeaders(impersonation: Impersonation): Readonly<Record<string, string>> {
  const { user, uid = '', groups = [], extra = {} } = impersonation;
  if (user === '') throw new TypeError('impersonating groups, extra or a uid needs a user name');
  const lists = [
    ['impersonate-group', groups] as const,
    ...Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeKey(key)}`, values] as const),
  ];
  for (const [name, values] of lists) {
    const bad = values.find((value) => value.includes(', '));
    if (bad !== undefined)
      throw new TypeError(`${name}: a value may not hold a comma and a space: ${JSON.stringify(bad)}`);
  }
  return {
    'impersonate-user': user,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...Object.fromEntries(
      lists.filter(([, values]) => values.length > 0).map(([name, values]) => [name, values.join(', ')]),
    ),
  };
}

/** Header names take few characters; servers decode percent escapes, and keys are lower case. */
function encodeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
