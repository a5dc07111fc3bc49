// What the story is about: a Deployment and its Service.

import type { Deployment } from '@homeostat/api/types/apps-v1';
import type { Service } from '@homeostat/api/types/core-v1';

export const namespace = 'default';
export const labels = { app: 'web' } as const;

/** Three replicas that leave a silent node after `tolerationSeconds`. */
export function webDeployment(tolerationSeconds: number): Deployment {
  const tolerate = (key: string): object => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'web', image: 'nginx:1.29', ports: [{ containerPort: 80 }] }],
          tolerations: [tolerate('node.kubernetes.io/not-ready'), tolerate('node.kubernetes.io/unreachable')],
          terminationGracePeriodSeconds: 1,
        },
      },
    },
  } as unknown as Deployment;
}

export const webService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace },
  spec: { selector: labels, ports: [{ port: 80 }] },
} as unknown as Service;
