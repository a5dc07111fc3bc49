// The rules for names, keys and other short texts (`k8s.io/apimachinery/pkg/util/validation`). Each function returns
// upstream's messages about a text, none when it is fine; the caller adds the field path.

import { maxBytesText, maxCharactersText, patternText, rangeText, utf8Length } from './rule-texts.ts';

/** Messages; empty when the text obeys the rule. */
export type RuleMessages = readonly string[];

const ok: RuleMessages = [];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = String.raw`${label}(\.${label})*`;
const labelUnderscore = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const subdomainUnderscore = String.raw`${labelUnderscore}(\.${labelUnderscore})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const wildcard = String.raw`\*\.${subdomain}`;
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${labelKey})?`;

const labelRegex = whole(label);
const subdomainRegex = whole(subdomain);
const subdomainCaselessRegex = whole(subdomain, 'i');
const subdomainUnderscoreRegex = whole(subdomainUnderscore);
const label1035Regex = whole(label1035);
const wildcardRegex = whole(wildcard);
const labelKeyRegex = whole(labelKey);
const labelValueRegex = whole(labelValue);

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  'and must start and end with an alphanumeric character';
const labelKeyText = patternText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKey,
  'MyName',
  'my.name',
  '123-abc',
);

/** `my-name`, at most 63 characters. */
export function isDns1123Label(value: string): RuleMessages {
  const errors = tooLong(value, 63);
  if (labelRegex.test(value)) return errors;
  if (subdomainRegex.test(value)) return [...errors, 'must not contain dots'];
  const text =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    'and must start and end with an alphanumeric character';
  return [...errors, patternText(text, label, 'my-name', '123-abc')];
}

/** `example.com`, at most 253 characters. */
export function isDns1123Subdomain(value: string): RuleMessages {
  const errors = tooLong(value, 253);
  return subdomainRegex.test(value) ? errors : [...errors, patternText(subdomainText, subdomain, 'example.com')];
}

/** A subdomain in any case. */
export function isDns1123SubdomainCaseless(value: string): RuleMessages {
  const errors = utf8Length(value) > 253 ? [maxBytesText(253)] : ok;
  if (subdomainCaselessRegex.test(value)) return errors;
  const text =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', " +
    'and must start and end with an alphanumeric character';
  return [...errors, patternText(text, subdomain, 'Example.com')];
}

/** A subdomain whose labels may contain `_`. */
export function isDns1123SubdomainWithUnderscore(value: string): RuleMessages {
  const errors = tooLong(value, 253);
  if (subdomainUnderscoreRegex.test(value)) return errors;
  const text =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
    'and must start and end with an alphanumeric character';
  return [...errors, patternText(text, subdomainUnderscore, 'example.com')];
}

/** A label that starts with a letter. */
export function isDns1035Label(value: string): RuleMessages {
  const errors = tooLong(value, 63);
  if (label1035Regex.test(value)) return errors;
  const text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    'start with an alphabetic character, and end with an alphanumeric character';
  return [...errors, patternText(text, label1035, 'my-name', 'abc-123')];
}

/** `*.example.com` */
export function isWildcardDns1123Subdomain(value: string): RuleMessages {
  const errors = tooLong(value, 253);
  if (wildcardRegex.test(value)) return errors;
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, " +
    "which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...errors, patternText(text, wildcard, '*.example.com')];
}

