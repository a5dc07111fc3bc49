// Which table a built-in kind prints as. The key is `Kind.group`, so one entry serves all versions of a kind; rows take
// objects as they are stored.

import type { TableStrategy } from '../strategy.ts';
import { horizontalPodAutoscalerTable, podDisruptionBudgetTable, scaleTable } from './autoscaling-columns.ts';
import { DEFAULT_TABLE, NAME_AGE_TABLE } from './column.ts';
import {
  componentStatusTable,
  configMapTable,
  namespaceTable,
  nodeTable,
  resourceQuotaTable,
  secretTable,
  serviceAccountTable,
} from './core-columns.ts';
import { resourceClaimTable, resourceSliceTable } from './device-columns.ts';
import { eventTable } from './event-columns.ts';
import { podTable } from './pod-columns.ts';
import {
  admissionPolicyBindingTable,
  apiServiceTable,
  certificateSigningRequestTable,
  flowSchemaTable,
  leaseTable,
  mutatingAdmissionPolicyTable,
  priorityClassTable,
  priorityLevelConfigurationTable,
  roleBindingTable,
  runtimeClassTable,
  validatingAdmissionPolicyTable,
  webhookConfigurationTable,
} from './policy-columns.ts';
import {
  endpointSliceTable,
  endpointsTable,
  ingressClassTable,
  ingressTable,
  ipAddressTable,
  networkPolicyTable,
  serviceCidrTable,
  serviceTable,
} from './service-columns.ts';
import {
  csiDriverTable,
  csiNodeTable,
  persistentVolumeClaimTable,
  persistentVolumeTable,
  storageClassTable,
  volumeAttachmentTable,
  volumeAttributesClassTable,
} from './storage-columns.ts';
import {
  controllerRevisionTable,
  cronJobTable,
  daemonSetTable,
  deploymentTable,
  jobTable,
  podTemplateTable,
  replicaSetTable,
  replicationControllerTable,
  statefulSetTable,
} from './workload-columns.ts';

// A row function reads only fields of its own kind, and the key says which kind that is.
const TABLES: Readonly<Record<string, unknown>> = {
  'ComponentStatus.': componentStatusTable,
  'ConfigMap.': configMapTable,
  'Endpoints.': endpointsTable,
  'Event.': eventTable,
  'Namespace.': namespaceTable,
  'Node.': nodeTable,
  'PersistentVolume.': persistentVolumeTable,
  'PersistentVolumeClaim.': persistentVolumeClaimTable,
  'Pod.': podTable,
  'PodTemplate.': podTemplateTable,
  'ReplicationController.': replicationControllerTable,
  'ResourceQuota.': resourceQuotaTable,
  'Secret.': secretTable,
  'Service.': serviceTable,
  'ServiceAccount.': serviceAccountTable,
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': mutatingAdmissionPolicyTable,
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': admissionPolicyBindingTable,
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': webhookConfigurationTable,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': validatingAdmissionPolicyTable,
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': admissionPolicyBindingTable,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': webhookConfigurationTable,
  'APIService.apiregistration.k8s.io': apiServiceTable,
  'ControllerRevision.apps': controllerRevisionTable,
  'DaemonSet.apps': daemonSetTable,
  'Deployment.apps': deploymentTable,
  'ReplicaSet.apps': replicaSetTable,
  'StatefulSet.apps': statefulSetTable,
  'HorizontalPodAutoscaler.autoscaling': horizontalPodAutoscalerTable,
  'Scale.autoscaling': scaleTable,
  'CronJob.batch': cronJobTable,
  'Job.batch': jobTable,
  'CertificateSigningRequest.certificates.k8s.io': certificateSigningRequestTable,
  'Lease.coordination.k8s.io': leaseTable,
  'EndpointSlice.discovery.k8s.io': endpointSliceTable,
  'Event.events.k8s.io': eventTable,
  'FlowSchema.flowcontrol.apiserver.k8s.io': flowSchemaTable,
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': priorityLevelConfigurationTable,
  'IPAddress.networking.k8s.io': ipAddressTable,
  'Ingress.networking.k8s.io': ingressTable,
  'IngressClass.networking.k8s.io': ingressClassTable,
  'NetworkPolicy.networking.k8s.io': networkPolicyTable,
  'ServiceCIDR.networking.k8s.io': serviceCidrTable,
  'RuntimeClass.node.k8s.io': runtimeClassTable,
  'PodDisruptionBudget.policy': podDisruptionBudgetTable,
  'ClusterRoleBinding.rbac.authorization.k8s.io': roleBindingTable,
  'RoleBinding.rbac.authorization.k8s.io': roleBindingTable,
  'DeviceClass.resource.k8s.io': NAME_AGE_TABLE,
  'ResourceClaim.resource.k8s.io': resourceClaimTable,
  'ResourceClaimTemplate.resource.k8s.io': NAME_AGE_TABLE,
  'ResourceSlice.resource.k8s.io': resourceSliceTable,
  'PriorityClass.scheduling.k8s.io': priorityClassTable,
  'CSIDriver.storage.k8s.io': csiDriverTable,
  'CSINode.storage.k8s.io': csiNodeTable,
  'StorageClass.storage.k8s.io': storageClassTable,
  'VolumeAttachment.storage.k8s.io': volumeAttachmentTable,
  'VolumeAttributesClass.storage.k8s.io': volumeAttributesClassTable,
};

/** The table of a kind; kinds without one of their own print name and creation time. */
export function tableFor(kind: { readonly group: string; readonly kind: string }): TableStrategy {
  return (TABLES[`${kind.kind}.${kind.group}`] as TableStrategy | undefined) ?? DEFAULT_TABLE;
}
