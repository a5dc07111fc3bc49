// Names of plugins, as configuration, messages and metrics show them.

export const pluginNames = {
  schedulingGates: 'SchedulingGates',
  prioritySort: 'PrioritySort',
  nodeUnschedulable: 'NodeUnschedulable',
  nodeName: 'NodeName',
  taintToleration: 'TaintToleration',
  nodeAffinity: 'NodeAffinity',
  nodePorts: 'NodePorts',
  nodeResourcesFit: 'NodeResourcesFit',
  volumeRestrictions: 'VolumeRestrictions',
  nodeVolumeLimits: 'NodeVolumeLimits',
  volumeBinding: 'VolumeBinding',
  volumeZone: 'VolumeZone',
  podTopologySpread: 'PodTopologySpread',
  interPodAffinity: 'InterPodAffinity',
  dynamicResources: 'DynamicResources',
  defaultPreemption: 'DefaultPreemption',
  nodeResourcesBalancedAllocation: 'NodeResourcesBalancedAllocation',
  imageLocality: 'ImageLocality',
  defaultBinder: 'DefaultBinder',
  nodeDeclaredFeatures: 'NodeDeclaredFeatures',
} as const;
