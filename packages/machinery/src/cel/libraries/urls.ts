// Kubernetes' URL library: `url('https://example.com:80/').getHost()`; parsing follows Go's url.ParseRequestURI.

import { goQuote } from '../../values/go-strings.ts';
import { type Overload, overloads } from '../functions.ts';
import { CelError, CelList, type CelOpaque, type CelValue, EntryMap } from '../values.ts';

class UrlValue implements CelOpaque {
  readonly opaqueName = 'kubernetes.URL';
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
  readonly text: string;

  constructor(text: string, scheme: string, host: string, escapedPath: string, query: string) {
    this.text = text;
    this.scheme = scheme;
    this.host = host;
    this.escapedPath = escapedPath;
    this.query = query;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof UrlValue && this.text === other.text;
  }
}

const of = (value: CelValue | undefined): UrlValue => value as UrlValue;

export const urls: readonly Overload[] = overloads({
  'url(string): URL': ([text]) => {
    const parsed = parse(text as string);
    if (typeof parsed === 'string')
      throw new CelError(`URL parse error during conversion from string: parse ${goQuote(text as string)}: ${parsed}`);
    return parsed;
  },
  'isURL(string): bool': ([text]) => typeof parse(text as string) !== 'string',
  'URL.getScheme(): string': ([url]) => of(url).scheme,
  'URL.getHost(): string': ([url]) => of(url).host,
  'URL.getHostname(): string': ([url]) =>
    of(url)
      .host.replace(/:[0-9]*$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  'URL.getPort(): string': ([url]) => /:([0-9]*)$/.exec(of(url).host)?.[1] ?? '',
  'URL.getEscapedPath(): string': ([url]) => of(url).escapedPath,
  'URL.getQuery(): map(string, list(string))': ([url]) => queryOf(of(url).query),
});

/** The parts, or what is wrong. */
function parse(text: string): UrlValue | string {
  if (text === '') return 'empty url';
  if (/[\0-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL';
  const [, scheme = '', rest = text] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  if (scheme === '' && text.startsWith(':')) return 'missing protocol scheme';
  const [beforeQuery = '', ...query] = rest.split('?');
  if (scheme === '' && !beforeQuery.startsWith('/')) return 'invalid URI for request';
  // `mailto:a@b` has nothing that rules could ask for.
  if (scheme !== '' && !beforeQuery.startsWith('/'))
    return new UrlValue(text, scheme.toLowerCase(), '', '', query.join('?'));
  const authority = (scheme !== '' || !beforeQuery.startsWith('///')) && beforeQuery.startsWith('//');
  const [, userHost = '', path = beforeQuery] = authority ? (/^\/\/([^/]*)(.*)$/s.exec(beforeQuery) ?? []) : [];
  const host = userHost.slice(userHost.lastIndexOf('@') + 1);
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const port = /:([^\]]*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1];
  if (port !== undefined && !/^[0-9]*$/.test(port)) return `invalid port ${goQuote(`:${port}`)} after host`;
  if (/[ <>"\\^`{|}]/.test(host))
    return `invalid character ${goQuote(/[ <>"\\^`{|}]/.exec(host)?.[0] ?? '')} in host name`;
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (badEscape !== undefined) return `invalid URL escape ${goQuote(badEscape)}`;
  return new UrlValue(text, scheme.toLowerCase(), host, escapePath(path), query.join('?'));
}

/** Characters that a path may not hold bare, escaped as Go does. */
function escapePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9$&+,/:;=@\-_.~!*'()[\]%]/gu, (char) => encodeURIComponent(char));
}

function queryOf(query: string): EntryMap {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [key = '', ...value] = pair.split('=');
    const name = decode(key);
    const text = decode(value.join('='));
    if (name === undefined || text === undefined) continue;
    values.set(name, [...(values.get(name) ?? []), text]);
  }
  return new EntryMap([...values].map(([key, list]) => [key, CelList.of(list)] as const));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
