// Backends of Ingresses, and the typed references to objects that Ingresses and IngressClasses hold.

import type { IngressBackend } from '@homeostat/api/types/networking-v1';
import {
  type FieldError,
  type FieldPath,
  invalid,
  isDns1123Subdomain,
  isPortName,
  isPortNumber,
  required,
} from '@homeostat/machinery';
import { nameIsDnsLabel, nameIsPathSegment } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';

export function validateBackend(backend: IngressBackend, path: FieldPath, errors: FieldError[]): void {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined) {
    errors.push(invalid(path, '', 'cannot set both resource and service backends'));
  } else if (resource !== undefined) validateTypedReference(resource, path.child('resource'), errors);
  else if (service !== undefined) validateServiceBackend(service, path, errors);
  else errors.push(invalid(path, '', 'resource or service backend is required'));
}

function validateServiceBackend(
  service: NonNullable<IngressBackend['service']>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const at = path.child('service');
  const name = service.name ?? '';
  if (name === '') errors.push(required(at.child('name')));
  else pushInvalid(nameIsDnsLabel(name, false), name, at.child('name'), errors);
  const { name: portName = '', number = 0 } = service.port ?? {};
  if (portName !== '' && number !== 0) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (portName !== '') pushInvalid(isPortName(portName), portName, at.child('port', 'name'), errors);
  else if (number !== 0) pushInvalid(isPortNumber(number), number, at.child('port', 'number'), errors);
  else errors.push(required(path, 'port name or number is required'));
}

/** A reference by group, kind and name. */
export function validateTypedReference(
  reference: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string },
  path: FieldPath,
  errors: FieldError[],
): void {
  const group = reference.apiGroup;
  if (group !== undefined && group !== '')
    pushInvalid(isDns1123Subdomain(group), group, path.child('apiGroup'), errors);
  for (const field of ['kind', 'name'] as const) {
    const value = reference[field] ?? '';
    if (value === '') errors.push(required(path.child(field)));
    else pushInvalid(nameIsPathSegment(value, false), value, path.child(field), errors);
  }
}
