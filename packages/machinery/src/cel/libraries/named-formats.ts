// Kubernetes' format library: `format.dns1123Label().validate(self).hasValue()` and `format.named('uuid')`.

import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '../../values/names.ts';
import { parseTimeNanos } from '../../values/time.ts';
import { type Implementation, type Overload, overloads, overloadsOf } from '../functions.ts';
import { CelList, type CelOpaque, CelOptional, type CelValue } from '../values.ts';

type Validate = (text: string) => readonly string[];

class FormatValue implements CelOpaque {
  readonly opaqueName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly validate: Validate;

  constructor(name: string, validate: Validate) {
    this.name = name;
    this.validate = validate;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

/** A prefix of generated names may end with a dash. */
const prefixOf =
  (validate: Validate): Validate =>
  (text) =>
    validate(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
const byPattern =
  (pattern: RegExp, wrong: string): Validate =>
  (text) =>
    pattern.test(text) ? [] : [wrong];
const byParsing =
  (parses: (text: string) => boolean, wrong: string): Validate =>
  (text) =>
    parses(text) ? [] : [wrong];

const formats: Readonly<Record<string, Validate>> = {
  dns1123Label: isDns1123Label,
  dns1123Subdomain: isDns1123Subdomain,
  dns1035Label: isDns1035Label,
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: prefixOf(isDns1123Label),
  dns1123SubdomainPrefix: prefixOf(isDns1123Subdomain),
  dns1035LabelPrefix: prefixOf(isDns1035Label),
  labelValue: isLabelValue,
  uri: byPattern(/^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/)[^\s]*$/, 'invalid URI for request'),
  uuid: byPattern(
    /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/,
    'does not match the UUID format',
  ),
  byte: byPattern(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'invalid base64'),
  date: byParsing((text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`), 'invalid date'),
  datetime: byParsing(isTime, 'invalid datetime'),
};

const values = new Map(Object.entries(formats).map(([name, validate]) => [name, new FormatValue(name, validate)]));

export const namedFormats: readonly Overload[] = [
  ...[...values].flatMap(([name, value]) =>
    overloadsOf(`format.${name}`, { '(): Format': (() => value) as Implementation }),
  ),
  ...overloadsOf('format.named', {
    '(string): optional(Format)': ([name]) => new CelOptional(values.get(name as string)),
  }),
  ...overloads({
    'Format.validate(string): optional(list(string))': ([format, text]) => validate(format as CelValue, text as string),
  }),
];

function validate(format: CelValue, text: string): CelOptional {
  const problems = (format as FormatValue).validate(text);
  return problems.length === 0 ? CelOptional.none : new CelOptional(CelList.of(problems));
}

function isTime(text: string): boolean {
  try {
    parseTimeNanos(text);
    return true;
  } catch {
    return false;
  }
}
