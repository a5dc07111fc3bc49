// The resolver settings of a Pod, and its host aliases.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  notSupported,
  required,
  utf8Length,
} from '@homeostat/machinery';
import type { HostAlias, PodDNSConfig, PodSpec } from '@homeostat/api/types/core-v1';
import { validateIp } from '../rules/addresses.ts';
import { pushInvalid } from '../rules/values.ts';

const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const nameserversMax = 3;
const searchesMax = 32;
const searchListBytesMax = 2048;

export function validateDnsPolicy(policy: string, path: FieldPath, errors: FieldError[]): void {
  if (policy === '') errors.push(required(path));
  else if (!policies.includes(policy)) errors.push(notSupported(path, policy, policies));
}

export function validateDnsConfig(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const config = spec.dnsConfig;
  if (spec.dnsPolicy === 'None') {
    if (config === undefined) {
      errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
      return;
    }
    if ((config.nameservers ?? []).length === 0) {
      const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      errors.push(required(path.child('nameservers'), text));
      return;
    }
  }
  if (config !== undefined) validateConfig(config, path, errors);
}

export function validateHostAliases(
  aliases: readonly HostAlias[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, alias] of (aliases ?? []).entries()) {
    validateIp(alias.ip ?? '', path.index(index).child('ip'), errors);
    for (const [nameIndex, name] of (alias.hostnames ?? []).entries()) {
      pushInvalid(isDns1123Subdomain(name), name, path.index(index).child('hostnames').index(nameIndex), errors);
    }
  }
}

function validateConfig(config: PodDNSConfig, path: FieldPath, errors: FieldError[]): void {
  const nameservers = config.nameservers ?? [];
  const at = path.child('nameservers');
  if (nameservers.length > nameserversMax) {
    errors.push(invalid(at, nameservers, `must not have more than ${nameserversMax} nameservers`));
  }
  for (const [index, nameserver] of nameservers.entries()) validateIp(nameserver, at.index(index), errors);
  validateSearches(config.searches ?? [], path.child('searches'), errors);
  for (const [index, option] of (config.options ?? []).entries()) {
    if ((option.name ?? '') === '') errors.push(required(path.child('options').index(index), 'must not be empty'));
  }
}

function validateSearches(searches: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (searches.length > searchesMax) {
    errors.push(invalid(path, searches, `must not have more than ${searchesMax} search paths`));
  }
  if (utf8Length(searches.join(' ')) > searchListBytesMax) {
    const text = `must not have more than ${searchListBytesMax} characters (including spaces) in the search list`;
    errors.push(invalid(path, searches, text));
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    pushInvalid(isDns1123SubdomainWithUnderscore(name), name, path.index(index), errors);
  }
}
