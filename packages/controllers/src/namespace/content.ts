// Deleting what is in a namespace: pods first, then everything else, each resource by collection
// (spec/infrastructure.md §8.3).

import { isApiError } from '@homeostat/base';
import { type Client, metadataOf, type ResourceType } from '@homeostat/client';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodTerminal } from '@homeostat/api';
import { pods as podResource } from '@homeostat/client/resources';
import { type KubeObject, parseTime } from '@homeostat/machinery';
import { type Discovered, type DiscoveredResource, supports, toResourceType } from '../shared/discovered-resources.ts';
import type { DeletionReport } from './conditions.ts';

/** How long content with finalizers is given before the next look. */
const finalizerEstimateSeconds = 15;

export interface ContentResult {
  /** Seconds until it is worth to look again; 0 when nothing is left. */
  readonly estimateSeconds: number;
  readonly report: DeletionReport;
}

export interface ContentOptions {
  readonly client: Client;
  readonly discovered: Discovered;
  readonly namespace: string;
  /** `metadata.deletionTimestamp` of the namespace. */
  readonly deletedAt: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

interface Gathering {
  readonly errors: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  estimateSeconds: number;
}

/** Tries once to delete all content; other resources wait until no pod is left. */
export async function deleteContent(options: ContentOptions): Promise<ContentResult> {
  const gathering: Gathering = { errors: [], remaining: new Map(), finalizers: new Map(), estimateSeconds: 0 };
  const deletable = options.discovered.resources.filter(
    (resource) => resource.namespaced && supports(resource, 'delete'),
  );
  const podEntry = deletable.find((resource) => resource.group === '' && resource.resource === 'pods');
  if (podEntry !== undefined) await deleteResource(options, podEntry, gathering, 'pods first');
  if (gathering.remaining.size === 0 && gathering.errors.length === 0) {
    await Promise.all(
      deletable
        .filter((resource) => resource !== podEntry)
        .map((resource) => deleteResource(options, resource, gathering)),
    );
  }
  return {
    estimateSeconds: gathering.estimateSeconds,
    report: {
      discoveryFailures: options.discovered.failed,
      deletionErrors: gathering.errors,
      remaining: gathering.remaining,
      finalizers: gathering.finalizers,
    },
  };
}

async function deleteResource(
  options: ContentOptions,
  resource: DiscoveredResource,
  gathering: Gathering,
  stage?: 'pods first',
): Promise<void> {
  try {
    const graceSeconds = stage === undefined ? 0 : await podGraceSeconds(options);
    const left = await deleteAll(options, resource);
    if (left.length === 0) return;
    gathering.remaining.set(`${resource.resource}.${resource.group}`, left.length);
    let held = false;
    for (const object of left) {
      for (const finalizer of object.metadata?.finalizers ?? []) {
        held = true;
        gathering.finalizers.set(finalizer, (gathering.finalizers.get(finalizer) ?? 0) + 1);
      }
    }
    if (graceSeconds > 0) gathering.estimateSeconds = Math.max(gathering.estimateSeconds, graceSeconds);
    else if (held) gathering.estimateSeconds = Math.max(gathering.estimateSeconds, finalizerEstimateSeconds);
    else gathering.errors.push(unexpected(options.namespace, resource));
  } catch (error) {
    if (options.signal.aborted) throw error;
    const text = error instanceof Error ? error.message : String(error);
    gathering.errors.push(
      stage === undefined ? text : `failed to delete pods for namespace: ${options.namespace}, err: ${text}`,
    );
  }
}

function unexpected(namespace: string, { group, version, resource }: DiscoveredResource): string {
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${resource}`;
}

// The longest grace of pods that run; nothing once that time has passed since the namespace was deleted.
async function podGraceSeconds({ client, namespace, deletedAt, nowMs, signal }: ContentOptions): Promise<number> {
  const { items } = await client.list<Pod>(podResource, { namespace, signal });
  const longest = Math.max(
    0,
    ...items.filter((pod) => !isPodTerminal(pod)).map((pod) => Number(pod.spec?.terminationGracePeriodSeconds ?? 0)),
  );
  return nowMs > parseTime(deletedAt) + longest * 1000 ? 0 : longest;
}

async function deleteAll(
  { client, namespace, signal }: ContentOptions,
  resource: DiscoveredResource,
): Promise<readonly KubeObject[]> {
  const type = toResourceType(resource);
  const collected = supports(resource, 'deletecollection') && (await deleteCollection(client, type, namespace, signal));
  if (!supports(resource, 'list')) return [];
  const list = async (): Promise<readonly KubeObject[]> =>
    (await client.list(metadataOf(type), { namespace, signal })).items;
  if (collected) return list();
  for (const object of await list()) await deleteOne(client, type, object, signal);
  return list();
}

async function deleteCollection(
  client: Client,
  type: ResourceType,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.deleteCollection(type, { namespace, propagationPolicy: 'Background', signal });
    return true;
  } catch (error) {
    if (isApiError(error, 'MethodNotAllowed', 'NotFound')) return false;
    throw error;
  }
}

async function deleteOne(client: Client, type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<void> {
  try {
    const { name = '', namespace } = object.metadata ?? {};
    await client.delete(type, { name, namespace, propagationPolicy: 'Background', signal });
  } catch (error) {
    if (!isApiError(error, 'MethodNotAllowed', 'NotFound')) throw error;
  }
}
