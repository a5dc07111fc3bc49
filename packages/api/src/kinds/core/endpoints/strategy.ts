// Endpoints: the older, unsliced list of a Service's addresses.

import {
  type FieldError,
  FieldPath,
  isDns1123Label,
  isPortNumber,
  isQualifiedName,
  required,
} from '@homeostat/machinery';
import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { validateProtocol } from '../../pod-spec/ports.ts';
import { validateEndpointIp, validateIp, warningsForIp } from '../../rules/addresses.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { pushInvalid } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';

const metadataPath = new FieldPath('metadata');
const subsetsPath = new FieldPath('subsets');

export const endpointsStrategy: KindStrategy<Endpoints> = {
  allowCreateOnUpdate: true,
  applyDefaults(draft) {
    for (const { ports } of draft.subsets ?? []) for (const port of ports ?? []) port.protocol ||= 'TCP';
  },
  validateCreate: (endpoints) => validateEndpoints(endpoints, undefined),
  warningsOnCreate: warningsFor,
  validateUpdate: (endpoints, old) => [
    ...validateKubeObjectMetaUpdate(endpoints.metadata ?? {}, old.metadata ?? {}, metadataPath),
    ...validateEndpoints(endpoints, old),
  ],
  warningsOnUpdate: warningsFor,
};

function validateEndpoints(endpoints: Endpoints, old: Endpoints | undefined): FieldError[] {
  const errors = validateKubeObjectMeta(
    endpoints.metadata ?? {},
    { namespaced: true, name: nameIsDnsSubdomain },
    metadataPath,
  );
  const subsetErrors: FieldError[] = [];
  for (const [index, subset] of (endpoints.subsets ?? []).entries()) {
    validateSubset(subset, subsetsPath.index(index), subsetErrors);
  }
  // Addresses that were accepted once stay acceptable while nobody touches them.
  const untouched = subsetErrors.length > 0 && old !== undefined && semanticEqual(endpoints.subsets, old.subsets);
  return untouched ? errors : [...errors, ...subsetErrors];
}

function validateSubset(subset: EndpointSubset, path: FieldPath, errors: FieldError[]): void {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  }
  for (const [index, address] of addresses.entries())
    validateAddress(address, path.child('addresses').index(index), errors);
  for (const [index, address] of notReadyAddresses.entries()) {
    validateAddress(address, path.child('notReadyAddresses').index(index), errors);
  }
  for (const [index, port] of ports.entries()) {
    validatePort(port, ports.length > 1, path.child('ports').index(index), errors);
  }
}

function validateAddress(address: Partial<EndpointAddress>, path: FieldPath, errors: FieldError[]): void {
  const { ip = '', hostname = '', nodeName } = address;
  validateIp(ip, path.child('ip'), errors);
  if (hostname !== '') pushInvalid(isDns1123Label(hostname), hostname, path.child('hostname'), errors);
  if (nodeName !== undefined)
    pushInvalid(nameIsDnsSubdomain(nodeName, false), nodeName, path.child('nodeName'), errors);
  validateEndpointIp(ip, path.child('ip'), errors);
}

function validatePort(port: Partial<EndpointPort>, needsName: boolean, path: FieldPath, errors: FieldError[]): void {
  const { name = '', port: number = 0, appProtocol } = port;
  if (name !== '') pushInvalid(isDns1123Label(name), name, path.child('name'), errors);
  else if (needsName) errors.push(required(path.child('name')));
  pushInvalid(isPortNumber(number), number, path.child('port'), errors);
  validateProtocol(port.protocol ?? '', path.child('protocol'), errors);
  if (appProtocol !== undefined)
    pushInvalid(isQualifiedName(appProtocol), appProtocol, path.child('appProtocol'), errors);
}

function warningsFor(endpoints: Endpoints): readonly string[] {
  // The controller copies addresses of Pods; it can't choose how they are written.
  if (endpoints.metadata?.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return (endpoints.subsets ?? []).flatMap((subset, index) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap(({ ip }, addressIndex) =>
        warningsForIp(subsetsPath.index(index).child(field).index(addressIndex).child('ip'), ip ?? ''),
      ),
    ),
  );
}
