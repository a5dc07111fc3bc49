// ResourceSlice (resource.k8s.io/v1): devices a driver offers, on one node or on several.

import type { Device, DeviceAttribute, ResourceSlice, ResourceSliceSpec } from '@homeostat/api/types/resource-v1';
import {
  type FieldError,
  FieldPath,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  required,
  tooLong,
  tooMany,
  utf8Length,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateNodeSelector } from '../pod-spec/node-affinity.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid, sortedKeys } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateCsiDriverName } from '../rules/csi-driver-name.ts';
import { validateImmutable } from '../update-parts.ts';
import { validateQualifiedAttribute, validateUnique } from './device-claim.ts';

const specPath = new FieldPath('spec');
const devicesMax = 128;
const poolNameBytesMax = 253;
const textBytesMax = 64;
const oneScope = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;
const attributeForm: readonly GoField[] = [
  ['IntValue', 'int', null],
  ['BoolValue', 'bool', null],
  ['StringValue', 'string', null],
  ['VersionValue', 'version', null],
  ['IntValues', 'ints', null],
  ['BoolValues', 'bools', null],
  ['StringValues', 'strings', null],
  ['VersionValues', 'versions', null],
];

export const resourceSliceStrategy: KindStrategy<ResourceSlice> = standardStrategy<ResourceSlice>({
  kind: { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice' },
  namespaced: false,
  generationFields: ['spec'],
  validate(object, errors, old) {
    validateSpec(object.spec ?? ({} as ResourceSliceSpec), specPath, errors);
    if (old === undefined) return;
    validateImmutable(object.spec?.driver, old.spec?.driver, specPath.child('driver'), errors);
    validateImmutable(object.spec?.pool?.name, old.spec?.pool?.name, specPath.child('pool', 'name'), errors);
    validateImmutable(object.spec?.nodeName, old.spec?.nodeName, specPath.child('nodeName'), errors);
  },
  more: {
    fieldLabels: ['spec.nodeName', 'spec.driver'],
    selectableFields: (object) => ({
      'spec.nodeName': object.spec?.nodeName ?? '',
      'spec.driver': object.spec?.driver ?? '',
    }),
  },
});

function validateSpec(spec: ResourceSliceSpec, path: FieldPath, errors: FieldError[]): void {
  validateCsiDriverName(spec.driver, path.child('driver'), errors);
  validatePool(spec.pool, path.child('pool'), errors);
  validateScope(spec, path, errors);
  const devices = spec.devices ?? [];
  const at = path.child('devices');
  if (devices.length > devicesMax) errors.push(tooMany(at, devices.length, devicesMax));
  for (const [index, device] of devices.entries()) validateDevice(device, at.index(index), errors);
  validateUnique(devices, at, errors);
}

function validatePool(pool: ResourceSliceSpec['pool'] | undefined, path: FieldPath, errors: FieldError[]): void {
  const { name = '', resourceSliceCount: count = 0, generation = 0 } = pool ?? {};
  const at = path.child('name');
  if (name === '') errors.push(required(at));
  else {
    if (utf8Length(name) > poolNameBytesMax) errors.push(tooLong(at, poolNameBytesMax));
    for (const part of name.split('/')) pushInvalid(isDns1123Subdomain(part), part, at, errors);
  }
  if (count <= 0) errors.push(invalid(path.child('resourceSliceCount'), count, 'must be greater than zero'));
  if (generation < 0) {
    errors.push(invalid(path.child('generation'), generation, 'must be greater than or equal to zero'));
  }
}

function validateScope(spec: ResourceSliceSpec, path: FieldPath, errors: FieldError[]): void {
  const set: string[] = [];
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  if (nodeName === '') {
    errors.push(invalid(path.child('nodeName'), nodeName, 'must be either unset or set to a non-empty string'));
  } else if (nodeName !== undefined) {
    set.push('nodeName');
    pushInvalid(nameIsDnsSubdomain(nodeName, false), nodeName, path.child('nodeName'), errors);
  }
  if (nodeSelector !== undefined) {
    set.push('nodeSelector');
    validateNodeSelector(nodeSelector, false, path.child('nodeSelector'), errors);
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    if (terms.length !== 1) {
      const at = path.child('nodeSelector', 'nodeSelectorTerms');
      errors.push(invalid(at, terms, 'must have exactly one node selector term'));
    }
  }
  for (const [field, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === true) set.push(field);
    else if (value === false) errors.push(invalid(path.child(field), value, 'must be either unset or set to true'));
  }
  if (set.length === 0) errors.push(required(path, oneScope));
  else if (set.length > 1) {
    const list = `{${set.map((field) => `\`${field}\``).join(', ')}}`;
    errors.push(invalid(path, list, `${oneScope}, but multiple fields are set`));
  }
}

function validateDevice(device: Device, path: FieldPath, errors: FieldError[]): void {
  const name = device.name ?? '';
  pushInvalid(isDns1123Label(name), name, path.child('name'), errors);
  const attributes = path.child('attributes');
  for (const key of sortedKeys(device.attributes)) {
    validateQualifiedAttribute(key, attributes, errors);
    validateAttribute(device.attributes?.[key] ?? {}, attributes.key(key), errors);
  }
  for (const key of sortedKeys(device.capacity)) validateQualifiedAttribute(key, path.child('capacity'), errors);
}

function validateAttribute(attribute: DeviceAttribute, path: FieldPath, errors: FieldError[]): void {
  const count = Object.values(attribute).filter((value) => value !== undefined).length;
  if (count === 0) errors.push(invalid(path, '', 'exactly one value must be specified'));
  else if (count > 1)
    errors.push(invalid(path, toGoForm(attribute, attributeForm), 'exactly one value must be specified'));
  const { string: text, version } = attribute;
  if (text !== undefined && utf8Length(text) > textBytesMax) errors.push(tooLong(path.child('string'), textBytesMax));
  if (version === undefined) return;
  if (utf8Length(version) > textBytesMax) errors.push(tooLong(path.child('version'), textBytesMax));
  if (!semver.test(version)) {
    errors.push(invalid(path.child('version'), version, 'must be a string compatible with semver.org spec 2.0.0'));
  }
}
