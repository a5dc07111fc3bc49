// Validation of Services, apart from addresses and ports that the allocator knows about.
// Follows spec/apiserver.md §13.3 and §13.5.

import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  isPortNumber,
  isQualifiedName,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { Service, ServicePort, ServiceSpec, SessionAffinityConfig } from '@homeostat/api/types/core-v1';
import { isExternallyAccessible, isHeadless, needsHealthCheckPort } from '../../../meaning/services.ts';
import { structByName } from '../../../scheme/scheme.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { validatePortNumberOrName, validateProtocol } from '../../pod-spec/ports.ts';
import { validateCidr, validateEndpointIp, validateIp } from '../../rules/addresses.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { validateLabels } from '../../rules/labels.ts';
import { nameIsDnsLabel } from '../../rules/names.ts';
import { pushInvalid, validateSupported } from '../../rules/values.ts';
import { validateClusterIps, validateClusterIpsUpdate, validateIpFamiliesUpdate } from './cluster-ips.ts';

const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

export function validateServiceCreate(service: Service): FieldError[] {
  const errors = validateKubeObjectMeta(
    service.metadata ?? {},
    { namespaced: true, name: nameIsDnsLabel },
    metadataPath,
  );
  validateService(service, undefined, errors);
  return errors;
}

export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const errors = validateKubeObjectMetaUpdate(service.metadata ?? {}, old.metadata ?? {}, metadataPath);
  validateClusterIpsUpdate(service, old, errors);
  validateIpFamiliesUpdate(service, old, errors);
  validateLoadBalancerClass(service, old, errors);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(service)) {
    if ((service.spec?.healthCheckNodePort ?? 0) !== (old.spec?.healthCheckNodePort ?? 0)) {
      errors.push(forbidden(specPath.child('healthCheckNodePort'), 'field is immutable'));
    }
  }
  validateService(service, old, errors);
  return errors;
}

function validateService(service: Service, old: Service | undefined, errors: FieldError[]): void {
  const spec = service.spec ?? {};
  validateTopologyAnnotations(service, errors);
  const portsPath = specPath.child('ports');
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(service) && spec.type !== 'ExternalName') errors.push(required(portsPath));
  validateType(service, spec, errors);
  const names = new Set<string>();
  for (const [index, port] of ports.entries())
    validatePort(port, ports.length > 1, names, portsPath.index(index), errors);
  validateLabels(spec.selector, specPath.child('selector'), errors);
  validateSessionAffinity(spec, errors);
  validateClusterIps(service, old, errors);
  const externalPath = specPath.child('externalIPs');
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const before = errors.length;
    validateIp(ip, externalPath.index(index), errors, old?.spec?.externalIPs);
    if (errors.length === before) validateEndpointIp(ip, externalPath.index(index), errors);
  }
  const type: string = spec.type ?? '';
  if (type === '') errors.push(required(specPath.child('type')));
  else validateSupported(type, serviceTypes, specPath.child('type'), errors);
  validatePortsTogether(spec, portsPath, errors);
  validateSourceRanges(service, old, errors);
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer') {
    errors.push(forbidden(specPath.child('allocateLoadBalancerNodePorts'), onlyLoadBalancers));
  }
  if (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === undefined) {
    errors.push(required(new FieldPath('allocateLoadBalancerNodePorts')));
  }
  validateLoadBalancerClass(service, undefined, errors);
  validateTrafficPolicies(service, spec, errors);
}

function validateTopologyAnnotations(service: Service, errors: FieldError[]): void {
  const hintsKey = 'service.kubernetes.io/topology-aware-hints';
  const modeKey = 'service.kubernetes.io/topology-mode';
  const hints = service.metadata?.annotations?.[hintsKey];
  const mode = service.metadata?.annotations?.[modeKey];
  if (hints === undefined || mode === undefined || hints === mode) return;
  const at = metadataPath.child('annotations').key(modeKey);
  errors.push(invalid(at, mode, `must match annotations[${hintsKey}] when both are specified`));
}

function validateType(service: Service, spec: ServiceSpec, errors: FieldError[]): void {
  const { type } = spec;
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(service)) {
    const at = specPath.child('clusterIPs').index(0);
    errors.push(invalid(at, spec.clusterIPs?.[0], `may not be set to 'None' for ${type} services`));
  }
  if (type !== 'ExternalName') return;
  const text = 'may not be set for ExternalName services';
  if ((spec.clusterIPs ?? []).length > 0) errors.push(forbidden(specPath.child('clusterIPs'), text));
  if ((spec.ipFamilies ?? []).length > 0) errors.push(forbidden(specPath.child('ipFamilies'), text));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden(specPath.child('ipFamilyPolicy'), text));
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  const at = specPath.child('externalName');
  if (name === '') errors.push(required(at));
  else pushInvalid(isDns1123Subdomain(name), name, at, errors);
}

function validatePort(
  port: Partial<ServicePort>,
  needsName: boolean,
  names: Set<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { name = '', port: number = 0, appProtocol } = port;
  if (name !== '') {
    pushInvalid(isDns1123Label(name), name, path.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(path.child('name'), name));
    names.add(name);
  } else if (needsName) errors.push(required(path.child('name')));
  pushInvalid(isPortNumber(number), number, path.child('port'), errors);
  validateProtocol(port.protocol ?? '', path.child('protocol'), errors);
  validatePortNumberOrName(port.targetPort ?? 0, path.child('targetPort'), errors);
  if (appProtocol !== undefined)
    pushInvalid(isQualifiedName(appProtocol), appProtocol, path.child('appProtocol'), errors);
}

const affinitySecondsMax = 86_400;

