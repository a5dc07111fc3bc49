// Pods as large as those of real clusters: 7.7 KB of JSON, with the env, volumes and annotations that make them so.

import type { Pod } from '@homeostat/api/types/core-v1';

export function largePod(name: string, namespace = 'default'): Pod {
  const env = Array.from({ length: 40 }, (_unused, index) => ({
    name: `SETTING_NUMBER_${index}`,
    value: `a value of ordinary length for setting ${index}, as operators write them`,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { app: 'bench', 'app.kubernetes.io/name': 'bench', 'app.kubernetes.io/part-of': 'load', tier: 'backend' },
      annotations: Object.fromEntries(
        Array.from({ length: 6 }, (_unused, index) => [`bench.example/note-${index}`, 'x'.repeat(100)]),
      ),
    },
    spec: {
      schedulerName: 'nobody',
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'main',
          image: 'registry.example/bench/main:1.2.3',
          env,
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          ports: [{ name: 'http', containerPort: 8080 }],
          readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
          livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, initialDelaySeconds: 10 },
          volumeMounts: [{ name: 'config', mountPath: '/etc/bench', readOnly: true }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: 'bench' } }],
    },
  } as unknown as Pod;
}
