// Public names of @homeostat/testing.

// The cluster.
export { type ControllerManagerProcess, type ControllerManagerProcessOptions } from './controller-manager-process.ts';
export {
  createTestCluster,
  standardCheckers,
  type TestCluster,
  type TestClusterOptions,
  type WaitOptions,
} from './test-cluster.ts';
export { WebhookRegistry } from './webhooks/webhook-registry.ts';
export { inProcessWebhooks } from './webhooks/in-process-webhooks.ts';
export type { OperatorProcess } from './operator-process.ts';
export type { ProcessLife } from './process-life.ts';
export { type OperatorComponent, operatorComponent, type OperatorComponentOptions } from './operator-component.ts';

// What goes wrong.
export { FaultInjector, type FaultInjectorOptions } from './faults/fault-injector.ts';
export type { Fault, FaultRule, FaultTarget, InjectedFault } from './faults/fault.ts';
export { randomFaults, type RandomFaultOptions } from './faults/random-faults.ts';

// What is looked at afterwards.
export { checkCaches } from './checkers/caches.ts';
export type { Checker } from './checkers/checker.ts';
export { checkEndings } from './checkers/endings.ts';
export { checkEndpoints } from './checkers/endpoints.ts';
export { checkOwnership } from './checkers/ownership.ts';
export { checkPodCreations } from './checkers/pod-creations.ts';
export { checkQuotas } from './checkers/quotas.ts';
export { checkDeployments, checkReplicaSets } from './checkers/workloads.ts';
export { firstDifference, type HistoryEntry, readHistory } from './history.ts';
export { unrest } from './quiescence.ts';
export { stateId, StoreState } from './store-state.ts';
