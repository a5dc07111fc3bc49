// NetworkPolicy (networking.k8s.io/v1).

import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '@homeostat/api/types/networking-v1';
import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isPortName,
  isPortNumber,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { formatIp, networkOf, parseCidrSloppy, validateCidr, warningsForCidr } from '../rules/addresses.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { pushInvalid } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';

const specPath = new FieldPath('spec');
const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

export const networkPolicyStrategy: KindStrategy<NetworkPolicy> = standardStrategy<NetworkPolicy>({
  kind: { group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy' },
  namespaced: true,
  generationFields: ['spec'],
  validate(object, errors, old) {
    validateNetworkPolicySpec(object.spec, cidrsOf(old), specPath, errors);
  },
  more: {
    applyDefaults: applyNetworkPolicyDefaults,
    warningsOnCreate: (object) => warningsForBlocks(object),
    warningsOnUpdate: (object) => warningsForBlocks(object),
  },
});

function applyNetworkPolicyDefaults(draft: Mutable<NetworkPolicy>): void {
  const spec = (draft.spec ??= {} as Mutable<NetworkPolicySpec>);
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
  }
  if ((spec.policyTypes ?? []).length === 0) {
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  }
}

function validateNetworkPolicySpec(
  spec: NetworkPolicySpec | undefined,
  oldCidrs: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  validateLabelSelector(spec?.podSelector, path.child('podSelector'), errors);
  const sides = [
    { field: 'ingress', rules: spec?.ingress ?? [], peers: 'from' },
    { field: 'egress', rules: spec?.egress ?? [], peers: 'to' },
  ] as const;
  for (const { field, rules, peers } of sides) {
    for (const [index, rule] of rules.entries()) {
      const at = path.child(field).index(index);
      for (const [i, port] of (rule.ports ?? []).entries()) validatePort(port, at.child('ports').index(i), errors);
      for (const [i, peer] of peersOf(rule).entries()) validatePeer(peer, oldCidrs, at.child(peers).index(i), errors);
    }
  }
  const types = spec?.policyTypes ?? [];
  const at = path.child('policyTypes');
  if (types.length > policyTypes.length) {
    errors.push(invalid(at, types, 'may not specify more than two policyTypes'));
    return;
  }
  for (const [index, type] of types.entries()) {
    if (!policyTypes.includes(type)) errors.push(notSupported(at.index(index), type, policyTypes));
  }
}

function peersOf(rule: {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly to?: readonly NetworkPolicyPeer[];
}): readonly NetworkPolicyPeer[] {
  return rule.from ?? rule.to ?? [];
}

function validatePort(rule: NetworkPolicyPort, path: FieldPath, errors: FieldError[]): void {
  const { protocol, port, endPort } = rule;
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(path.child('protocol'), protocol, protocols));
  }
  const at = path.child('endPort');
  if (port === undefined) {
    if (endPort !== undefined) errors.push(invalid(at, endPort, 'may not be specified when `port` is not specified'));
  } else if (typeof port === 'number') {
    pushInvalid(isPortNumber(port), port, path.child('port'), errors);
    if (endPort === undefined) return;
    if (endPort < port) errors.push(invalid(at, port, 'must be greater than or equal to `port`'));
    pushInvalid(isPortNumber(endPort), endPort, at, errors);
  } else {
    if (endPort !== undefined) errors.push(invalid(at, endPort, 'may not be specified when `port` is non-numeric'));
    pushInvalid(isPortName(port), port, path.child('port'), errors);
  }
}

function validatePeer(
  peer: NetworkPolicyPeer,
  oldCidrs: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  validateLabelSelector(podSelector, path.child('podSelector'), errors);
  validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), errors);
  if (ipBlock !== undefined) validateBlock(ipBlock, oldCidrs, path.child('ipBlock'), errors);
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selects && ipBlock === undefined) errors.push(required(path, 'must specify a peer'));
  else if (selects && ipBlock !== undefined) {
    errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  }
}

function validateBlock(block: IPBlock, oldCidrs: readonly string[], path: FieldPath, errors: FieldError[]): void {
  const text = block.cidr ?? '';
  if (text === '') {
    errors.push(required(path.child('cidr')));
    return;
  }
  validateCidr(text, path.child('cidr'), errors, oldCidrs);
  if (parseCidrSloppy(text) === undefined) return;
  for (const [index, exception] of (block.except ?? []).entries()) {
    const at = path.child('except').index(index);
    validateCidr(exception, at, errors, oldCidrs);
    if (isStrictSubset(exception, text) === false) {
      errors.push(invalid(at, exception, 'must be a strict subset of `cidr`'));
    }
  }
}

/** Undefined when one of the texts is no CIDR. */
function isStrictSubset(inner: string, outer: string): boolean | undefined {
  const a = parseCidrSloppy(inner);
  const b = parseCidrSloppy(outer);
  if (a === undefined || b === undefined) return undefined;
  if (a.v4 !== b.v4 || a.prefixLength <= b.prefixLength) return false;
  return formatIp(networkOf({ ...a, prefixLength: b.prefixLength })) === formatIp(networkOf(b));
}

interface BlockPlace {
  readonly block: IPBlock;
  readonly path: FieldPath;
}

function blocksOf(object: NetworkPolicy | undefined): readonly BlockPlace[] {
  const sides = [
    { field: 'ingress', rules: object?.spec?.ingress ?? [], peers: 'from' },
    { field: 'egress', rules: object?.spec?.egress ?? [], peers: 'to' },
  ] as const;
  return sides.flatMap(({ field, rules, peers }) =>
    rules.flatMap((rule, index) =>
      peersOf(rule).flatMap(({ ipBlock }, i) => {
        const path = specPath.child(field).index(index).child(peers).index(i).child('ipBlock');
        return ipBlock === undefined ? [] : [{ block: ipBlock, path }];
      }),
    ),
  );
}

function cidrsOf(object: NetworkPolicy | undefined): readonly string[] {
  return blocksOf(object).flatMap(({ block }) => [block.cidr ?? '', ...(block.except ?? [])]);
}

function warningsForBlocks(object: NetworkPolicy): readonly string[] {
  return blocksOf(object).flatMap(({ block, path }) => [
    ...warningsForCidr(path.child('cidr'), block.cidr ?? ''),
    ...(block.except ?? []).flatMap((text, index) => warningsForCidr(path.child('except').index(index), text)),
  ]);
}
