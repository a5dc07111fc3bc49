// The strategies of storage.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { csiDriverStrategy } from './csi-driver.ts';
import { csiNodeStrategy } from './csi-node.ts';
import { csiStorageCapacityStrategy } from './csi-storage-capacity.ts';
import { storageClassStrategy } from './storage-class.ts';
import { volumeAttachmentStrategy } from './volume-attachment.ts';
import { volumeAttributesClassStrategy } from './volume-attributes-class.ts';

export const storageStrategies: StrategyMap = {
  CSIDriver: csiDriverStrategy,
  CSINode: csiNodeStrategy,
  CSIStorageCapacity: csiStorageCapacityStrategy,
  StorageClass: storageClassStrategy,
  VolumeAttachment: volumeAttachmentStrategy,
  VolumeAttributesClass: volumeAttributesClassStrategy,
};
