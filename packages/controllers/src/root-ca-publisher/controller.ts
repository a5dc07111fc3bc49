// The root CA publisher: every namespace has a ConfigMap kube-root-ca.crt with the CA that signs the API server's
// certificate (spec/infrastructure.md §14). What users do to its data is put right; their labels stay.

import type { ConfigMap, Namespace } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { configMaps, namespaces } from '@homeostat/client/resources';
import { type Caches, emptyPlan, type Plan, type PlanController } from '@homeostat/runtime';

const configMapName = 'kube-root-ca.crt';
const dataKey = 'ca.crt';
const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

export interface ObservedRootCa {
  readonly namespace: Namespace;
  readonly configMap: ConfigMap | undefined;
}

export function observe(key: ObjectKey, caches: Caches): ObservedRootCa | undefined {
  const namespace = caches.lister(namespaces).getByKey(key);
  if (namespace === undefined) return undefined;
  return { namespace, configMap: caches.lister(configMaps).get(key, configMapName) };
}

/** Creates the diff for a CA bundle in PEM. */
export function createDiff(rootCa: string): (observed: ObservedRootCa) => Plan {
  return ({ namespace, configMap }) => {
    const name = namespace.metadata?.name ?? '';
    if (configMap === undefined)
      return namespace.metadata?.deletionTimestamp === undefined ? createPlan(name, rootCa) : emptyPlan;
    const keys = Object.keys(configMap.data ?? {});
    const right =
      keys.length === 1 &&
      configMap.data?.[dataKey] === rootCa &&
      (configMap.metadata?.annotations?.[descriptionAnnotation] ?? '') !== '';
    return right ? emptyPlan : updatePlan(name, configMap, rootCa);
  };
}

function createPlan(namespace: string, rootCa: string): Plan {
  return {
    steps: [
      {
        actions: [
          {
            verb: 'create',
            resource: configMaps,
            namespace,
            object: {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: configMapName, namespace, annotations: { [descriptionAnnotation]: description } },
              data: { [dataKey]: rootCa },
            } as ConfigMap,
            tolerates: ['NotFound', 'NamespaceTerminating'],
            reason: 'RootCaMissing',
            facts: {},
          },
        ],
      },
    ],
  };
}

function updatePlan(namespace: string, configMap: ConfigMap, rootCa: string): Plan {
  const object = {
    ...configMap,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...configMap.metadata,
      annotations: { ...configMap.metadata?.annotations, [descriptionAnnotation]: description },
    },
    data: { [dataKey]: rootCa },
  } as ConfigMap;
  const facts = { keys: Object.keys(configMap.data ?? {}) };
  return {
    steps: [
      {
        actions: [
          {
            verb: 'update',
            resource: configMaps,
            namespace,
            name: configMapName,
            object,
            reason: 'RootCaDiffers',
            facts,
          },
        ],
      },
    ],
  };
}

export interface RootCaPublisherOptions {
  /** CA bundle, PEM. */
  readonly rootCa: string;
}

/** Creates the definition; the manager runs it. */
export function createRootCaPublisher(options: RootCaPublisherOptions): PlanController<ObservedRootCa> {
  return {
    name: 'root-ca-certificate-publisher-controller',
    for: { resource: namespaces },
    watches: [
      {
        resource: configMaps,
        wakes: (change) =>
          change.object.metadata?.name === configMapName && change.type !== 'added'
            ? [change.object.metadata.namespace ?? '']
            : [],
      },
    ],
    observe,
    diff: createDiff(options.rootCa),
  };
}
