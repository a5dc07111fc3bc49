import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceSpec } from '@homeostat/api/types/core-v1';
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
} from './services.ts';

test('the type of a Service says what it needs', () => {
  const table: readonly (readonly [ServiceSpec, string])[] = [
    [{ type: 'ClusterIP' }, 'ip'],
    [{ type: 'ClusterIP', externalIPs: ['192.0.2.1'] }, 'ip external'],
    [{ type: 'ClusterIP', clusterIPs: ['None'] }, 'headless ip'],
    [{ type: 'NodePort' }, 'ip ports external'],
    [{ type: 'LoadBalancer' }, 'ip ports external'],
    [{ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, 'ip ports health external'],
    [{ type: 'ExternalName' }, ''],
  ];
  for (const [spec, expected] of table) {
    const service = { spec };
    const needs = [
      isHeadless(service) ? 'headless' : '',
      needsClusterIp(service) ? 'ip' : '',
      needsNodePorts(service) ? 'ports' : '',
      needsHealthCheckPort(service) ? 'health' : '',
      isExternallyAccessible(service) ? 'external' : '',
    ];
    assert.equal(needs.filter((need) => need !== '').join(' '), expected, JSON.stringify(spec));
  }
});
