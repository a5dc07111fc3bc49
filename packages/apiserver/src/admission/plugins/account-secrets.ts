// Which Secrets a Pod may use when its ServiceAccount limits them to those it lists (the annotation
// `kubernetes.io/enforce-mountable-secrets`). Pure.

import type { Container, EphemeralContainer, Pod, ServiceAccount } from '@homeostat/api/types/core-v1';

/** The first Secret of the Pod that the account does not list, as a sentence; undefined when there is none. */
export function secretProblem(pod: Pod, account: ServiceAccount): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const name = account.metadata?.name ?? '';
  const refusal = notReferenced(name);
  for (const { secret } of pod.spec?.volumes ?? []) {
    if (secret !== undefined && !listed.has(secret.secretName)) {
      return `volume with secret.secretName="${secret.secretName ?? ''}" ${refusal}`;
    }
  }
  const problem =
    containersProblem('init container', pod.spec?.initContainers, { listed, refusal }) ??
    containersProblem('container', pod.spec?.containers, { listed, refusal });
  if (problem !== undefined) return problem;
  const pullable = new Set((account.imagePullSecrets ?? []).map((each) => each.name));
  const index = (pod.spec?.imagePullSecrets ?? []).findIndex((each) => !pullable.has(each.name));
  if (index === -1) return undefined;
  const wanted = pod.spec?.imagePullSecrets?.[index]?.name ?? '';
  return `imagePullSecrets[${index}].name="${wanted}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

/** Like {@link secretProblem}, for ephemeral containers alone. */
export function ephemeralSecretProblem(pod: Pod, account: ServiceAccount): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const refusal = notReferenced(account.metadata?.name ?? '');
  return containersProblem('ephemeral container', pod.spec?.ephemeralContainers, { listed, refusal });
}

function containersProblem(
  title: string,
  containers: readonly (Container | EphemeralContainer)[] | undefined,
  rule: { readonly listed: ReadonlySet<string | undefined>; readonly refusal: string },
): string | undefined {
  for (const container of containers ?? []) {
    for (const { name, valueFrom } of container.env ?? []) {
      const ref = valueFrom?.secretKeyRef;
      if (ref === undefined || rule.listed.has(ref.name)) continue;
      return `${title} ${container.name} with envVar ${name} referencing secret.secretName="${ref.name ?? ''}" ${rule.refusal}`;
    }
    for (const { secretRef } of container.envFrom ?? []) {
      if (secretRef === undefined || rule.listed.has(secretRef.name)) continue;
      return `${title} ${container.name} with envFrom referencing secret.secretName="${secretRef.name ?? ''}" ${rule.refusal}`;
    }
  }
  return undefined;
}

function notReferenced(account: string): string {
  return `is not allowed because service account ${account} does not reference that secret`;
}
