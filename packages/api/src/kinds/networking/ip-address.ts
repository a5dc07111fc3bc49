// IPAddress (networking.k8s.io/v1): an allocated Service address, named after the address itself.

import type { IPAddress, ParentReference } from '@homeostat/api/types/networking-v1';
import { type FieldError, FieldPath, invalid, isDns1123Subdomain, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateCanonicalIp } from '../rules/addresses.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { nameIsPathSegment, type NameRule } from '../rules/names.ts';
import { immutableText, pushInvalid } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';

const parentPath = new FieldPath('spec.parentRef');
const parentForm: readonly GoField[] = [
  ['Group', 'group', ''],
  ['Resource', 'resource', ''],
  ['Namespace', 'namespace', ''],
  ['Name', 'name', ''],
];

/** The name is the address in canonical form. */
const nameIsIpAddress: NameRule = (name) => {
  const errors: FieldError[] = [];
  validateCanonicalIp(name, new FieldPath(), errors);
  return errors.map((error) => error.body.slice(`Invalid value: ${JSON.stringify(name)}: `.length));
};

export const ipAddressStrategy: KindStrategy<IPAddress> = standardStrategy<IPAddress>({
  kind: { group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress' },
  namespaced: false,
  name: nameIsIpAddress,
  validate(object, errors, old) {
    const parent = object.spec?.parentRef;
    validateParent(parent, parentPath, errors);
    if (old !== undefined && !semanticEqual(parent, old.spec?.parentRef)) {
      errors.push(invalid(parentPath, toGoForm(parent, parentForm), immutableText));
    }
  },
});

function validateParent(parent: ParentReference | undefined, path: FieldPath, errors: FieldError[]): void {
  if (parent === undefined) {
    errors.push(required(path));
    return;
  }
  const { group = '', resource = '', name = '', namespace = '' } = parent;
  if (group !== '') pushInvalid(isDns1123Subdomain(group), group, path.child('group'), errors);
  for (const [field, value] of Object.entries({ resource, name })) {
    if (value === '') errors.push(required(path.child(field)));
    else pushInvalid(nameIsPathSegment(value, false), value, path.child(field), errors);
  }
  if (namespace !== '') pushInvalid(nameIsPathSegment(namespace, false), namespace, path.child('namespace'), errors);
}
