// NodeRestriction: a kubelet writes only about its own Node, the Pods on it, its Lease, CSINode and ResourceSlices, and asks
// only for tokens and certificates that its Pods need (spec/apiserver.md §15.2). Reading is the node authorizer's business.

import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { nodeIdentity } from '../../authorization/node/node-identity.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, resourceText } from '../admission-host.ts';
import {
  restrictClaimStatus,
  restrictCsr,
  restrictCsiNode,
  restrictLease,
  restrictResourceSlice,
} from './node-objects.ts';
import { restrictPod, restrictPodEviction, restrictPodStatus } from './node-pods.ts';
import { restrictNode } from './node-self.ts';
import { restrictToken } from './node-tokens.ts';

export class NodeRestriction implements AdmissionPlugin {
  readonly name = 'NodeRestriction';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation !== 'CONNECT';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const identity = nodeIdentity(attributes.user);
    if (identity === undefined) return;
    const node = identity.nodeName;
    if (node === '') {
      throw newAdmissionForbidden(attributes, `could not determine node from user "${attributes.user.username}"`);
    }
    switch (resourceText(attributes.resource)) {
      case 'pods':
        return this.#pods(node, attributes);
      case 'nodes':
        return restrictNode(node, attributes);
      case 'persistentvolumeclaims':
        return restrictClaimStatus(node, attributes);
      case 'serviceaccounts':
        return restrictToken(node, attributes, this.#host);
      case 'leases.coordination.k8s.io':
        return restrictLease(node, attributes);
      case 'csinodes.storage.k8s.io':
        return restrictCsiNode(node, attributes);
      case 'resourceslices.resource.k8s.io':
        return restrictResourceSlice(node, attributes);
      case 'certificatesigningrequests.certificates.k8s.io':
        return restrictCsr(node, attributes);
      default:
        return undefined;
    }
  }

  #pods(node: string, attributes: AdmissionAttributes): Promise<void> | void {
    switch (attributes.subresource) {
      case '':
        return restrictPod(node, attributes, this.#host);
      case 'status':
        return restrictPodStatus(node, attributes);
      case 'eviction':
        return restrictPodEviction(node, attributes, this.#host);
      default: {
        const text = `unexpected pod subresource "${attributes.subresource}", only 'status' and 'eviction' are allowed`;
        throw newAdmissionForbidden(attributes, text);
      }
    }
  }
}
