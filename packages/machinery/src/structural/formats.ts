// `format` of custom resources: which formats are held to (k8s.io/apiextensions-apiserver's list for 1.36), and how
// (k8s.io/kube-openapi/pkg/validation/strfmt). A format that is unknown, or of another type, means nothing.

import { lazyPattern } from './pattern.ts';
import { isCreditCard, isIsbn10, isIsbn13 } from './format-checksums.ts';
import { isDate, isDateTime, isScalaDuration } from './format-times.ts';
import { isCidr, isEmail, isHardwareAddress, isHostname, isIpv4, isIpv6, isRequestUri } from './format-addresses.ts';

export interface FormatCheck {
  /** As the schema writes it, for messages. */
  readonly name: string;
  /** Undefined for formats of numbers, which are ranges, and for those that nothing is held to. */
  readonly test: ((text: string) => boolean) | undefined;
}

const hex = '[0-9a-f]';
const stringFormats: ReadonlyMap<string, ((text: string) => boolean) | undefined> = new Map<
  string,
  ((text: string) => boolean) | undefined
>([
  ['bsonobjectid', matcher('(?i)^[0-9a-f]{24}$')],
  ['byte', matcher('^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$')],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isScalaDuration],
  ['email', isEmail],
  ['hexcolor', matcher('^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$')],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', named(253, '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')],
  ['k8sshortname', named(63, '[a-z0-9]([-a-z0-9]*[a-z0-9])?')],
  ['mac', isHardwareAddress],
  ['password', () => true],
  // Known, but upstream's validator holds nothing to it.
  ['quantity', undefined],
  ['rgbcolor', rgbMatcher()],
  ['ssn', matcher('^\\d{3}[- ]\\d{2}[- ]\\d{4}$')],
  ['uri', isRequestUri],
  ['uuid', uuidMatcher(hex, hex)],
  ['uuid3', uuidMatcher('3', hex)],
  ['uuid4', uuidMatcher('4', '[89ab]')],
  ['uuid5', uuidMatcher('5', '[89ab]')],
]);

/** The check behind a format of a type; undefined when there is none. Dashes in names don't count. */
export function formatCheckOf(type: string, format: string): FormatCheck | undefined {
  switch (type) {
    case '':
    case 'string': {
      const name = format.replaceAll('-', '');
      return stringFormats.has(name) ? { name: format, test: stringFormats.get(name) } : undefined;
    }
    case 'integer':
      return format === 'int32' || format === 'int64' ? { name: format, test: undefined } : undefined;
    case 'number':
      return format === 'float' || format === 'double' ? { name: format, test: undefined } : undefined;
    default:
      return undefined;
  }
}

function matcher(source: string): (text: string) => boolean {
  const pattern = lazyPattern(source);
  return (text) => pattern.test(text);
}

function named(max: number, source: string): (text: string) => boolean {
  const matches = matcher(`^${source}$`);
  return (text) => text.length <= max && matches(text);
}

function uuidMatcher(version: string, variant: string): (text: string) => boolean {
  return matcher(`(?i)^${hex}{8}-?${hex}{4}-?${version}${hex}{3}-?${variant}${hex}{3}-?${hex}{12}$`);
}

function rgbMatcher(): (text: string) => boolean {
  const part = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
  return matcher(`^rgb\\(${part},${part},${part}\\)$`);
}
