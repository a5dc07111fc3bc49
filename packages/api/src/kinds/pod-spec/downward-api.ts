// References to a Pod's own fields and to a container's resources (the downward API), in variables and volumes.

import {
  canonicalQuantity,
  type FieldError,
  type FieldPath,
  invalid,
  isQualifiedName,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { DownwardAPIVolumeFile, ObjectFieldSelector, ResourceFieldSelector } from '@homeostat/api/types/core-v1';
import { isZero } from '../rules/quantities.ts';
import { pushInvalid } from '../rules/values.ts';
import { fileModeText, isFileMode } from './file-mode.ts';
import { validateLocalNonReservedPath } from './paths.ts';

/** Sorted, as messages list them. */
export const envFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
] as const;

const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
] as const;

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
] as const;

const hugePagePrefixes = ['limits.hugepages-', 'requests.hugepages-'];

/** Fields of a Pod that exist for the downward API at all; which of them apply depends on the place. */
const knownFields: ReadonlySet<string> = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

export function validateFieldRef(
  reference: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const version = reference.apiVersion ?? '';
  const fieldPath = reference.fieldPath ?? '';
  if (version === '') {
    errors.push(required(path.child('apiVersion')));
    return;
  }
  if (fieldPath === '') {
    errors.push(required(path.child('fieldPath')));
    return;
  }
  const { name, subscript } = splitSubscript(fieldPath);
  const problem = conversionProblem(version, fieldPath, name, subscript);
  if (problem !== undefined) {
    errors.push(invalid(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`));
    return;
  }
  if (subscript === undefined) {
    const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
    if (!allowed.includes(field)) errors.push(notSupported(path.child('fieldPath'), field, allowed));
    return;
  }
  const key = name === 'metadata.annotations' ? subscript.toLowerCase() : subscript;
  pushInvalid(isQualifiedName(key), key, path, errors);
}

export function validateResourceFieldRef(
  reference: ResourceFieldSelector,
  inVolume: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const resource = reference.resource ?? '';
  if (inVolume && (reference.containerName ?? '') === '') errors.push(required(path.child('containerName')));
  else if (resource === '') errors.push(required(path.child('resource')));
  else if (!isResourceField(resource)) errors.push(notSupported(path.child('resource'), resource, resourceFields));
  validateDivisor(resource, reference.divisor ?? '0', path.child('divisor'), errors);
}

export function validateDownwardApiFile(file: DownwardAPIVolumeFile, path: FieldPath, errors: FieldError[]): void {
  if ((file.path ?? '') === '') errors.push(required(path.child('path')));
  validateLocalNonReservedPath(file.path ?? '', path.child('path'), errors);
  if (file.fieldRef !== undefined) {
    validateFieldRef(file.fieldRef, volumeFieldPaths, path.child('fieldRef'), errors);
    if (file.resourceFieldRef !== undefined) {
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (file.resourceFieldRef !== undefined) {
    validateResourceFieldRef(file.resourceFieldRef, true, path.child('resourceFieldRef'), errors);
  } else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  if (!isFileMode(file.mode)) errors.push(invalid(path.child('mode'), file.mode, fileModeText));
}

function conversionProblem(
  version: string,
  label: string,
  name: string,
  subscript: string | undefined,
): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (subscript !== undefined) {
    if (name === 'metadata.annotations' || name === 'metadata.labels') return undefined;
    return `field label does not support subscript: ${label}`;
  }
  return knownFields.has(label) || label === 'spec.host' ? undefined : `field label not supported: ${label}`;
}

/** `metadata.labels['app']` → name and subscript. */
function splitSubscript(label: string): { readonly name: string; readonly subscript?: string } {
  const open = label.indexOf("['");
  if (!label.endsWith("']") || open <= 0 || open > label.length - 4) return { name: label };
  return { name: label.slice(0, open), subscript: label.slice(open + 2, -2) };
}

function isResourceField(resource: string): boolean {
  return (
    (resourceFields as readonly string[]).includes(resource) ||
    hugePagePrefixes.some((prefix) => resource.startsWith(prefix))
  );
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function validateDivisor(resource: string, divisor: string, path: FieldPath, errors: FieldError[]): void {
  if (isZero(divisor)) return;
  const value = canonicalQuantity(divisor);
  const field = resource.slice(resource.indexOf('.') + 1);
  if (field === 'cpu') {
    if (value === '1m' || value === '1') return;
    errors.push(invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  const what = resourceWords(resource);
  if (what === undefined || byteDivisors.includes(value)) return;
  errors.push(
    invalid(path, resource, `only divisor's values ${byteDivisors.join(', ')} are supported with the ${what} resource`),
  );
}

function resourceWords(resource: string): string | undefined {
  if (/^(limits|requests)\.memory$/.test(resource)) return 'memory';
  if (/^(limits|requests)\.ephemeral-storage$/.test(resource)) return 'local ephemeral storage';
  return hugePagePrefixes.some((prefix) => resource.startsWith(prefix)) ? 'hugepages' : undefined;
}
