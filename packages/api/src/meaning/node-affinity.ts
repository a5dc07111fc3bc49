// Whether a node is one a Pod may run on by its nodeSelector and required node affinity.
// Follows `k8s.io/component-helpers/scheduling/corev1/nodeaffinity`.

import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '@homeostat/api/types/core-v1';

type Labels = Readonly<Record<string, string>>;

/** Whether the node has all labels of `nodeSelector` and matches some term of the required affinity. */
export function matchesRequiredNodeAffinity(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}

/** Whether some term matches; none matches nothing. */
export function matchesNodeSelector(selector: NodeSelector, node: Node): boolean {
  return (selector.nodeSelectorTerms ?? []).some((term) => matchesNodeSelectorTerm(term, node));
}

/** All expressions and fields of the term must match; an empty term matches nothing. */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels: Labels = node.metadata?.labels ?? {};
  const fields: Labels = { 'metadata.name': node.metadata?.name ?? '' };
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, labels)) &&
    matchFields.every((requirement) => matchesRequirement(requirement, fields))
  );
}

function matchesRequirement({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator as string) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return matchesOrder(operator === 'Gt', value, values[0]);
    default:
      return false;
  }
}

function matchesOrder(greater: boolean, value: string | undefined, bound: string | undefined): boolean {
  if (value === undefined || bound === undefined) return false;
  if (!/^[+-]?[0-9]+$/.test(value) || !/^[+-]?[0-9]+$/.test(bound)) return false;
  return greater
    ? BigInt(value.replace('+', '')) > BigInt(bound.replace('+', ''))
    : BigInt(value.replace('+', '')) < BigInt(bound.replace('+', ''));
}
