import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mutable } from '@homeostat/machinery';
import type { Container, PodSpec } from '@homeostat/api/types/core-v1';
import { defaultPod } from './defaults.ts';
import { defaultPodTemplateSpec } from './pod-template.ts';

function defaulted(container: Partial<Container>, more: Partial<PodSpec> = {}): Mutable<PodSpec> {
  const spec = { containers: [{ name: 'c', image: 'img', ...container }], ...more } as Mutable<PodSpec>;
  defaultPod({ spec });
  return spec;
}

test('images are pulled always when their tag may move', () => {
  const policy = (image: string) => defaulted({ image }).containers[0]?.imagePullPolicy;
  assert.equal(policy('img'), 'Always');
  assert.equal(policy('img:latest'), 'Always');
  assert.equal(policy('img:1'), 'IfNotPresent');
  assert.equal(policy(`img@sha256:${'a'.repeat(64)}`), 'IfNotPresent');
});

test('requests of a Pod follow its limits', () => {
  const spec = defaulted({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } });
  assert.deepEqual(spec.containers[0]?.resources?.requests, { cpu: '500m', memory: '1Gi' });
});

test('requests of a template stay as they are', () => {
  const template = {
    spec: { containers: [{ name: 'c', image: 'img', resources: { limits: { cpu: '1' } } }] },
  };
  defaultPodTemplateSpec(template);
  assert.deepEqual(template.spec.containers[0]?.resources, { limits: { cpu: '1' } });
});

test('ports of the host network are ports of the host', () => {
  const spec = defaulted({ ports: [{ containerPort: 80 }] }, { hostNetwork: true });
  assert.equal(spec.containers[0]?.ports?.[0]?.hostPort, 80);
});

test('probes get their periods; a gRPC probe its service', () => {
  const spec = defaulted({ livenessProbe: { grpc: { port: 1 } } });
  assert.deepEqual(spec.containers[0]?.livenessProbe, {
    grpc: { port: 1, service: '' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
});