/** `[prefix/]name`: keys of labels and annotations, finalizers, resource names. */
export function isQualifiedName(value: string): RuleMessages {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${labelKeyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const errors = parts.length === 2 ? prefixErrors(parts[0] ?? '') : ok;
  const long = utf8Length(name) > 63 ? [`name part ${maxBytesText(63)}`] : ok;
  const empty = name === '' ? ['name part must be non-empty'] : ok;
  const shape = labelKeyRegex.test(name) ? ok : [`name part ${labelKeyText}`];
  return errors.length + long.length + empty.length + shape.length === 0
    ? ok
    : [...errors, ...empty, ...long, ...shape];
}

function prefixErrors(prefix: string): RuleMessages {
  if (prefix === '') return ['prefix part must be non-empty'];
  const long = utf8Length(prefix) > 253 ? [maxBytesText(253)] : ok;
  const shape = subdomainRegex.test(prefix) ? ok : [patternText(subdomainText, subdomain, 'example.com')];
  return [...long, ...shape].map((text) => `prefix part ${text}`);
}

/** The value of a label. */
export function isLabelValue(value: string): RuleMessages {
  const errors = utf8Length(value) > 63 ? [maxBytesText(63)] : ok;
  if (labelValueRegex.test(value)) return errors;
  const text =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    'and must start and end with an alphanumeric character';
  return [...errors, patternText(text, labelValue, 'MyValue', 'my_value', '12345')];
}

/** What may be one segment of a URL path. */
export function isPathSegmentName(value: string): RuleMessages {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : isPathSegmentPrefix(value);
}

/** What may begin a segment of a URL path. */
export function isPathSegmentPrefix(value: string): RuleMessages {
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** The name of a port (IANA service name). */
export function isPortName(value: string): RuleMessages {
  const errors = [...tooLong(value, 15)];
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

export function isPortNumber(port: number): RuleMessages {
  return isInRange(port, 1, 65_535);
}

export function isUserId(id: number): RuleMessages {
  return isInRange(id, 0, 2_147_483_647);
}

export function isGroupId(id: number): RuleMessages {
  return isInRange(id, 0, 2_147_483_647);
}

export function isInRange(value: number, min: number, max: number): RuleMessages {
  return value >= min && value <= max ? ok : [rangeText(min, max)];
}

export function isPercent(value: string): RuleMessages {
  const text = "a valid percent string must be a numeric string followed by an ending '%'";
  return /^[0-9]+%$/.test(value) ? ok : [patternText(text, '[0-9]+%', '1%', '93%')];
}

export function isHttpHeaderName(value: string): RuleMessages {
  const text = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return /^[-A-Za-z0-9]+$/.test(value) ? ok : [patternText(text, '[-A-Za-z0-9]+', 'X-Header-Name')];
}

export function isCIdentifier(value: string): RuleMessages {
  const text =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  const format = '[A-Za-z_][A-Za-z0-9_]*';
  return whole(format).test(value) ? ok : [patternText(text, format, 'my_name', 'MY_NAME', 'MyName')];
}

/** Environment variables as they were before 1.34. */
export function isEnvVarName(value: string): RuleMessages {
  const text =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
  const format = '[-._a-zA-Z][-._a-zA-Z0-9]*';
  const shape = whole(format).test(value)
    ? ok
    : [patternText(text, format, 'my.env-name', 'MY_ENV.NAME', 'MyEnvName1')];
  return [...shape, ...parentDirectory(value)];
}

/** Environment variables of 1.34 and later: printable ASCII without `=`. */
export function isRelaxedEnvVarName(value: string): RuleMessages {
  if (value === '') return ['environment variable name must be non-empty'];
  if (/^[ -<>-~]*$/.test(value)) return ok;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Keys of ConfigMaps and Secrets. */
export function isConfigMapKey(value: string): RuleMessages {
  const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  const format = '[-._a-zA-Z0-9]+';
  const shape = whole(format).test(value) ? ok : [patternText(text, format, 'key.name', 'KEY_NAME', 'key-name')];
  return [...tooLong(value, 253), ...shape, ...parentDirectory(value)];
}

/** A decimal integer as Go prints one. */
export function isDecimalInteger(value: string): RuleMessages {
  if (value === '') return ['must be non-empty'];
  return /^(0|-?[1-9][0-9]*)$/.test(value) ? ok : ['must be a valid decimal integer in canonical form'];
}

function tooLong(value: string, max: number): RuleMessages {
  return utf8Length(value) > max ? [maxCharactersText(max)] : ok;
}

function parentDirectory(value: string): RuleMessages {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : ok;
}

function whole(format: string, flags = ''): RegExp {
  // `$` without the m flag ends the text in JavaScript; a trailing newline does not slip through.
  return new RegExp(`^${format}$`, flags);
}
