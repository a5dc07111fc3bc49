// The kinds of core/v1. Event is kept with its other group.

import { coreEventStrategy } from '../events/event.ts';
import type { StrategyMap } from '../strategy-map.ts';
import { bindingStrategy } from './binding/strategy.ts';
import { componentStatusStrategy } from './component-status/strategy.ts';
import { configMapStrategy } from './config-map/strategy.ts';
import { endpointsStrategy } from './endpoints/strategy.ts';
import { limitRangeStrategy } from './limit-range/strategy.ts';
import { namespaceStrategy } from './namespace/strategy.ts';
import { nodeStrategy } from './node/strategy.ts';
import { persistentVolumeClaimStrategy } from './persistent-volume-claim/strategy.ts';
import { persistentVolumeStrategy } from './persistent-volume/strategy.ts';
import { podStrategy } from './pod/strategy.ts';
import { podTemplateStrategy } from './pod-template/strategy.ts';
import { replicationControllerStrategy } from './replication-controller/strategy.ts';
import { resourceQuotaStrategy } from './resource-quota/strategy.ts';
import { secretStrategy } from './secret/strategy.ts';
import { serviceAccountStrategy } from './service-account/strategy.ts';
import { serviceStrategy } from './service/strategy.ts';

export const coreStrategies: StrategyMap = {
  Binding: bindingStrategy,
  ComponentStatus: componentStatusStrategy,
  ConfigMap: configMapStrategy,
  Endpoints: endpointsStrategy,
  Event: coreEventStrategy,
  LimitRange: limitRangeStrategy,
  Namespace: namespaceStrategy,
  Node: nodeStrategy,
  PersistentVolume: persistentVolumeStrategy,
  PersistentVolumeClaim: persistentVolumeClaimStrategy,
  Pod: podStrategy,
  PodTemplate: podTemplateStrategy,
  ReplicationController: replicationControllerStrategy,
  ResourceQuota: resourceQuotaStrategy,
  Secret: secretStrategy,
  Service: serviceStrategy,
  ServiceAccount: serviceAccountStrategy,
};
