// Which proxy the environment asks for, by Go's rules (golang.org/x/net/http/httpproxy), which are kubectl's: HTTPS_PROXY, HTTP_PROXY and
// NO_PROXY in upper or lower case. The environment is the caller's to read.

import { BlockList, isIP } from 'node:net';
import { parseProxyUrl } from './proxy-url.ts';

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an http or https URL; undefined to connect directly.
 *
 * - `localhost` and loopback addresses are never proxied.
 * - NO_PROXY is a list by commas: `*`; an address; a CIDR; a domain, which covers its subdomains (`.example.com` and `*.example.com` cover
 *   those alone). An address or domain may end in `:port`.
 *
 * @throws TypeError when the variable holds no URL of a proxy.
 */
export function proxyFromEnvironment(url: URL, environment: Environment): URL | undefined {
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = read(environment, variable);
  if (value === '' || !usesProxy(url, read(environment, 'NO_PROXY'))) return undefined;
  try {
    return parseProxyUrl(/^(https?|socks5h?):\/\//i.test(value) ? value : `http://${value}`);
  } catch (error) {
    throw new TypeError(`${variable}: ${(error as Error).message}`, { cause: error });
  }
}

function read(environment: Environment, name: string): string {
  const upper = environment[name];
  return upper === undefined || upper === '' ? (environment[name.toLowerCase()] ?? '') : upper;
}

function usesProxy(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname.toLowerCase());
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  if (isLoopback(host)) return false;
  return !noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(host, entry);
  const { name, port: wantedPort } = splitPort(entry);
  if (name === '' || (wantedPort !== '' && wantedPort !== port)) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && isInNetwork(host, `${name}/${isIP(name) === 4 ? 32 : 128}`);
  const domain = name.startsWith('*.') ? name.slice(1) : name;
  if (domain.startsWith('.')) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): { readonly name: string; readonly port: string } {
  if (isIP(entry) !== 0) return { name: entry, port: '' };
  const match = /^(.*):(\d+)$/.exec(entry);
  return { name: bare(match?.[1] ?? entry), port: match?.[2] ?? '' };
}

/** Whether a host, as a URL has it, is this machine. */
export function isLoopback(host: string): boolean {
  const address = bare(host);
  return address === 'localhost' || isInNetwork(address, '127.0.0.0/8') || isInNetwork(address, '::1/128');
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  const hostFamily = isIP(host);
  if (family === 0 || hostFamily === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, hostFamily === 4 ? 'ipv4' : 'ipv6');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
