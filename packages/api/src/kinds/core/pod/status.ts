// The `status` subresource of Pods: what the kubelet reports. The spec and the owners stay as they are.

import { cloneJson, FieldPath, type Mutable } from '@homeostat/machinery';
import type { Pod, PodStatus } from '@homeostat/api/types/core-v1';
import type { UpdateStrategy } from '../../../strategy.ts';
import { dropDisabledStatusFields } from '../../pod-spec/disabled-fields.ts';
import { warningsForIp } from '../../rules/addresses.ts';
import { keepField } from '../../update-parts.ts';
import { validatePodStatusUpdate } from './status-validation.ts';

export const podStatusStrategy: UpdateStrategy<Pod> = {
  resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'spec');
    const metadata = (draft.metadata ??= {});
    // Only a delete sets it; the registry puts back what the stored object has.
    delete metadata.deletionTimestamp;
    if (old.metadata?.ownerReferences === undefined) delete metadata.ownerReferences;
    else metadata.ownerReferences = cloneJson(old.metadata.ownerReferences) as typeof metadata.ownerReferences;
    const status = (draft.status ??= {});
    if (status.qosClass === undefined && old.status?.qosClass !== undefined) status.qosClass = old.status.qosClass;
    keepObservedGenerations(status, old.status);
    dropDisabledStatusFields(status, old.status);
  },
  validateUpdate: validatePodStatusUpdate,
  warningsOnUpdate(pod) {
    const at = new FieldPath('status');
    const warn = (list: 'podIPs' | 'hostIPs'): readonly string[] =>
      (pod.status?.[list] ?? []).flatMap(({ ip }, index) =>
        warningsForIp(at.child(list).index(index).child('ip'), ip ?? ''),
      );
    return [...warn('podIPs'), ...warn('hostIPs')];
  },
};

/** A writer that does not know of observed generations does not reset them. */
function keepObservedGenerations(status: Mutable<PodStatus>, old: PodStatus | undefined): void {
  if ((status.observedGeneration ?? 0) === 0 && old?.observedGeneration !== undefined) {
    status.observedGeneration = old.observedGeneration;
  }
  const former = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration } of old?.conditions ?? []) {
    former.set(type, [...(former.get(type) ?? []), observedGeneration]);
  }
  for (const condition of status.conditions ?? []) {
    const generation = former.get(condition.type)?.shift();
    if ((condition.observedGeneration ?? 0) === 0 && generation !== undefined)
      condition.observedGeneration = generation;
  }
}
