// Services. Addresses and node ports are allocated around the write by the API server's allocator.

import { FieldPath, type Mutable, quote } from '@homeostat/machinery';
import type { Service, ServiceSpec } from '@homeostat/api/types/core-v1';
import { isExternallyAccessible } from '../../../meaning/services.ts';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { warningsForCidr, warningsForIp } from '../../rules/addresses.ts';
import { keepField } from '../../update-parts.ts';
import { dropTypeDependentFields } from './linked-fields.ts';
import { validateLoadBalancerStatus } from './load-balancer-status.ts';
import { validateServiceCreate, validateServiceUpdate } from './validation.ts';

const specPath = new FieldPath('spec');
const balancerPath = new FieldPath('status').child('loadBalancer');

export const serviceStrategy: KindStrategy<Service> = {
  nameRule: 'label',
  allowCreateOnUpdate: true,
  resetFields: [['status']],
  applyDefaults(draft) {
    const spec = (draft.spec ??= {});
    defaultSpec(spec);
    if (spec.type !== 'LoadBalancer') return;
    for (const ingress of draft.status?.loadBalancer?.ingress ?? []) {
      if ((ingress.ip ?? '') !== '') ingress.ipMode ??= 'VIP';
    }
  },
  prepareForCreate(draft) {
    draft.status = { loadBalancer: {} };
  },
  validateCreate: validateServiceCreate,
  warningsOnCreate: warningsFor,
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropTypeDependentFields(draft, old);
  },
  validateUpdate: validateServiceUpdate,
  warningsOnUpdate: warningsFor,
  canonicalize({ spec }) {
    // Left over when the type changed. Upstream stores it and hides it from readers.
    if (spec?.type === 'ExternalName') delete spec.internalTrafficPolicy;
  },
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate: (draft, old) => keepField(draft, old, 'spec'),
      validateUpdate(service, old) {
        const errors = validateKubeObjectMetaUpdate(
          service.metadata ?? {},
          old.metadata ?? {},
          new FieldPath('metadata'),
        );
        const balancer = service.status?.loadBalancer;
        validateLoadBalancerStatus(balancer, old.status?.loadBalancer, service.spec ?? {}, balancerPath, errors);
        return errors;
      },
      warningsOnUpdate: (service) =>
        (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }, index) =>
          ip === '' ? [] : warningsForIp(balancerPath.child('ingress').index(index), ip),
        ),
    },
  },
  selectableFields: (service) => ({
    'spec.clusterIP': service.spec?.clusterIP ?? '',
    'spec.type': service.spec?.type ?? '',
  }),
  fieldLabels: ['spec.clusterIP', 'spec.type'],
};

const affinitySecondsDefault = 10_800;

function defaultSpec(spec: Mutable<ServiceSpec>): void {
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySecondsDefault } };
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    port.targetPort ||= port.port ?? 0;
  }
  if (isExternallyAccessible({ spec: spec as ServiceSpec })) spec.externalTrafficPolicy ||= 'Cluster';
  const isKnown = ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.type);
  if (isKnown) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

function warningsFor(service: Service): readonly string[] {
  const spec = service.spec ?? {};
  const { type, externalIPs = [], loadBalancerIP = '', clusterIPs = [] } = spec;
  const headless = type === 'ClusterIP' && spec.clusterIP === 'None';
  const hasIp = (spec.clusterIP ?? '') !== '' && spec.clusterIP !== 'None';
  const hintsKey = 'service.kubernetes.io/topology-aware-hints';
  const at = (field: string, index: number): FieldPath => specPath.child(field).index(index);
  const when = (condition: boolean, text: string): readonly string[] => (condition ? [text] : []);
  return [
    ...when(
      service.metadata?.annotations?.[hintsKey] !== undefined,
      `annotation ${hintsKey} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ),
    ...(hasIp ? clusterIPs.flatMap((ip, index) => warningsForIp(at('clusterIPs', index), ip)) : []),
    ...when(headless && loadBalancerIP !== '', 'spec.loadBalancerIP is ignored for headless services'),
    ...when(headless && externalIPs.length > 0, 'spec.externalIPs is ignored for headless services'),
    ...when(headless && spec.sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services'),
    ...externalIPs.flatMap((ip, index) => warningsForIp(at('externalIPs', index), ip)),
    ...when(
      externalIPs.length > 0 && !headless && type !== 'ExternalName',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...(loadBalancerIP === '' ? [] : warningsForIp(specPath.child('loadBalancerIP'), loadBalancerIP)),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) =>
      warningsForCidr(at('loadBalancerSourceRanges', index), range),
    ),
    ...when(
      type === 'ExternalName' && externalIPs.length > 0,
      `spec.externalIPs is ignored when spec.type is ${quote('ExternalName')}`,
    ),
    ...when(
      type !== 'ExternalName' && (spec.externalName ?? '') !== '',
      `spec.externalName is ignored when spec.type is not ${quote('ExternalName')}`,
    ),
    ...when(
      spec.trafficDistribution === 'PreferClose',
      `spec.trafficDistribution: ${quote('PreferClose')} is deprecated; use ${quote('PreferSameZone')}`,
    ),
  ];
}
