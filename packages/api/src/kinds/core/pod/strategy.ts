// Pods: what the registry does for them beyond the generic way. Follows spec/apiserver.md §4.3, §9.2, §12.8 and §13.1.

import { FieldPath, formatTime, isDns1123Label, type Mutable, type ObjectMeta } from '@homeostat/machinery';
import type { Pod, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import { computeQosClass } from '../../../meaning/pod-qos.ts';
import type { KindStrategy } from '../../../strategy.ts';
import { defaultPod, mirrorServiceAccount } from '../../pod-spec/defaults.ts';
import { dropDisabledSpecFields } from '../../pod-spec/disabled-fields.ts';
import { warningsForPod } from '../../pod-spec/warnings.ts';
import { keepField } from '../../update-parts.ts';
import { moveAppArmorAnnotations, warningsForAppArmorAnnotations } from './app-armor-annotations.ts';
import { defaultPodStatus } from './defaults.ts';
import { ephemeralContainersStrategy } from './ephemeral-containers.ts';
import { mergeLabelKeys } from './label-keys.ts';
import { bumpPodGeneration } from './generation.ts';
import { resizeStrategy } from './resize.ts';
import { podStatusStrategy } from './status.ts';
import { specOf, validatePodCreate, validatePodUpdate } from './validation.ts';

export const podStrategy: KindStrategy<Pod> = {
  tracksGeneration: true,
  resetFields: [['status']],
  applyDefaults(draft) {
    defaultPod(draft);
    defaultPodStatus(draft.status);
  },
  prepareForCreate(draft, context) {
    const spec = (draft.spec ??= { containers: [] });
    const metadata = (draft.metadata ??= {});
    metadata.generation = 1;
    mirrorServiceAccount(spec);
    draft.status = { phase: 'Pending', qosClass: computeQosClass(spec as PodSpec) };
    dropDisabledSpecFields(spec, undefined);
    addGatedCondition(spec as PodSpec, draft.status, context.nowMs);
    mergeLabelKeys(spec, metadata as ObjectMeta);
    moveAppArmorAnnotations(draft);
  },
  validateCreate: validatePodCreate,
  warningsOnCreate: (pod) => [
    ...warningsForName(pod.metadata?.name ?? ''),
    ...warningsForPod(specOf(pod), pod.metadata ?? {}),
    ...warningsForAppArmorAnnotations(pod),
  ],
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    if (draft.spec !== undefined) {
      mirrorServiceAccount(draft.spec);
      dropDisabledSpecFields(draft.spec, old.spec);
    }
    bumpPodGeneration(draft, old);
  },
  validateUpdate: validatePodUpdate,
  subresources: {
    status: podStatusStrategy,
    ephemeralcontainers: ephemeralContainersStrategy,
    resize: resizeStrategy,
  },
  gracefulDeletion(pod, requested) {
    const phase = pod.status?.phase;
    // Nobody runs the Pod, so there is nobody to wait for.
    if ((pod.spec?.nodeName ?? '') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    const seconds = requested ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  selectableFields: (pod) => ({
    'spec.nodeName': pod.spec?.nodeName ?? '',
    'spec.restartPolicy': pod.spec?.restartPolicy ?? '',
    'spec.schedulerName': pod.spec?.schedulerName ?? '',
    'spec.serviceAccountName': pod.spec?.serviceAccountName ?? '',
    'spec.hostNetwork': String(pod.spec?.hostNetwork === true),
    'status.phase': pod.status?.phase ?? '',
    'status.podIP': pod.status?.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': pod.status?.nominatedNodeName ?? '',
  }),
  fieldLabels: {
    'spec.nodeName': 'spec.nodeName',
    'spec.restartPolicy': 'spec.restartPolicy',
    'spec.schedulerName': 'spec.schedulerName',
    'spec.serviceAccountName': 'spec.serviceAccountName',
    'spec.hostNetwork': 'spec.hostNetwork',
    'status.phase': 'status.phase',
    'status.podIP': 'status.podIP',
    'status.podIPs': 'status.podIPs',
    'status.nominatedNodeName': 'status.nominatedNodeName',
    'spec.host': 'spec.nodeName',
  },
};

function addGatedCondition(spec: PodSpec, status: Mutable<PodStatus>, nowMs: number): void {
  if ((spec.schedulingGates ?? []).length === 0) return;
  status.conditions = [
    {
      type: 'PodScheduled',
      status: 'False',
      lastTransitionTime: formatTime(nowMs),
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ];
}

function warningsForName(name: string): readonly string[] {
  const problems = isDns1123Label(name);
  if (problems.length === 0) return [];
  const at = new FieldPath('metadata').child('name');
  const what =
    "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [`${at.toString()}: ${what}: [${problems.join(' ')}]`];
}
