// The address of a proxy, checked: kinds, default ports, credentials.

const defaultPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

/** @throws TypeError when it is no URL of an http, https or socks5 proxy. The message holds no credentials. */
export function parseProxyUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new TypeError('the proxy is not a URL');
  if (defaultPorts[url.protocol] === undefined) {
    throw new TypeError(
      `unsupported proxy scheme ${JSON.stringify(url.protocol.slice(0, -1))}, must be http, https, or socks5`,
    );
  }
  if (url.hostname === '') throw new TypeError('the URL of the proxy has no host');
  try {
    credentialsOf(url);
  } catch {
    throw new TypeError('the user or password in the URL of the proxy is not percent-encoded');
  }
  return url;
}

/** Host without brackets, and port. */
export function endpointOf(url: URL): { readonly host: string; readonly port: number } {
  const port = url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

/** User and password of a proxy, percent-decoded; undefined when it names no user. */
export function credentialsOf(url: URL): { readonly user: string; readonly password: string } | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
}

/** Value of Proxy-Authorization, as headers. */
export function proxyAuthorization(url: URL): Readonly<Record<string, string>> {
  const credentials = credentialsOf(url);
  if (credentials === undefined) return {};
  const basic = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64');
  return { 'proxy-authorization': `Basic ${basic}` };
}
