// Public names of @homeostat/api.

export { tableFor } from './columns/tables.ts';
export { convertObject } from './conversion/convert-object.ts';
export {
  admissionVariables,
  type AdmissionVariablesOptions,
  mutationLibrary,
} from './kinds/admissionregistration/admission-variables.ts';
export { loadAdmissionExpressions } from './kinds/admissionregistration/load-expressions.ts';
export { validateEmbeddedMeta } from './kinds/apiextensions/version-schema.ts';
export { validateBinding } from './kinds/core/binding/strategy.ts';
export { validateClusterIps } from './kinds/core/service/cluster-ips.ts';
export { normalizeClusterIps, patchAllocatedValues } from './kinds/core/service/linked-fields.ts';
export { validateObjectMeta, validateObjectMetaUpdate } from './kinds/metadata/object-meta.ts';
export {
  type Cidr,
  formatIp,
  type IpBytes,
  isIpv4,
  networkOf,
  parseCidrSloppy,
  parseIpSloppy,
} from './kinds/rules/addresses.ts';
export { nameIsDnsSubdomain, nameIsPathSegment } from './kinds/rules/names.ts';
export { semanticEqual } from './kinds/semantic-equal.ts';
export { strategyOf } from './kinds/strategies.ts';
export { mayAllContainersRestart, restartActionOf, shouldContainerRestart } from './meaning/container-restart.ts';
export { deletionCostAnnotation, parseDeletionCost } from './meaning/deletion-cost.ts';
export { type ImageName, parseImageName } from './meaning/image-name.ts';
export { matchesNodeSelector, matchesNodeSelectorTerm, matchesRequiredNodeAffinity } from './meaning/node-affinity.ts';
export { getNodeCondition, isNodeReady } from './meaning/node-conditions.ts';
export { getPodCondition, isPodAvailable, isPodReady, nextPodAvailabilityMs } from './meaning/pod-conditions.ts';
export { isPodActive, isPodTerminal, isPodTerminating } from './meaning/pod-phase.ts';
export { computeQosClass } from './meaning/pod-qos.ts';
export {
  aggregateContainerLimits,
  aggregateContainerRequests,
  isPodLevelResource,
  podLimits,
  podRequests,
  type PodResourceOptions,
  type PodWithSpec,
  type ResourceList,
} from './meaning/pod-resources.ts';
export { changesClaimUsage } from './meaning/quota/claim-quota.ts';
export { changesScope } from './meaning/quota/pod-quota.ts';
export { type QuotaEvaluator, quotaMatches, scopesOf } from './meaning/quota/quota-evaluator.ts';
export { quotaEvaluatorOf, quotaEvaluators } from './meaning/quota/quota-evaluators.ts';
export {
  addLists,
  equalLists,
  exceededNames,
  maskList,
  subtractLists,
  withoutZeros,
} from './meaning/quota/resource-list.ts';
export {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
} from './meaning/services.ts';
export { findUntoleratedTaint, toleratesTaint } from './meaning/tolerations.ts';
export {
  canNodeReachVolume,
  findMatchingVolume,
  type FindVolumeOptions,
  hasAccessModes,
  isClaimBound,
  isVolumeBoundTo,
  storageClassNameOf,
} from './meaning/volumes.ts';
export type { ResourceInfo, SubresourceInfo } from './resource.ts';
export {
  findKind,
  findResource,
  kindsOf,
  knownApiVersions,
  resources,
  schemaOf,
  structByName,
  typeNameOf,
} from './scheme/scheme.ts';
export type {
  Cel,
  KindStrategy,
  StrategyContext,
  TableColumn,
  TableRowCells,
  TableStrategy,
  UpdateStrategy,
} from './strategy.ts';
