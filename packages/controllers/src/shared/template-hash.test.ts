// templateHash against values of real clusters (spec/workloads.md Appendix A.2).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { templateHash } from './template-hash.ts';

function template(image: string): PodTemplateSpec {
  return {
    metadata: { labels: { app: 'nginx' } },
    spec: {
      containers: [
        {
          name: 'nginx',
          image,
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    },
  };
}

test('templateHash() equals upstream 1.36 for no collision and for counted ones', () => {
  const of = (image: string): string[] => [undefined, 0, 1, 2].map((count) => templateHash(template(image), count));
  assert.deepEqual(of('nginx:1.14.2'), ['6c5f67b5f7', '5c649576f', '6f4479b5f6', '77497cb5f9']);
  assert.deepEqual(of('nginx:1.16.1'), ['66b9cb6d4d', '6747bcc5cb', '7dc477fb4f', '5586478c8b']);
});
