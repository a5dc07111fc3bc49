// EndpointSlice (discovery.k8s.io/v1). Its generation counts labels too, because consumers find slices by them.

import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '@homeostat/api/types/discovery-v1';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  type Mutable,
  notSupported,
  required,
  tooMany,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { isIpv4, parseIpSloppy, validateEndpointIp, validateIp, warningsForIp } from '../rules/addresses.ts';
import { validateLabels } from '../rules/labels.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { bumpGeneration, fieldDiffers, validateImmutable } from '../update-parts.ts';

const kind = { group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice' };
const endpointsPath = new FieldPath('endpoints');
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const endpointsMax = 1000;
const addressesMax = 100;
const portsMax = 20_000;
const topologyMax = 16;
const hintsMax = 8;
const contentFields = ['addressType', 'endpoints', 'ports'] as const;

export const endpointSliceStrategy: KindStrategy<EndpointSlice> = standardStrategy<EndpointSlice>({
  kind,
  namespaced: true,
  generationFields: [],
  prepareForCreate: (draft) => dropTopology(draft, undefined),
  prepareForUpdate(draft, old) {
    dropTopology(draft, old);
    const labelsDiffer = !semanticEqual(draft.metadata?.labels, old.metadata?.labels);
    if (labelsDiffer || contentFields.some((field) => fieldDiffers(draft as EndpointSlice, old, field, kind))) {
      bumpGeneration(draft, old);
    }
  },
  validate(object, errors, old) {
    validateSlice(object, old, errors);
  },
  validateUpdate(object, old, errors) {
    validateImmutable(object.addressType, old.addressType, new FieldPath('addressType'), errors);
  },
  more: {
    applyDefaults(draft) {
      for (const port of draft.ports ?? []) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
    warningsOnCreate: (object) => warningsFor(object),
    warningsOnUpdate: (object) => warningsFor(object),
  },
});

/** v1 has fields for what was once topology; only untouched endpoints keep the old map. */
function dropTopology(draft: Mutable<EndpointSlice>, old: EndpointSlice | undefined): void {
  if (old !== undefined && semanticEqual(draft.endpoints, old.endpoints)) return;
  const hostname = 'kubernetes.io/hostname';
  const names = new Set((old?.endpoints ?? []).map((endpoint) => endpoint.deprecatedTopology?.[hostname]));
  for (const endpoint of draft.endpoints ?? []) {
    const name = endpoint.deprecatedTopology?.[hostname];
    if (
      endpoint.nodeName === undefined &&
      name !== undefined &&
      names.has(name) &&
      nameIsDnsSubdomain(name, false).length === 0
    ) {
      endpoint.nodeName = name;
    }
    delete endpoint.deprecatedTopology;
  }
}

function validateSlice(object: EndpointSlice, old: EndpointSlice | undefined, errors: FieldError[]): void {
  const type: string = object.addressType ?? '';
  const typePath = new FieldPath('addressType');
  if (type === '') errors.push(required(typePath));
  else if (!addressTypes.includes(type)) errors.push(notSupported(typePath, type, addressTypes));
  const endpoints = object.endpoints ?? [];
  const oldAddresses = new Set((old?.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []));
  if (endpoints.length > endpointsMax) errors.push(tooMany(endpointsPath, endpoints.length, endpointsMax));
  else {
    for (const [index, endpoint] of endpoints.entries()) {
      validateEndpoint(endpoint, type, oldAddresses, endpointsPath.index(index), errors);
    }
  }
  validatePorts(object.ports ?? [], new FieldPath('ports'), errors);
}

function validateEndpoint(
  endpoint: Endpoint,
  type: string,
  oldAddresses: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const addresses = endpoint.addresses ?? [];
  const at = path.child('addresses');
  if (addresses.length === 0) errors.push(required(at, 'must contain at least 1 address'));
  else if (addresses.length > addressesMax) errors.push(tooMany(at, addresses.length, addressesMax));
  for (const [index, address] of addresses.entries()) {
    if (type === 'FQDN') validateDomainName(address, at.index(index), errors);
    else if (type === 'IPv4' || type === 'IPv6') validateAddress(address, { type, index, oldAddresses }, at, errors);
  }
  const { nodeName, hostname, hints, deprecatedTopology } = endpoint;
  if (nodeName !== undefined)
    pushInvalid(nameIsDnsSubdomain(nodeName, false), nodeName, path.child('nodeName'), errors);
  const topology = Object.keys(deprecatedTopology ?? {}).length;
  if (topology > topologyMax) errors.push(tooMany(path.child('deprecatedTopology'), topology, topologyMax));
  validateLabels(deprecatedTopology, path.child('deprecatedTopology'), errors);
  if (hostname !== undefined) pushInvalid(isDns1123Label(hostname), hostname, path.child('hostname'), errors);
  if (hints !== undefined) validateHints(hints, path.child('hints'), errors);
}

function validateAddress(
  address: string,
  place: { readonly type: 'IPv4' | 'IPv6'; readonly index: number; readonly oldAddresses: ReadonlySet<string> },
  path: FieldPath,
  errors: FieldError[],
): void {
  if (place.oldAddresses.has(address)) return;
  const at = path.index(place.index);
  const ip = parseIpSloppy(address);
  validateIp(address, at, errors);
  if (ip === undefined) return;
  if (isIpv4(ip) !== (place.type === 'IPv4')) errors.push(invalid(path, address, `must be an ${place.type} address`));
  validateEndpointIp(address, at, errors);
}

function validateDomainName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (name === '') {
    errors.push(required(path));
    return;
  }
  const plain = name.endsWith('.') ? name.slice(0, -1) : name;
  const texts = isDns1123Subdomain(plain);
  if (texts.length > 0) errors.push(invalid(path, plain, texts.join(',')));
  else if (!plain.includes('.')) {
    errors.push(invalid(path, plain, 'should be a domain with at least two segments separated by dots'));
  }
}

function validateHints(hints: EndpointHints, path: FieldPath, errors: FieldError[]): void {
  const lists = [
    { field: 'forZones', names: hints.forZones, rule: isLabelValue },
    { field: 'forNodes', names: hints.forNodes, rule: (name: string) => nameIsDnsSubdomain(name, false) },
  ] as const;
  for (const { field, names, rule } of lists) {
    const at = path.child(field);
    if ((names ?? []).length > hintsMax) {
      errors.push(tooMany(at, (names ?? []).length, hintsMax));
      return;
    }
    const seen = new Set<string>();
    for (const [index, hint] of (names ?? []).entries()) {
      const name = hint.name ?? '';
      if (seen.has(name)) errors.push(duplicate(at.index(index).child('name'), name));
      seen.add(name);
      pushInvalid(rule(name), name, at.index(index).child('name'), errors);
    }
  }
}

function validatePorts(ports: readonly EndpointPort[], path: FieldPath, errors: FieldError[]): void {
  if (ports.length > portsMax) {
    errors.push(tooMany(path, ports.length, portsMax));
    return;
  }
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = path.index(index);
    const name = port.name ?? '';
    if (name !== '') pushInvalid(isDns1123Label(name), name, at.child('name'), errors);
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name));
    seen.add(name);
    if (port.protocol === undefined) errors.push(required(at.child('protocol')));
    else if (!protocols.includes(port.protocol))
      errors.push(notSupported(at.child('protocol'), port.protocol, protocols));
    const app = port.appProtocol;
    if (app !== undefined) pushInvalid(isQualifiedName(app), app, at.child('appProtocol'), errors);
  }
}

function warningsFor(object: EndpointSlice): readonly string[] {
  if (object.addressType === 'FQDN') return ['spec.addressType: FQDN endpoints are deprecated'];
  return (object.endpoints ?? []).flatMap((endpoint, index) =>
    (endpoint.addresses ?? []).flatMap((address, i) =>
      warningsForIp(endpointsPath.index(index).child('addresses').index(i), address),
    ),
  );
}
