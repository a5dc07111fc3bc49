// CSINode (storage.k8s.io/v1): the drivers on a node. How many volumes a driver can take may change; the rest of an
// entry may not.

import type { CSINode, CSINodeDriver } from '@homeostat/api/types/storage-v1';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  isQualifiedName,
  required,
  utf8Length,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { immutableText, pushInvalid, validateNonnegative } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateCsiDriverName } from '../rules/csi-driver-name.ts';

const driversPath = new FieldPath('spec.drivers');
const nodeIdBytesMax = 256;
const driverForm: readonly GoField[] = [
  ['Name', 'name', ''],
  ['NodeID', 'nodeID', ''],
  ['TopologyKeys', 'topologyKeys', null],
  ['Allocatable', 'allocatable', null],
];

export const csiNodeStrategy: KindStrategy<CSINode> = standardStrategy<CSINode>({
  kind: { group: 'storage.k8s.io', version: 'v1', kind: 'CSINode' },
  namespaced: false,
  validate(object, errors, old) {
    const names = new Set<string>();
    for (const [index, driver] of (object.spec?.drivers ?? []).entries()) {
      validateDriver(driver, names, driversPath.index(index), errors);
    }
    if (old !== undefined) validateUnchanged(object, old, errors);
  },
  more: { allowUnconditionalUpdate: false },
});

function validateDriver(driver: CSINodeDriver, names: Set<string>, path: FieldPath, errors: FieldError[]): void {
  const { name = '', nodeID = '' } = driver;
  const topologyKeys = driver.topologyKeys ?? [];
  validateCsiDriverName(name, path.child('name'), errors);
  if (nodeID === '') errors.push(required(path.child('nodeID')));
  else if (utf8Length(nodeID) > nodeIdBytesMax) {
    errors.push(invalid(path.child('nodeID'), nodeID, `must be ${nodeIdBytesMax} characters or less`));
  }
  validateNonnegative(driver.allocatable?.count, path.child('allocatable', 'count'), errors);
  if (names.has(name)) errors.push(duplicate(path.child('name'), name));
  names.add(name);
  for (const [index, key] of topologyKeys.entries()) {
    if (key === '') errors.push(required(path));
    if (topologyKeys.indexOf(key) < index) errors.push(duplicate(path, key));
    pushInvalid(isQualifiedName(key), topologyKeys, path, errors);
  }
}

function validateUnchanged(object: CSINode, old: CSINode, errors: FieldError[]): void {
  for (const former of old.spec?.drivers ?? []) {
    for (const driver of object.spec?.drivers ?? []) {
      if (driver.name !== former.name) continue;
      const { allocatable: _now, ...rest } = driver;
      const { allocatable: _then, ...formerRest } = former;
      if (!semanticEqual(rest, formerRest))
        errors.push(invalid(driversPath, toGoForm(rest, driverForm), immutableText));
    }
  }
}
