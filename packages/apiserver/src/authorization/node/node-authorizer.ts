// The node authorizer: a kubelet reads what the Pods on its node need, and writes about itself. What it may write in
// detail is the business of the NodeRestriction admission plugin. Spec: spec/apiserver.md §17, KEP-4601.

import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';
import type { PolicyRule } from '../rbac/policy-rule.ts';
import { rulesAllow } from '../rbac/policy-rule.ts';
import type { ResolvedRules, RuleResolver } from '../rule-resolver.ts';
import { requiresField } from '../selector-terms.ts';
import type { NodeGraph, RelatedType } from './node-graph.ts';
import { nodeIdentity } from './node-identity.ts';

const allowed: AuthorizationResult = { decision: 'allow' };
const silent: AuthorizationResult = { decision: 'noOpinion' };
const leaseNamespace = 'kube-node-lease';
const ownObjectVerbs = ['get', 'create', 'update', 'patch', 'delete'];

export class NodeAuthorizer implements Authorizer, RuleResolver {
  readonly #graph: NodeGraph;
  readonly #rules: readonly PolicyRule[];

  /** `rules` are those every node holds alike: the ones of the ClusterRole `system:node`. */
  constructor(graph: NodeGraph, rules: readonly PolicyRule[]) {
    this.#graph = graph;
    this.#rules = rules;
  }

  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    const identity = nodeIdentity(attributes.user);
    if (identity === undefined) return silent;
    if (identity.nodeName === '') return no(`unknown node for user ${JSON.stringify(attributes.user.username)}`);
    const special = attributes.isResourceRequest ? this.#authorizeResource(identity.nodeName, attributes) : undefined;
    if (special !== undefined) return special;
    return rulesAllow(this.#rules, attributes) ? allowed : silent;
  }

  resolveRules(user: User): ResolvedRules {
    const none = { resourceRules: [], nonResourceRules: [] };
    if (nodeIdentity(user) === undefined) return { ...none, incomplete: false };
    return { ...none, incomplete: true, error: 'node authorizer does not support user rule resolution' };
  }

