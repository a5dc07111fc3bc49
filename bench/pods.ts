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

/** A scheduled Pod of about 1.5 KB, as a server shows it. */
export function smallPod(index: number, resourceVersion: number, ready = false): Pod {
  const status = ready ? 'True' : 'False';
  const at = '2026-01-01T00:00:00Z';
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `pod-${index}`,
      namespace: `namespace-${index % 100}`,
      uid: `5f0c9d0e-6c1b-4a57-9d0c-${String(index).padStart(12, '0')}`,
      resourceVersion: String(resourceVersion),
      creationTimestamp: at,
      labels: { app: `app-${index % 1000}`, 'pod-template-hash': '5d4f7c9b6d' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `app-${index % 1000}`,
          uid: `owner-${index % 1000}`,
          controller: true,
        },
      ],
    },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/bench/main:1.2.3',
          env: [
            { name: 'SETTING_A', value: 'a value of ordinary length' },
            { name: 'SETTING_B', value: 'another value of ordinary length' },
          ],
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${index % 200}`,
      schedulerName: 'default-scheduler',
    },
    status: {
      phase: 'Running',
      podIP: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status,
        lastTransitionTime: at,
      })),
    },
  } as unknown as Pod;
}
