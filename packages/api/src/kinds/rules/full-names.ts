// Fully qualified names: domains of a least depth, which tell whose a name is.

import { type FieldError, type FieldPath, invalid, isDns1123Subdomain, required } from '@homeostat/machinery';

/** At least three labels, e.g. `policy.example.com`. */
export function validateFullName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (name === '') {
    errors.push(required(path));
    return;
  }
  const texts = isDns1123Subdomain(name);
  if (texts.length > 0) errors.push(invalid(path, name, texts.join(',')));
  else if (name.split('.').length < 3) {
    errors.push(invalid(path, name, 'should be a domain with at least three segments separated by dots'));
  }
}
