// ServiceAccount: every Pod runs as an account of its namespace, with that account's pull secrets and a volume with its
// token, CA certificate and namespace (spec/apiserver.md §15.2). Secrets are limited only for accounts that ask for it.

import type { Container, Pod, ServiceAccount as Account } from '@homeostat/api/types/core-v1';
import { type Mutable, randomSuffix } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { isMirrorPod, podSecretNames } from '../../authorization/node/pod-references.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, resourceText } from '../admission-host.ts';
import { waitForObject } from '../wait-for-object.ts';
import { ephemeralSecretProblem, secretProblem } from './account-secrets.ts';

const defaultAccount = 'default';
const volumePrefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Lifetime of the mounted token; the odd seconds mark it as one the server extends. */
const tokenExpirationSeconds = 3607;
/** How long a Pod waits for its namespace's default account. */
const defaultAccountWaitMs = 1_000;

type PodSpec = NonNullable<Mutable<Pod>['spec']>;

export class ServiceAccount implements AdmissionPlugin {
  readonly name = 'ServiceAccount';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isPodWrite(attributes) || attributes.operation !== 'CREATE') return;
    const pod = attributes.object as Mutable<Pod>;
    if (pod.spec === undefined || isMirrorPod(pod)) return this.validate(attributes);
    const { spec } = pod;
    spec.serviceAccountName ||= defaultAccount;
    spec.serviceAccount = spec.serviceAccountName;
    const account = await this.#account(attributes, spec.serviceAccountName);
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) this.#mountToken(spec);
    const pullSecrets = account.imagePullSecrets ?? [];
    if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0) {
      spec.imagePullSecrets = pullSecrets.map(({ name }) => (name === undefined ? {} : { name }));
    }
    checkSecrets(attributes, account);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isPodWrite(attributes)) return;
    const pod = attributes.object as Pod;
    if (attributes.operation === 'UPDATE') {
      if (attributes.subresource === 'ephemeralcontainers') await this.#checkEphemeral(attributes, pod);
      return;
    }
    if (isMirrorPod(pod)) {
      checkMirrorPod(attributes, pod);
      return;
    }
    checkSecrets(attributes, await this.#accountOf(attributes, pod));
  }

  async #checkEphemeral(attributes: AdmissionAttributes, pod: Pod): Promise<void> {
    const account = await this.#accountOf(attributes, pod);
    const problem = limitsSecrets(account) ? ephemeralSecretProblem(pod, account) : undefined;
    if (problem !== undefined) throw newAdmissionForbidden(attributes, problem);
  }

  #accountOf(attributes: AdmissionAttributes, pod: Pod): Promise<Account> {
    const name = pod.spec?.serviceAccountName ?? '';
    if (name !== '') return this.#account(attributes, name);
    const text = `no service account specified for pod ${attributes.namespace}/${pod.metadata?.name ?? ''}`;
    throw newAdmissionForbidden(attributes, text);
  }

  async #account(attributes: AdmissionAttributes, name: string): Promise<Account> {
    const { namespace, signal } = attributes;
    const reader = this.#host.reader({ group: '', resource: 'serviceaccounts' });
    const timeoutMs = name === defaultAccount ? defaultAccountWaitMs : 0;
    const options = { namespace, name, clock: this.#host.env.clock, timeoutMs, signal };
    const account = reader.get(namespace, name) ?? (await waitForObject(reader, options));
    if (account !== undefined) return account as Account;
    const text = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw newAdmissionForbidden(attributes, text);
  }

  #mountToken(spec: PodSpec): void {
    const present = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix));
    const name = present?.name ?? volumePrefix + randomSuffix(this.#host.env.random);
    const mounts = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((container) =>
      mountIn(container, name),
    );
    if (present !== undefined || !mounts.includes(true)) return;
    spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenVolumeSource() }];
  }
}

/** Mounts the volume unless something is mounted there; tells whether it has. */
function mountIn(container: Mutable<Container>, name: string): boolean {
  const mounts = container.volumeMounts ?? [];
  if (mounts.some((mount) => mount.mountPath === mountPath)) return false;
  container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
  return true;
}

function tokenVolumeSource() {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenExpirationSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
    ],
    defaultMode: 0o644,
  };
}

function isPodWrite({ resource, subresource, object }: AdmissionAttributes): boolean {
  if (resourceText(resource) !== 'pods' || object === undefined) return false;
  return subresource === '' || subresource === 'ephemeralcontainers';
}

function checkMirrorPod(attributes: AdmissionAttributes, pod: Pod): void {
  const refuse = (text: string): never => {
    throw newAdmissionForbidden(attributes, text);
  };
  if (pod.spec?.serviceAccountName) refuse('a mirror pod may not reference service accounts');
  if (podSecretNames(pod).size > 0) refuse('a mirror pod may not reference secrets');
  for (const volume of pod.spec?.volumes ?? []) {
    const sources = volume.projected?.sources ?? [];
    if (sources.some((source) => source.serviceAccountToken !== undefined)) {
      refuse('a mirror pod may not use ServiceAccountToken volume projections');
    }
  }
}

function limitsSecrets(account: Account): boolean {
  const value = account.metadata?.annotations?.['kubernetes.io/enforce-mountable-secrets'];
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value ?? '');
}

function checkSecrets(attributes: AdmissionAttributes, account: Account): void {
  const problem = limitsSecrets(account) ? secretProblem(attributes.object as Pod, account) : undefined;
  if (problem !== undefined) throw newAdmissionForbidden(attributes, problem);
}
