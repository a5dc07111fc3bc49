// Public names of @homeostat/controllers.

export {
  type ControllerManager,
  type ControllerManagerOptions,
  createControllerManager,
} from './controller-manager.ts';
export { type ControllerName, selectControllers, UnknownControllerError } from './controller-selection.ts';
export { type ControllerEntry, type ControllerSettings, controllerTable } from './controller-table.ts';
export { createDeploymentController } from './deployment/controller.ts';
export { createEndpointsController } from './endpoints/controller.ts';
export { createEndpointSliceController } from './endpointslice/controller.ts';
export { createNamespaceController } from './namespace/controller.ts';
export { createNodeLifecycleControllers } from './nodelifecycle/controller.ts';
export { createPodGcController } from './podgc/controller.ts';
export { createReplicaSetController } from './replicaset/controller.ts';
export type { TokenSigner } from './serviceaccount-token/diff.ts';
export type { Discover, Discovered, DiscoveredResource } from './shared/discovered-resources.ts';
export { createTaintEvictionController } from './tainteviction/controller.ts';
