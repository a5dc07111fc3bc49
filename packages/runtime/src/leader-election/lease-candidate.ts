// Coordinated leader election (KEP-4355): candidates publish a LeaseCandidate each, and the API server gives the Lease to one of them. Here
// is the candidate's part besides the Lease itself: being listed, and answering when the server asks whether it is still there.

import type { Env } from '@homeostat/base';
import { formatMicroTime, type KubeObject, toApiVersion } from '@homeostat/machinery';
import { type Client, isAlreadyExists, isNotFound, type ResourceType, resourceType } from '@homeostat/client';
import { createInformerSource } from '../informer/informer-source.ts';
import { SharedInformer } from '../informer/shared-informer.ts';

/** What decides between candidates: the oldest emulation version is elected, then the oldest binary version. */
export interface CandidateVersions {
  /** Semantic version of the program, e.g. `1.4.0`. */
  readonly binaryVersion: string;
  /** Version it behaves like; default {@link binaryVersion}. */
  readonly emulationVersion?: string;
}

export interface LeaseCandidateOptions {
  readonly client: Client;
  readonly env: Env;
  readonly namespace: string;
  /** The Lease. */
  readonly leaseName: string;
  readonly identity: string;
  readonly versions: CandidateVersions;
}

export interface LeaseCandidate extends KubeObject {
  readonly spec?: {
    readonly leaseName?: string;
    readonly binaryVersion?: string;
    readonly emulationVersion?: string;
    readonly strategy?: string;
    readonly pingTime?: string;
    readonly renewTime?: string;
  };
}

const group = 'coordination.k8s.io';
const versions = ['v1beta1', 'v1alpha2'];
const renewPeriodMs = 5 * 60_000;
const retryMs = 2_000;

/** The resource, in the version the server offers; undefined when it has none: then candidates elect among themselves. */
export async function discoverLeaseCandidates(
  client: Client,
  signal: AbortSignal,
): Promise<ResourceType<LeaseCandidate> | undefined> {
  for (const version of versions) {
    const resource = 'leasecandidates';
    try {
      const found = await client.request({ method: 'GET', path: `/apis/${group}/${version}`, signal });
      const { resources = [] } = found as { readonly resources?: readonly { readonly name: string }[] };
      if (resources.some(({ name }) => name === resource))
        return resourceType<LeaseCandidate>({ group, version, resource, kind: 'LeaseCandidate', namespaced: true });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return undefined;
}

/** Keeps this process listed as a candidate until `signal` aborts. Failures are tried again. */
export async function runLeaseCandidate(
  resource: ResourceType<LeaseCandidate>,
  options: LeaseCandidateOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, env, namespace, identity } = options;
  const select = { namespace, fieldSelector: `metadata.name=${identity}` };
  const informer = new SharedInformer<LeaseCandidate>({
    resource,
    env,
    source: createInformerSource({ client, resource, select }),
    repairPeriodMs: 0,
  });
  let ask = new AbortController();
  informer.addHandler((change) => {
    const { pingTime = '', renewTime = '' } = change.object.spec ?? {};
    // Both are written in one format, which sorts like time itself.
    if (change.type === 'deleted' || (pingTime !== '' && pingTime > renewTime)) ask.abort();
  });
  const following = informer.run({ signal });
  try {
    while (!signal.aborted) {
      ask = new AbortController();
      const done = await publish(resource, options, signal);
      const either = AbortSignal.any([signal, ask.signal]);
      await env.clock.sleep(done ? renewPeriodMs : retryMs, either).catch(() => undefined);
    }
  } finally {
    await following;
  }
}

async function publish(
  resource: ResourceType<LeaseCandidate>,
  options: LeaseCandidateOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, env, namespace, identity: name, leaseName } = options;
  const { binaryVersion, emulationVersion = binaryVersion } = options.versions;
  const renewTime = formatMicroTime(env.clock.nowMs());
  const spec = { leaseName, binaryVersion, emulationVersion, strategy: 'OldestEmulationVersion', renewTime };
  try {
    const before = await client.get(resource, { namespace, name, signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const metadata = { ...before?.metadata, namespace, name };
    const kind = { apiVersion: toApiVersion(resource), kind: resource.kind };
    const object = { ...before, ...kind, metadata, spec: { ...before?.spec, ...spec } };
    if (before === undefined) await client.create(resource, { object, signal });
    else await client.update(resource, { object, signal });
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    const fields = { candidate: `${namespace}/${name}`, error };
    if (isAlreadyExists(error)) env.log.debug('the lease candidate was made by somebody else', fields);
    else env.log.warn('the lease candidate could not be written', fields);
    return false;
  }
}
