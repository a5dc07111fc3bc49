// What a claim asks for: requests, constraints between them, and configuration for drivers.

import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from '@homeostat/api/types/resource-v1';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  isCIdentifier,
  isDns1123Label,
  isDns1123Subdomain,
  type Mutable,
  notSupported,
  required,
  tooLong,
  tooMany,
  utf8Length,
} from '@homeostat/machinery';
import type { Cel } from '../../strategy.ts';
import { validateLabelName } from '../rules/labels.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { validateCsiDriverName } from '../rules/csi-driver-name.ts';
import { checkDeviceExpression } from './device-expressions.ts';

const listMax = 32;
const subRequestsMax = 8;
const expressionBytesMax = 10 * 1024;
const parametersBytesMax = 10 * 1024;
const oneKind = 'exactly one of `exactly` or `firstAvailable` is required';
const refText = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function defaultDeviceClaim(claim: Mutable<DeviceClaim> | undefined): void {
  for (const request of claim?.requests ?? []) {
    if (request.exactly !== undefined) defaultAllocation(request.exactly);
    for (const sub of request.firstAvailable ?? []) defaultAllocation(sub);
  }
}

function defaultAllocation(request: Mutable<ExactDeviceRequest> | Mutable<DeviceSubRequest>): void {
  request.allocationMode ??= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ??= 1;
  for (const toleration of request.tolerations ?? []) toleration.operator ??= 'Equal';
}

/** Whether something of the claim selects devices by expression. */
export function hasSelectors(claim: DeviceClaim | undefined): boolean {
  const selects = ({ selectors = [] }: ExactDeviceRequest | DeviceSubRequest): boolean => selectors.length > 0;
  return (claim?.requests ?? []).some(({ exactly, firstAvailable = [] }) =>
    [...(exactly === undefined ? [] : [exactly]), ...firstAvailable].some(selects),
  );
}

export function validateDeviceClaim(
  claim: DeviceClaim | undefined,
  path: FieldPath,
  errors: FieldError[],
  cel: Cel | undefined,
): void {
  const requests = claim?.requests ?? [];
  const names = requestNames(requests);
  const at = path.child('requests');
  if (requests.length > listMax) errors.push(tooMany(at, requests.length, listMax));
  for (const [index, request] of requests.entries()) validateRequest(request, at.index(index), errors, cel);
  validateUnique(requests, at, errors);
  for (const [index, constraint] of (claim?.constraints ?? []).entries()) {
    validateConstraint(constraint, names, path.child('constraints').index(index), errors);
  }
  for (const [index, config] of (claim?.config ?? []).entries()) {
    const configPath = path.child('config').index(index);
    validateRequestRefs(config.requests ?? [], names, configPath.child('requests'), errors);
    validateConfiguration(config, configPath, errors);
  }
}

function requestNames(requests: readonly DeviceRequest[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable }) => [
      name,
      ...(firstAvailable ?? []).map((sub) => `${name}/${sub.name}`),
    ]),
  );
}

/** No two of a list have the same name. */
export function validateUnique(
  list: readonly { readonly name?: string }[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [index, { name = '' }] of list.entries()) {
    if (seen.has(name)) errors.push(duplicate(path.index(index), name));
    seen.add(name);
  }
}

function validateRequest(request: DeviceRequest, path: FieldPath, errors: FieldError[], cel: Cel | undefined): void {
  const name = request.name ?? '';
  pushInvalid(isDns1123Label(name), name, path.child('name'), errors);
  const subs = request.firstAvailable ?? [];
  if (subs.length > 0) {
    const at = path.child('firstAvailable');
    if (subs.length > subRequestsMax) errors.push(tooMany(at, subs.length, subRequestsMax));
    for (const [index, sub] of subs.entries()) {
      pushInvalid(isDns1123Label(sub.name ?? ''), sub.name ?? '', at.index(index).child('name'), errors);
      validateAllocation(sub, at.index(index), errors, cel);
    }
    validateUnique(subs, at, errors);
  }
  if (request.exactly !== undefined) validateAllocation(request.exactly, path.child('exactly'), errors, cel);
  if (subs.length === 0 && request.exactly === undefined) errors.push(required(path, oneKind));
  else if (subs.length > 0 && request.exactly !== undefined) {
    errors.push(invalid(path, null, `${oneKind}, but multiple fields are set`));
  }
}