function validateSessionAffinity(spec: ServiceSpec, errors: FieldError[]): void {
  const affinity: string = spec.sessionAffinity ?? '';
  const path = specPath.child('sessionAffinity');
  const configPath = specPath.child('sessionAffinityConfig');
  if (affinity === '') errors.push(required(path));
  else validateSupported(affinity, ['ClientIP', 'None'], path, errors);
  if (affinity === 'ClientIP') validateClientIp(spec.sessionAffinityConfig, configPath, errors);
  else if (affinity === 'None' && spec.sessionAffinityConfig !== undefined) {
    errors.push(forbidden(configPath, 'must not be set when session affinity is None'));
  }
}

function validateClientIp(config: SessionAffinityConfig | undefined, path: FieldPath, errors: FieldError[]): void {
  const text = 'when session affinity type is ClientIP';
  const seconds = config?.clientIP?.timeoutSeconds;
  if (config === undefined) errors.push(required(path, text));
  else if (config.clientIP === undefined) errors.push(required(path.child('clientIP'), text));
  else if (seconds === undefined) errors.push(required(path.child('clientIP', 'timeoutSeconds'), text));
  else if (seconds <= 0 || seconds > affinitySecondsMax) {
    const bounds = `must be greater than 0 and less than ${affinitySecondsMax}`;
    errors.push(invalid(path.child('clientIP', 'timeoutSeconds'), seconds, bounds));
  }
}

const portSchema = structByName('io.k8s.api.core.v1.ServicePort');

function validatePortsTogether(spec: ServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const ports = spec.ports ?? [];
  if (spec.type === 'ClusterIP') {
    for (const [index, { nodePort = 0 }] of ports.entries()) {
      if (nodePort === 0) continue;
      errors.push(forbidden(path.index(index).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    }
  }
  const nodePorts = new Set<string>();
  for (const [index, { protocol = '', nodePort = 0 }] of ports.entries()) {
    if (nodePort === 0) continue;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(path.index(index).child('nodePort'), nodePort));
    nodePorts.add(key);
  }
  const numbers = new Set<string>();
  for (const [index, { protocol, port }] of ports.entries()) {
    const key = `${protocol ?? ''}/${port}`;
    if (numbers.has(key)) errors.push(duplicate(path.index(index), toGoStruct({ protocol, port }, portSchema)));
    numbers.add(key);
  }
}

function validateSourceRanges(service: Service, old: Service | undefined, errors: FieldError[]): void {
  const ranges = service.spec?.loadBalancerSourceRanges ?? [];
  const annotation = service.metadata?.annotations?.[sourceRangesAnnotation];
  const isLoadBalancer = service.spec?.type === 'LoadBalancer';
  if (ranges.length > 0) {
    const path = specPath.child('LoadBalancerSourceRanges');
    if (!isLoadBalancer) errors.push(forbidden(path, onlyLoadBalancers));
    const oldRanges = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [index, range] of ranges.entries()) validateCidr(range.trim(), path.index(index), errors, oldRanges);
    return;
  }
  if (annotation === undefined) return;
  const path = metadataPath.child('annotations').key(sourceRangesAnnotation);
  if (!isLoadBalancer) errors.push(forbidden(path, onlyLoadBalancers));
  if (annotation === old?.metadata?.annotations?.[sourceRangesAnnotation] || annotation.trim() === '') return;
  for (const range of annotation.trim().split(',')) validateCidr(range.trim(), path, errors);
}

function validateLoadBalancerClass(service: Service, old: Service | undefined, errors: FieldError[]): void {
  const name = service.spec?.loadBalancerClass;
  const path = specPath.child('loadBalancerClass');
  const isLoadBalancer = service.spec?.type === 'LoadBalancer';
  if (isLoadBalancer && old?.spec?.type === 'LoadBalancer' && name !== old.spec.loadBalancerClass) {
    errors.push(invalid(path, name ?? null, 'may not change once set'));
  }
  if (name === undefined) return;
  if (isLoadBalancer) pushInvalid(isQualifiedName(name), name, path, errors);
  else errors.push(forbidden(path, onlyLoadBalancers));
}

const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

function validateTrafficPolicies(service: Service, spec: ServiceSpec, errors: FieldError[]): void {
  const policies = ['Cluster', 'Local'];
  const external: string = spec.externalTrafficPolicy ?? '';
  const externalPath = specPath.child('externalTrafficPolicy');
  if (!isExternallyAccessible(service)) {
    if (external !== '')
      errors.push(invalid(externalPath, external, 'may only be set for externally-accessible services'));
  } else if (external === '') errors.push(required(externalPath));
  else validateSupported(external, policies, externalPath, errors);
  validateHealthCheckPort(service, specPath.child('healthCheckNodePort'), errors);
  const internal: string | undefined = spec.internalTrafficPolicy;
  const internalPath = specPath.child('internalTrafficPolicy');
  if (internal !== undefined) validateSupported(internal, policies, internalPath, errors);
  else if (spec.type !== undefined && spec.type !== 'ExternalName' && serviceTypes.includes(spec.type)) {
    errors.push(required(internalPath));
  }
  const distribution = spec.trafficDistribution;
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.push(notSupported(specPath.child('trafficDistribution'), distribution, distributions));
  }
}

function validateHealthCheckPort(service: Service, path: FieldPath, errors: FieldError[]): void {
  const port = service.spec?.healthCheckNodePort ?? 0;
  if (!needsHealthCheckPort(service)) {
    if (port === 0) return;
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid(path, port, text));
  } else if (port === 0) errors.push(required(path));
  else pushInvalid(isPortNumber(port), port, path, errors);
}
