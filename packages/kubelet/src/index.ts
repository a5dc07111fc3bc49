// Public names of @homeostat/kubelet.

export type { NodeDefinition } from './node/node-definition.ts';
export { createNodePool, type NodePool, type NodePoolOptions } from './pool/create-node-pool.ts';
export type { LogOptions, PodLogs } from './pool/pod-logs.ts';
export { annotationPrefix } from './simulated/behavior.ts';
