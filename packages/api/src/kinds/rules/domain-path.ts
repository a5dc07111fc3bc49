// Names such as `example.com/ingress-controller`: a domain and a path below it, which keep the names of different
// controllers apart.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isDns1123Subdomain,
  patternText,
  required,
} from '@homeostat/machinery';
import { pushInvalid } from './values.ts';

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathExpression = new RegExp(`^${pathPattern}$`);

export function validateDomainPath(value: string, path: FieldPath, errors: FieldError[]): void {
  if (value === '') {
    errors.push(required(path));
    return;
  }
  const slash = value.indexOf('/');
  const host = value.slice(0, Math.max(slash, 0));
  const rest = value.slice(slash + 1);
  if (host === '' || rest === '') {
    errors.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
    return;
  }
  pushInvalid(isDns1123Subdomain(host), host, path, errors);
  if (!pathExpression.test(rest)) errors.push(invalid(path, rest, patternText('Invalid path', pathPattern)));
}