  #authorizeResource(node: string, attributes: AuthorizationAttributes): AuthorizationResult | undefined {
    const { group, resource, subresource } = attributes;
    switch (group === '' ? resource : `${resource}.${group}`) {
      case 'secrets':
        return this.#readNamespaced(node, 'secret', attributes);
      case 'configmaps':
        return this.#readNamespaced(node, 'configmap', attributes);
      case 'persistentvolumeclaims':
        return subresource === 'status' ? this.#updateStatus(node, attributes) : this.#get(node, 'pvc', attributes);
      case 'persistentvolumes':
        return this.#get(node, 'pv', attributes);
      case 'resourceclaims.resource.k8s.io':
        return this.#get(node, 'resourceclaim', attributes);
      case 'volumeattachments.storage.k8s.io':
        return this.#get(node, 'volumeattachment', attributes);
      case 'serviceaccounts':
        return this.#serviceAccount(node, attributes);
      case 'leases.coordination.k8s.io':
        return lease(node, attributes);
      case 'csinodes.storage.k8s.io':
        return csiNode(node, attributes);
      case 'resourceslices.resource.k8s.io':
        return this.#resourceSlice(node, attributes);
      case 'nodes':
        return ownNode(node, attributes);
      case 'pods':
        return this.#pod(node, attributes);
      case 'podcertificaterequests.certificates.k8s.io':
        return this.#podCertificateRequest(node, attributes);
      default:
        return undefined;
    }
  }

  #related(node: string, type: RelatedType, attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.name === '') return no('No Object name found');
    if (this.#graph.isRelated(node, type, attributes)) return allowed;
    return no(`no relationship found between node '${node}' and this object`);
  }

  #get(node: string, type: RelatedType, attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.verb !== 'get') return no('can only get individual resources of this type');
    if (attributes.subresource !== '') return no('cannot get subresource');
    return this.#related(node, type, attributes);
  }

  #updateStatus(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
    if (!['update', 'patch'].includes(attributes.verb)) return no('can only get/update/patch this type');
    return this.#related(node, 'pvc', attributes);
  }

  #readNamespaced(node: string, type: RelatedType, attributes: AuthorizationAttributes): AuthorizationResult {
    if (!['get', 'list', 'watch'].includes(attributes.verb)) return no('can only read resources of this type');
    if (attributes.subresource !== '') return no('cannot read subresource');
    if (attributes.namespace === '') return no('can only read namespaced object of this type');
    return this.#related(node, type, attributes);
  }

  #serviceAccount(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.verb === 'get' && attributes.subresource === '') {
      return this.#readNamespaced(node, 'serviceaccount', attributes);
    }
    if (attributes.verb !== 'create' || attributes.name === '') {
      return no('can only create tokens for individual service accounts');
    }
    if (attributes.subresource !== 'token') return no('can only create token subresource of serviceaccount');
    return this.#related(node, 'serviceaccount', attributes);
  }

  #resourceSlice(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.subresource !== '') return no('cannot authorize ResourceSlice subresources');
    switch (attributes.verb) {
      case 'create': // NodeRestriction looks at the object's node name
        return allowed;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#related(node, 'resourceslice', attributes);
      case 'watch':
      case 'list':
      case 'deletecollection':
        if (requiresField(attributes.fieldSelector, 'spec.nodeName', node)) return allowed;
        return no('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return no(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  #pod(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
    const { verb, subresource } = attributes;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allowed : silent;
    if (subresource === 'eviction') return verb === 'create' ? allowed : silent;
    if (subresource !== '') return silent;
    switch (verb) {
      case 'create': // NodeRestriction limits these to mirror Pods of the node
      case 'delete':
        return allowed;
      case 'get':
        return this.#get(node, 'pod', attributes);
      case 'list':
      case 'watch':
        if (requiresField(attributes.fieldSelector, 'spec.nodeName', node)) return allowed;
        if (attributes.name !== '') return this.#related(node, 'pod', attributes);
        return no('can only list/watch pods with spec.nodeName field selector');
      default:
        return silent;
    }
  }

  #podCertificateRequest(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
    if (attributes.subresource !== '') {
      return no('nodes may not access the status subresource of PodCertificateRequests');
    }
    switch (attributes.verb) {
      case 'create':
        return allowed;
      case 'get':
        return this.#related(node, 'podcertificaterequest', attributes);
      case 'list':
      case 'watch':
        if (requiresField(attributes.fieldSelector, 'spec.nodeName', node)) return allowed;
        return no('can only list/watch podcertificaterequests with nodeName field selector');
      default:
        return no(`nodes may not ${attributes.verb} podcertificaterequests`);
    }
  }
}

function lease(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
  const { verb, namespace, name } = attributes;
  if (!ownObjectVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (namespace !== leaseNamespace) return no(`can only access leases in the "${leaseNamespace}" system namespace`);
  // On create the name is in the object, which NodeRestriction looks at.
  if (verb !== 'create' && name !== node)
    return no('can only access node lease with the same name as the requesting node');
  return allowed;
}

function csiNode(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
  const { verb, subresource, name } = attributes;
  if (!ownObjectVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return no('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return no('can only access CSINode with the same name as the requesting node');
  return allowed;
}

function ownNode(node: string, attributes: AuthorizationAttributes): AuthorizationResult {
  const { verb, subresource, name } = attributes;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allowed : silent;
  if (subresource !== '') return silent;
  switch (verb) {
    case 'create': // NodeRestriction limits writes to the node's own object
    case 'update':
    case 'patch':
      return allowed;
    case 'get':
    case 'list':
    case 'watch':
      // By name, not by the graph: a kubelet looks for its Node before it has made one.
      if (name === node) return allowed;
      if (name === '') return no(`node '${node}' cannot read all nodes, only its own Node object`);
      return no(`node '${node}' cannot read '${name}', only its own Node object`);
    default:
      return silent;
  }
}

function no(reason: string): AuthorizationResult {
  return { decision: 'noOpinion', reason };
}
