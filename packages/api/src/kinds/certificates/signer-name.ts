// Names of signers: a domain, and a path of dotted labels below it.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  quote,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';

const domainBytesMax = 253;
const pathBytesMax = 253 + 63 + 1;

export function validateSignerName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (name === '') {
    errors.push(required(path));
    return;
  }
  const segments = name.split('/');
  const [domain = '', rest = ''] = segments;
  if (segments.length !== 2) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalid(path, name, text));
    return;
  }
  if (utf8Length(domain) > domainBytesMax) errors.push(tooLong(path, domainBytesMax));
  const labels = domain.split('.');
  for (const label of labels) {
    for (const text of isDns1123Label(label))
      errors.push(invalid(path, domain, `validating label ${quote(label)}: ${text}`));
  }
  if (labels.length < 2) {
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  }
  for (const label of rest.split('.')) {
    for (const text of isDns1123Subdomain(label))
      errors.push(invalid(path, rest, `validating label ${quote(label)}: ${text}`));
  }
  if (utf8Length(rest) > pathBytesMax) errors.push(tooLong(path, pathBytesMax));
}
