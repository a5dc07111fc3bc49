import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '@homeostat/api/types/networking-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { ingressClassStrategy } from './ingress-class.ts';
import { ingressStrategy } from './ingress.ts';
import { ipAddressStrategy } from './ip-address.ts';
import { networkPolicyStrategy } from './network-policy.ts';
import { serviceCidrStrategy } from './service-cidr.ts';

const context = { nowMs: 0 };
const metadata = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1 };
const backend = { service: { name: 's', port: { number: 80 } } };

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function ingress(spec: object, more: object = {}): Ingress {
  return { metadata: { ...metadata, ...more }, spec } as Ingress;
}

function createIngress(spec: object, more: object = {}): readonly string[] {
  return texts(ingressStrategy.validateCreate?.(ingress(spec, more), context));
}

test('an Ingress has rules or a default backend', () => {
  assert.deepEqual(createIngress({ defaultBackend: backend }), []);
  assert.deepEqual(createIngress({}), [
    'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
  ]);
});

test("an Ingress's hosts are names and its paths are absolute", () => {
  const rule = (host: string, path: string): object => ({
    rules: [{ host, http: { paths: [{ path, pathType: 'Prefix', backend }] } }],
  });
  assert.deepEqual(createIngress(rule('*.a.b', '/x')), []);
  assert.deepEqual(createIngress(rule('1.2.3.4', '/x')), [
    'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
  ]);
  assert.deepEqual(createIngress(rule('a.b', 'x//')), [
    'spec.rules[0].http.paths[0].path: Invalid value: "x//": must be an absolute path',
    `spec.rules[0].http.paths[0].path: Invalid value: "x//": must not contain '//'`,
  ]);
});

test('the old class annotation warns, and agrees with the class', () => {
  const annotated = { annotations: { 'kubernetes.io/ingress.class': 'a' } };
  const spec = { defaultBackend: backend, ingressClassName: 'b' };
  assert.equal(ingressStrategy.warningsOnCreate?.(ingress(spec, annotated)).length, 1);
  assert.match(createIngress(spec, annotated)[0] ?? '', /must match `ingressClassName` when both are specified$/);
});

test("an IngressClass's controller is a domain path and never changes", () => {
  const old = { metadata: { name: 'c', resourceVersion: '1' }, spec: { controller: 'a.io/b' } } as IngressClass;
  assert.deepEqual(texts(ingressClassStrategy.validateCreate?.(old, context)), []);
  const other = { ...old, spec: { controller: 'a.io/c' } } as IngressClass;
  assert.match(texts(ingressClassStrategy.validateUpdate?.(other, old, context))[0] ?? '', /field is immutable$/);
});

test('a NetworkPolicy is about ingress, and about egress where it has such rules', () => {
  const types = (spec: object): unknown => {
    const draft = { spec: { podSelector: {}, ...spec } } as Mutable<NetworkPolicy>;
    networkPolicyStrategy.applyDefaults?.(draft);
    return draft.spec?.policyTypes;
  };
  assert.deepEqual(types({}), ['Ingress']);
  assert.deepEqual(types({ egress: [{}] }), ['Ingress', 'Egress']);
  assert.deepEqual(types({ egress: [{}], policyTypes: ['Egress'] }), ['Egress']);
});

test('a block of a NetworkPolicy excepts parts of itself', () => {
  const check = (ipBlock: object): readonly string[] => {
    const object = { metadata, spec: { podSelector: {}, ingress: [{ from: [{ ipBlock }] }] } } as NetworkPolicy;
    return texts(networkPolicyStrategy.validateCreate?.(object, context));
  };
  assert.deepEqual(check({ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }), []);
  const text = 'must be a strict subset of `cidr`';
  const path = 'spec.ingress[0].from[0].ipBlock.except[0]';
  assert.deepEqual(check({ cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] }), [
    `${path}: Invalid value: "10.0.0.0/8": ${text}`,
  ]);
  assert.deepEqual(check({ cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] }), [
    `${path}: Invalid value: "11.0.0.0/16": ${text}`,
  ]);
});

test('an IPAddress is named after itself', () => {
  const create = (name: string): readonly string[] => {
    const object = { metadata: { name }, spec: { parentRef: { resource: 'services', name: 's' } } } as IPAddress;
    return texts(ipAddressStrategy.validateCreate?.(object, context));
  };
  assert.deepEqual(create('10.0.0.1'), []);
  assert.deepEqual(create('2001:db8::1'), []);
  assert.equal(create('2001:db8::0:1').length, 1);
  assert.equal(create('x').length, 1);
});

test('a ServiceCIDR may only gain a range of the other family', () => {
  const cidrs = (...list: readonly string[]): ServiceCIDR =>
    ({ metadata: { name: 'c', resourceVersion: '1' }, spec: { cidrs: list } }) as ServiceCIDR;
  const update = (now: ServiceCIDR, old: ServiceCIDR): number =>
    texts(serviceCidrStrategy.validateUpdate?.(now, old, context)).length;
  const one = cidrs('10.0.0.0/16');
  assert.deepEqual(texts(serviceCidrStrategy.validateCreate?.(one, context)), []);
  assert.equal(texts(serviceCidrStrategy.validateCreate?.(cidrs('10.0.0.0/16', '10.1.0.0/16'), context)).length, 1);
  assert.equal(update(cidrs('10.0.0.0/16', '2001:db8::/64'), one), 0);
  assert.equal(update(cidrs('10.1.0.0/16'), one), 1);
  assert.equal(update(one, cidrs('10.0.0.0/16', '2001:db8::/64')), 1);
});