function validateAllocation(
  request: ExactDeviceRequest | DeviceSubRequest,
  path: FieldPath,
  errors: FieldError[],
  cel: Cel | undefined,
): void {
  const className = request.deviceClassName ?? '';
  if (className === '') errors.push(required(path.child('deviceClassName')));
  else pushInvalid(nameIsDnsSubdomain(className, false), className, path.child('deviceClassName'), errors);
  validateSelectors(request.selectors ?? [], path.child('selectors'), errors, cel);
  const count = request.count ?? 0;
  switch (request.allocationMode as string | undefined) {
    case 'All':
      if (count !== 0)
        errors.push(invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'"));
      break;
    case 'ExactCount':
      if (count <= 0) errors.push(invalid(path.child('count'), count, 'must be greater than zero'));
      break;
    default:
      errors.push(notSupported(path.child('allocationMode'), request.allocationMode ?? '', ['All', 'ExactCount']));
  }
  for (const [index, toleration] of (request.tolerations ?? []).entries()) {
    validateToleration(toleration, path.child('tolerations').index(index), errors);
  }
}

function validateToleration(toleration: DeviceToleration, path: FieldPath, errors: FieldError[]): void {
  const { key = '', value = '' } = toleration;
  const operator: string = toleration.operator ?? '';
  const effect: string = toleration.effect ?? '';
  if (key !== '') validateLabelName(key, path.child('key'), errors);
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(path.child('value'), value, "must be empty for operator 'Exists'"));
  } else if (operator === '') errors.push(required(path.child('operator')));
  else if (operator !== 'Equal') errors.push(notSupported(path.child('operator'), operator, ['Equal', 'Exists']));
  if (effect !== '' && !['NoExecute', 'NoSchedule', 'None'].includes(effect)) {
    errors.push(notSupported(path.child('effect'), effect, ['NoExecute', 'NoSchedule', 'None']));
  }
}

export function validateSelectors(
  selectors: readonly DeviceSelector[],
  path: FieldPath,
  errors: FieldError[],
  cel: Cel | undefined,
): void {
  if (selectors.length > listMax) errors.push(tooMany(path, selectors.length, listMax));
  for (const [index, selector] of selectors.entries()) {
    const at = path.index(index).child('cel');
    const expression = selector.cel?.expression;
    if (selector.cel === undefined) errors.push(required(at));
    else if (utf8Length(expression ?? '') > expressionBytesMax) {
      errors.push(tooLong(at.child('expression'), expressionBytesMax));
    } else if (cel !== undefined) checkDeviceExpression(expression ?? '', at.child('expression'), errors, cel);
  }
}

function validateConstraint(
  constraint: DeviceConstraint,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateRequestRefs(constraint.requests ?? [], names, path.child('requests'), errors);
  const { matchAttribute, distinctAttribute } = constraint;
  if ((matchAttribute === undefined) === (distinctAttribute === undefined)) {
    const text = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    errors.push(required(path, text));
    return;
  }
  if (matchAttribute !== undefined) validateFullAttribute(matchAttribute, path.child('matchAttribute'), errors);
  if (distinctAttribute !== undefined)
    validateFullAttribute(distinctAttribute, path.child('distinctAttribute'), errors);
}

function validateFullAttribute(name: string, path: FieldPath, errors: FieldError[]): void {
  const slash = name.indexOf('/');
  if (name === '') errors.push(required(path));
  else if (slash < 0) {
    errors.push(invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
  } else validateQualifiedAttribute(name, path, errors);
}

/** A C identifier, with or without a domain before it. */
export function validateQualifiedAttribute(name: string, path: FieldPath, errors: FieldError[]): void {
  const slash = name.indexOf('/');
  const domain = slash < 0 ? undefined : name.slice(0, slash);
  const identifier = name.slice(slash + 1);
  if (domain === '') errors.push(required(path, 'the domain must not be empty'));
  else if (domain !== undefined) pushInvalid(isDns1123Subdomain(domain), domain, path, errors);
  if (identifier === '') errors.push(required(path, 'the name must not be empty'));
  else if (!identifier.includes('/')) pushInvalid(isCIdentifier(identifier), identifier, path, errors);
}

function validateRequestRefs(
  refs: readonly string[],
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (refs.length > listMax) errors.push(tooMany(path, refs.length, listMax));
  for (const [index, ref] of refs.entries()) {
    if (!names.has(ref)) errors.push(invalid(path.index(index), ref, refText));
    if (refs.indexOf(ref) < index) errors.push(duplicate(path.index(index), ref));
  }
}

export function validateConfiguration(
  config: { readonly opaque?: OpaqueDeviceConfiguration },
  path: FieldPath,
  errors: FieldError[],
): void {
  const at = path.child('opaque');
  if (config.opaque === undefined) {
    errors.push(required(at));
    return;
  }
  validateCsiDriverName(config.opaque.driver, at.child('driver'), errors);
  const parameters = config.opaque.parameters as unknown;
  if (parameters === undefined || parameters === null) errors.push(required(at.child('parameters')));
  else if (utf8Length(JSON.stringify(parameters)) > parametersBytesMax) {
    errors.push(tooLong(at.child('parameters'), parametersBytesMax));
  }
}
