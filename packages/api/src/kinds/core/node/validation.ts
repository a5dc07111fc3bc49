// Validation of Nodes: taints, Pod address ranges, amounts, features. Follows spec/apiserver.md §13.5.

import { duplicate, type FieldError, FieldPath, forbidden, invalid, quote, utf8Length } from '@homeostat/machinery';
import type { Node, NodeConfigSource, NodeConfigStatus } from '@homeostat/api/types/core-v1';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { isDualStackCidrs, validateCidr } from '../../rules/addresses.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { validateResourceQuantity } from '../../rules/resource-names.ts';
import { sortedKeys } from '../../rules/values.ts';
import { validateNodeAnnotations } from './annotations.ts';
import { validateConfigSource, validateConfigStatus } from './config-source.ts';
import { validateTaints } from './taints.ts';

const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const statusPath = new FieldPath('status');
// Upstream reports taints below metadata.
const taintsPath = metadataPath.child('taints');

export function validateNode(node: Node): FieldError[] {
  const errors = validateKubeObjectMeta(
    node.metadata ?? {},
    { namespaced: false, name: nameIsDnsSubdomain },
    metadataPath,
  );
  validateNodeAnnotations(node.metadata?.annotations, metadataPath.child('annotations'), errors);
  validateTaints(node.spec?.taints, taintsPath, errors);
  validateResources(node, errors);
  const swap = node.status?.nodeInfo?.swap?.capacity;
  if (swap !== undefined && swap <= 0) {
    errors.push(invalid(metadataPath.child('nodeSwapStatus', 'capacity'), swap, 'must be greater than zero'));
  }
  validateDeclaredFeatures(node, errors);
  const cidrs = node.spec?.podCIDRs ?? [];
  const cidrsPath = specPath.child('podCIDRs');
  for (const [index, cidr] of cidrs.entries()) validateCidr(cidr, cidrsPath.index(index), errors);
  if (cidrs.length > 1 && (cidrs.length > 2 || !isDualStackCidrs(cidrs))) {
    errors.push(invalid(cidrsPath, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

export function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const errors = validateKubeObjectMetaUpdate(node.metadata ?? {}, old.metadata ?? {}, metadataPath);
  validateNodeAnnotations(node.metadata?.annotations, metadataPath.child('annotations'), errors);
  validateResources(node, errors);
  validateDeclaredFeatures(node, errors);
  validateAddresses(node, errors);
  validatePodCidrsKept(node, old, errors);
  const providerId = old.spec?.providerID ?? '';
  if (providerId !== '' && providerId !== (node.spec?.providerID ?? '')) {
    const text = 'node updates may not change providerID except from "" to valid';
    errors.push(forbidden(specPath.child('providerID'), text));
  }
  validateConfigSource(node.spec?.configSource as NodeConfigSource | undefined, specPath.child('configSource'), errors);
  validateConfigStatus(node.status?.config as NodeConfigStatus | undefined, statusPath.child('config'), errors);
  validateTaints(node.spec?.taints, taintsPath, errors);
  if ((node.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    errors.push(forbidden(specPath.child('externalID'), 'may not be updated'));
  }
  return errors;
}

function validateResources(node: Node, errors: FieldError[]): void {
  for (const list of ['capacity', 'allocatable'] as const) {
    const amounts = node.status?.[list];
    for (const name of sortedKeys(amounts)) {
      validateResourceQuantity(name, amounts?.[name] ?? '0', statusPath.child(list, name), errors);
    }
  }
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function validateDeclaredFeatures(node: Node, errors: FieldError[]): void {
  const features = node.status?.declaredFeatures ?? [];
  const path = statusPath.child('declaredFeatures');
  for (const [index, feature] of features.entries()) {
    const problem = featureProblem(feature);
    if (problem !== undefined) errors.push(invalid(path.index(index), feature, problem));
    const next = features[index + 1];
    if (next === undefined) continue;
    if (feature === next) errors.push(duplicate(path.index(index + 1), next));
    else if (feature > next) errors.push(invalid(path.index(index + 1), next, 'list must be sorted alphabetically'));
  }
}

function featureProblem(feature: string): string | undefined {
  const what = `invalid feature name ${quote(feature)}`;
  if (utf8Length(feature) > 253) return `${what}: must be no more than 253 characters`;
  if (featureName.test(feature)) return undefined;
  const example = "with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature)";
  return `${what}: must start with an UpperCamelCase segment, ${example}, and contain only alphanumeric characters and slashes`;
}

function validateAddresses(node: Node, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [index, { type = '', address = '' }] of (node.status?.addresses ?? []).entries()) {
    const key = `${type}/${address}`;
    if (seen.has(key))
      errors.push(duplicate(statusPath.child('addresses').index(index), { Type: type, Address: address }));
    seen.add(key);
  }
}

function validatePodCidrsKept(node: Node, old: Node, errors: FieldError[]): void {
  const before = old.spec?.podCIDRs ?? [];
  const now = node.spec?.podCIDRs ?? [];
  if (before.length === 0) return;
  const error = forbidden(specPath.child('podCIDRs'), 'node updates may not change podCIDR except from "" to valid');
  if (before.length !== now.length) errors.push(error);
  else for (const [index, cidr] of before.entries()) if (cidr !== now[index]) errors.push(error);
}
