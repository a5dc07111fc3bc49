// Public names of @homeostat/cluster. Disks, sockets and keys are under `./node`.

export { type Cluster, type ClusterOptions, createCluster } from './cluster.ts';
export type { Component, ComponentContext, RunningComponent } from './component.ts';
export {
  controllerManagerComponent,
  type ControllerManagerComponentOptions,
  discoverWith,
} from './components/controller-manager-component.ts';
export {
  nodesComponent,
  type NodesComponent,
  type NodesComponentOptions,
  numberedNodes,
} from './components/nodes-component.ts';
export { schedulerComponent, type SchedulerComponentOptions } from './components/scheduler-component.ts';
export {
  adminUser,
  controllerManagerUser,
  controllerUser,
  nodePoolUser,
  nodeUser,
  schedulerUser,
} from './identities.ts';
export { createTokenSigner, type TokenSignerOptions } from './token-signer.ts';
