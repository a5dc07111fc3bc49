// Nodes.

import { FieldPath, type Mutable } from '@homeostat/machinery';
import type { Node, NodeSpec } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { warningsForCidr } from '../../rules/addresses.ts';
import { defaultResourceList } from '../../rules/resource-lists.ts';
import { keepField } from '../../update-parts.ts';
import { validateNode, validateNodeUpdate } from './validation.ts';

export const nodeStrategy: KindStrategy<Node> = {
  resetFields: [['status']],
  applyDefaults(draft) {
    settlePodCidrs(draft.spec);
    const status = (draft.status ??= {});
    if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
    defaultResourceList(status.capacity);
    defaultResourceList(status.allocatable);
  },
  prepareForCreate(draft) {
    if (draft.spec !== undefined) delete draft.spec.configSource;
    if (draft.status !== undefined) delete draft.status.config;
  },
  validateCreate: validateNode,
  warningsOnCreate: warningsFor,
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    if (draft.spec !== undefined && old.spec?.configSource === undefined) delete draft.spec.configSource;
  },
  validateUpdate: (node, old) => [...validateNode(node), ...validateNodeUpdate(node, old)],
  warningsOnUpdate: warningsFor,
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
        if (draft.status !== undefined && old.status?.config === undefined) delete draft.status.config;
      },
      validateUpdate: validateNodeUpdate,
    },
  },
  selectableFields: (node) => ({ 'spec.unschedulable': String(node.spec?.unschedulable === true) }),
  fieldLabels: ['spec.unschedulable'],
};

/** The single range of older clients and the list agree; the single one wins where they differ. */
function settlePodCidrs(spec: Mutable<NodeSpec> | undefined): void {
  if (spec === undefined) return;
  const cidr = spec.podCIDR ?? '';
  if (cidr !== '' && spec.podCIDRs?.[0] !== cidr) spec.podCIDRs = [cidr];
  const first = spec.podCIDRs?.[0];
  if (first !== undefined) spec.podCIDR = first;
}

function warningsFor(node: Node): readonly string[] {
  const path = new FieldPath('spec').child('podCIDRs');
  return [
    ...(node.spec?.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...((node.spec?.externalID ?? '') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...(node.spec?.podCIDRs ?? []).flatMap((cidr, index) => warningsForCidr(path.index(index), cidr)),
  ];
}
