// The built-in resources that are stored, each in the version that new code should speak, as typed names. `resources.test.ts`
// compares them with the table of `@homeostat/api`.

import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { APIService } from '@homeostat/api/types/apiregistration-v1';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@homeostat/api/types/apps-v1';
import type { HorizontalPodAutoscaler } from '@homeostat/api/types/autoscaling-v2';
import type { CronJob, Job } from '@homeostat/api/types/batch-v1';
import type { CertificateSigningRequest } from '@homeostat/api/types/certificates-v1';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import type {
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import type { FlowSchema, PriorityLevelConfiguration } from '@homeostat/api/types/flowcontrol-v1';
import type { IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR } from '@homeostat/api/types/networking-v1';
import type { RuntimeClass } from '@homeostat/api/types/node-v1';
import type { PodDisruptionBudget } from '@homeostat/api/types/policy-v1';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@homeostat/api/types/rbac-v1';
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '@homeostat/api/types/resource-v1';
import type { PriorityClass } from '@homeostat/api/types/scheduling-v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@homeostat/api/types/storage-v1';
import { resourceType } from './resource/resource-type.ts';

const core = { group: '', version: 'v1' } as const;
export const configMaps = resourceType<ConfigMap>({
  ...core,
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
});
export const endpoints = resourceType<Endpoints>({
  ...core,
  resource: 'endpoints',
  kind: 'Endpoints',
  namespaced: true,
});
export const events = resourceType<Event>({ ...core, resource: 'events', kind: 'Event', namespaced: true });
export const limitRanges = resourceType<LimitRange>({
  ...core,
  resource: 'limitranges',
  kind: 'LimitRange',
  namespaced: true,
});
export const namespaces = resourceType<Namespace>({
  ...core,
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
});
export const nodes = resourceType<Node>({ ...core, resource: 'nodes', kind: 'Node', namespaced: false });
export const persistentVolumeClaims = resourceType<PersistentVolumeClaim>({
  ...core,
  resource: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
});
export const persistentVolumes = resourceType<PersistentVolume>({
  ...core,
  resource: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
});
export const pods = resourceType<Pod>({ ...core, resource: 'pods', kind: 'Pod', namespaced: true });
export const podTemplates = resourceType<PodTemplate>({
  ...core,
  resource: 'podtemplates',
  kind: 'PodTemplate',
  namespaced: true,
});
export const replicationControllers = resourceType<ReplicationController>({
  ...core,
  resource: 'replicationcontrollers',
  kind: 'ReplicationController',
  namespaced: true,
});
export const resourceQuotas = resourceType<ResourceQuota>({
  ...core,
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
});
export const secrets = resourceType<Secret>({ ...core, resource: 'secrets', kind: 'Secret', namespaced: true });
export const serviceAccounts = resourceType<ServiceAccount>({
  ...core,
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
});
export const services = resourceType<Service>({ ...core, resource: 'services', kind: 'Service', namespaced: true });

const apiregistration = { group: 'apiregistration.k8s.io', version: 'v1' } as const;
export const apiServices = resourceType<APIService>({
  ...apiregistration,
  resource: 'apiservices',
  kind: 'APIService',
  namespaced: false,
});

const apps = { group: 'apps', version: 'v1' } as const;
export const controllerRevisions = resourceType<ControllerRevision>({
  ...apps,
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
});
export const daemonSets = resourceType<DaemonSet>({
  ...apps,
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
});
export const deployments = resourceType<Deployment>({
  ...apps,
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
});
export const replicaSets = resourceType<ReplicaSet>({
  ...apps,
  resource: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
});
export const statefulSets = resourceType<StatefulSet>({
  ...apps,
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
});

const autoscaling = { group: 'autoscaling', version: 'v2' } as const;
export const horizontalPodAutoscalers = resourceType<HorizontalPodAutoscaler>({
  ...autoscaling,
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
});

const batch = { group: 'batch', version: 'v1' } as const;
export const cronJobs = resourceType<CronJob>({ ...batch, resource: 'cronjobs', kind: 'CronJob', namespaced: true });
export const jobs = resourceType<Job>({ ...batch, resource: 'jobs', kind: 'Job', namespaced: true });

const certificates = { group: 'certificates.k8s.io', version: 'v1' } as const;
export const certificateSigningRequests = resourceType<CertificateSigningRequest>({
  ...certificates,
  resource: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
});

const networking = { group: 'networking.k8s.io', version: 'v1' } as const;
export const ingressClasses = resourceType<IngressClass>({
  ...networking,
  resource: 'ingressclasses',
  kind: 'IngressClass',
  namespaced: false,
});
export const ingresses = resourceType<Ingress>({
  ...networking,
  resource: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
});
export const ipAddresses = resourceType<IPAddress>({
  ...networking,
  resource: 'ipaddresses',
  kind: 'IPAddress',
  namespaced: false,
});
export const networkPolicies = resourceType<NetworkPolicy>({
  ...networking,
  resource: 'networkpolicies',
  kind: 'NetworkPolicy',
  namespaced: true,
});
export const serviceCIDRs = resourceType<ServiceCIDR>({
  ...networking,
  resource: 'servicecidrs',
  kind: 'ServiceCIDR',
  namespaced: false,
});

const policy = { group: 'policy', version: 'v1' } as const;
export const podDisruptionBudgets = resourceType<PodDisruptionBudget>({
  ...policy,
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
});

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
export const clusterRoleBindings = resourceType<ClusterRoleBinding>({
  ...rbac,
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
});
export const clusterRoles = resourceType<ClusterRole>({
  ...rbac,
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
});
export const roleBindings = resourceType<RoleBinding>({
  ...rbac,
  resource: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
});
export const roles = resourceType<Role>({ ...rbac, resource: 'roles', kind: 'Role', namespaced: true });

const storage = { group: 'storage.k8s.io', version: 'v1' } as const;
export const csiDrivers = resourceType<CSIDriver>({
  ...storage,
  resource: 'csidrivers',
  kind: 'CSIDriver',
  namespaced: false,
});
export const csiNodes = resourceType<CSINode>({ ...storage, resource: 'csinodes', kind: 'CSINode', namespaced: false });
export const csiStorageCapacities = resourceType<CSIStorageCapacity>({
  ...storage,
  resource: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  namespaced: true,
});
export const storageClasses = resourceType<StorageClass>({
  ...storage,
  resource: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
});
export const volumeAttachments = resourceType<VolumeAttachment>({
  ...storage,
  resource: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
});
export const volumeAttributesClasses = resourceType<VolumeAttributesClass>({
  ...storage,
  resource: 'volumeattributesclasses',
  kind: 'VolumeAttributesClass',
  namespaced: false,
});

const admissionregistration = { group: 'admissionregistration.k8s.io', version: 'v1' } as const;
export const mutatingAdmissionPolicies = resourceType<MutatingAdmissionPolicy>({
  ...admissionregistration,
  resource: 'mutatingadmissionpolicies',
  kind: 'MutatingAdmissionPolicy',
  namespaced: false,
});
export const mutatingAdmissionPolicyBindings = resourceType<MutatingAdmissionPolicyBinding>({
  ...admissionregistration,
  resource: 'mutatingadmissionpolicybindings',
  kind: 'MutatingAdmissionPolicyBinding',
  namespaced: false,
});
export const mutatingWebhookConfigurations = resourceType<MutatingWebhookConfiguration>({
  ...admissionregistration,
  resource: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
});
export const validatingAdmissionPolicies = resourceType<ValidatingAdmissionPolicy>({
  ...admissionregistration,
  resource: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  namespaced: false,
});
export const validatingAdmissionPolicyBindings = resourceType<ValidatingAdmissionPolicyBinding>({
  ...admissionregistration,
  resource: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  namespaced: false,
});
export const validatingWebhookConfigurations = resourceType<ValidatingWebhookConfiguration>({
  ...admissionregistration,
  resource: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
});

const apiextensions = { group: 'apiextensions.k8s.io', version: 'v1' } as const;
export const customResourceDefinitions = resourceType<CustomResourceDefinition>({
  ...apiextensions,
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
});

const scheduling = { group: 'scheduling.k8s.io', version: 'v1' } as const;
export const priorityClasses = resourceType<PriorityClass>({
  ...scheduling,
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
});

const coordination = { group: 'coordination.k8s.io', version: 'v1' } as const;
export const leases = resourceType<Lease>({ ...coordination, resource: 'leases', kind: 'Lease', namespaced: true });

const nodeGroup = { group: 'node.k8s.io', version: 'v1' } as const;
export const runtimeClasses = resourceType<RuntimeClass>({
  ...nodeGroup,
  resource: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
});

const discovery = { group: 'discovery.k8s.io', version: 'v1' } as const;
export const endpointSlices = resourceType<EndpointSlice>({
  ...discovery,
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
});

const resourceGroup = { group: 'resource.k8s.io', version: 'v1' } as const;
export const deviceClasses = resourceType<DeviceClass>({
  ...resourceGroup,
  resource: 'deviceclasses',
  kind: 'DeviceClass',
  namespaced: false,
});
export const resourceClaims = resourceType<ResourceClaim>({
  ...resourceGroup,
  resource: 'resourceclaims',
  kind: 'ResourceClaim',
  namespaced: true,
});
export const resourceClaimTemplates = resourceType<ResourceClaimTemplate>({
  ...resourceGroup,
  resource: 'resourceclaimtemplates',
  kind: 'ResourceClaimTemplate',
  namespaced: true,
});
export const resourceSlices = resourceType<ResourceSlice>({
  ...resourceGroup,
  resource: 'resourceslices',
  kind: 'ResourceSlice',
  namespaced: false,
});

const flowcontrol = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' } as const;
export const flowSchemas = resourceType<FlowSchema>({
  ...flowcontrol,
  resource: 'flowschemas',
  kind: 'FlowSchema',
  namespaced: false,
});
export const priorityLevelConfigurations = resourceType<PriorityLevelConfiguration>({
  ...flowcontrol,
  resource: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
  namespaced: false,
});
