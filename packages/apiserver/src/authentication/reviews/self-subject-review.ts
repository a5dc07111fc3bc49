// SelfSubjectReview: who am I (`kubectl auth whoami`).

import { formatTime, type KubeObject } from '@homeostat/machinery';
import type { VirtualRequest, VirtualResource } from '../../server/virtual-resource.ts';
import { toUserInfo } from './token-review.ts';

export const selfSubjectReview: VirtualResource = {
  group: 'authentication.k8s.io',
  resource: 'selfsubjectreviews',
  create({ context }: VirtualRequest): KubeObject {
    return {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: { creationTimestamp: formatTime(context.receivedMs) },
      status: { userInfo: toUserInfo(context.user) },
    } as KubeObject;
  },
};
