// Ingress (networking.k8s.io/v1).

import type {
  HTTPIngressPath,
  Ingress,
  IngressLoadBalancerStatus,
  IngressRule,
  IngressSpec,
  IngressTLS,
} from '@homeostat/api/types/networking-v1';
import {
  type FieldError,
  FieldPath,
  invalid,
  isDns1123Subdomain,
  isWildcardDns1123Subdomain,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { parseIpSloppy, validateIp } from '../rules/addresses.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateBackend } from './ingress-backend.ts';

const classAnnotation = 'kubernetes.io/ingress.class';
const specPath = new FieldPath('spec');
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badSequences = ['//', '/./', '/../', '%2f', '%2F'];
const badSuffixes = ['/..', '/.'];

export const ingressStrategy: KindStrategy<Ingress> = standardStrategy<Ingress>({
  kind: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' },
  namespaced: true,
  generationFields: ['spec'],
  status: true,
  validate(object, errors, old) {
    validateIngressSpec(object.spec ?? {}, old?.spec, specPath, errors);
    if (old === undefined) validateClassAnnotation(object, errors);
  },
  validateStatus(object, old, errors) {
    const path = new FieldPath('status.loadBalancer.ingress');
    validateBalancer(object.status?.loadBalancer, old.status?.loadBalancer, path, errors);
  },
  more: {
    warningsOnCreate: (object) =>
      object.metadata?.annotations?.[classAnnotation] === undefined
        ? []
        : [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`],
  },
});

function validateClassAnnotation(object: Ingress, errors: FieldError[]): void {
  const annotation = object.metadata?.annotations?.[classAnnotation];
  const className = object.spec?.ingressClassName;
  if (annotation === undefined || className === undefined || annotation === className) return;
  const path = new FieldPath('annotations').child(classAnnotation);
  errors.push(invalid(path, annotation, 'must match `ingressClassName` when both are specified'));
}

function validateIngressSpec(
  spec: IngressSpec,
  old: IngressSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    errors.push(invalid(path, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (spec.defaultBackend !== undefined) validateBackend(spec.defaultBackend, path.child('defaultBackend'), errors);
  for (const [index, rule] of rules.entries()) validateRule(rule, path.child('rules').index(index), errors);
  const badSecretsInUse = (old?.tls ?? []).some((tls) => secretErrors(tls).length > 0);
  for (const [index, tls] of (spec.tls ?? []).entries()) {
    validateTls(tls, badSecretsInUse, path.child('tls').index(index), errors);
  }
  const className = spec.ingressClassName;
  if (className !== undefined) {
    pushInvalid(nameIsDnsSubdomain(className, false), className, path.child('ingressClassName'), errors);
  }
}

function validateRule(rule: IngressRule, path: FieldPath, errors: FieldError[]): void {
  const host = rule.host ?? '';
  if (host !== '') {
    const at = path.child('host');
    if (parseIpSloppy(host) !== undefined) errors.push(invalid(at, host, 'must be a DNS name, not an IP address'));
    pushInvalid(hostErrors(host), host, at, errors);
  }
  if (rule.http === undefined) return;
  const paths = rule.http.paths ?? [];
  const at = path.child('http', 'paths');
  if (paths.length === 0) errors.push(required(at));
  for (const [index, httpPath] of paths.entries()) validateHttpPath(httpPath, at.index(index), errors);
}

function hostErrors(host: string): readonly string[] {
  return host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
}

function validateHttpPath(httpPath: HTTPIngressPath, path: FieldPath, errors: FieldError[]): void {
  const type = httpPath.pathType;
  if (type === undefined) {
    errors.push(required(path.child('pathType'), 'pathType must be specified'));
    return;
  }
  const text = httpPath.path ?? '';
  const at = path.child('path');
  switch (type) {
    case 'Exact':
    case 'Prefix':
      if (!text.startsWith('/')) errors.push(invalid(at, text, 'must be an absolute path'));
      for (const part of badSequences) {
        if (text.includes(part)) errors.push(invalid(at, text, `must not contain '${part}'`));
      }
      for (const suffix of badSuffixes) {
        if (text.endsWith(suffix)) errors.push(invalid(at, text, `cannot end with '${suffix}'`));
      }
      break;
    case 'ImplementationSpecific':
      if (text !== '' && !text.startsWith('/')) errors.push(invalid(at, text, 'must be an absolute path'));
      break;
    default:
      errors.push(notSupported(path.child('pathType'), type, pathTypes));
  }
  validateBackend(httpPath.backend ?? {}, path.child('backend'), errors);
}

function validateTls(tls: IngressTLS, badSecretsInUse: boolean, path: FieldPath, errors: FieldError[]): void {
  for (const [index, host] of (tls.hosts ?? []).entries()) {
    pushInvalid(hostErrors(host), host, path.child('hosts').index(index), errors);
  }
  if (!badSecretsInUse) pushInvalid(secretErrors(tls), tls.secretName, path.child('secretName'), errors);
}

function secretErrors(tls: IngressTLS): readonly string[] {
  return (tls.secretName ?? '') === '' ? [] : nameIsDnsSubdomain(tls.secretName ?? '', false);
}

function validateBalancer(
  status: IngressLoadBalancerStatus | undefined,
  old: IngressLoadBalancerStatus | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const oldIps = (old?.ingress ?? []).map((entry) => entry.ip ?? '');
  for (const [index, { ip = '', hostname = '' }] of (status?.ingress ?? []).entries()) {
    const at = path.index(index);
    if (ip !== '') validateIp(ip, at.child('ip'), errors, oldIps);
    if (hostname === '') continue;
    pushInvalid(isDns1123Subdomain(hostname), hostname, at.child('hostname'), errors);
    if (parseIpSloppy(hostname) !== undefined) {
      errors.push(invalid(at.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
    }
  }
}
