// TaintNodesByCondition: a new Node takes no Pods before it has said that it is ready; the node controller takes the taint
// away (spec/apiserver.md §15.2).

import type { Node } from '@homeostat/api/types/core-v1';
import type { Mutable } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { isAbout } from '../admission-host.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const };

export class TaintNodesByCondition implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  admit(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'nodes')) return;
    const node = attributes.object as Mutable<Node>;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { ...notReady }] };
  }
}
