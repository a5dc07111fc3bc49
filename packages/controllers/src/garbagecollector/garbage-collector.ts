// The garbage collector: deletes what has lost its owners, holds owners that are deleted in the foreground until their
// dependents are gone, cuts dependents loose when an owner is orphaned (spec/infrastructure.md §7).
// Informers feed the graph; workers look at single objects, live, and act on what they find.

import { type Env, Scope } from '@homeostat/base';
import { type Client, resourceId, type ResourceType } from '@homeostat/client';
import { type KubeObject, type OwnerReference, toApiVersion } from '@homeostat/machinery';
import {
  type Change,
  createRateLimitingQueue,
  type EventRecorder,
  type InformerFactory,
  type RateLimitingQueue,
} from '@homeostat/runtime';
import {
  type Discover,
  type DiscoveredResource,
  KindIndex,
  supports,
  toResourceType,
} from '../shared/discovered-resources.ts';
import { DiscoveryPace, discoveryPeriodMs } from '../shared/discovery-pace.ts';
import { AbsentOwners } from './absent-owners.ts';
import {
  type Effects,
  foregroundFinalizer,
  type GraphNode,
  type Identity,
  matches,
  orphanFinalizer,
  OwnershipGraph,
} from './graph.ts';
import { judge, type Reference } from './judge.ts';
import { LiveObjects } from './live-objects.ts';

export interface GarbageCollectorOptions {
  readonly env: Env;
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly discover: Discover;
  readonly recorder: EventRecorder;
  /** Resources that other controllers cache whole: their informers are shared instead of a second, metadata-only one. */
  readonly wholeResources?: readonly ResourceType[];
  /** `--concurrent-gc-syncs`; default 20 of each kind of worker. */
  readonly concurrency?: number;
}

interface Synced {
  waitForSync(signal: AbortSignal): Promise<void>;
}

const discoveryRetryMs = 1_000;
const ignored: ReadonlySet<string> = new Set(['/events', 'events.k8s.io/events']);

export class GarbageCollector {
  readonly name = 'garbage-collector-controller';
  readonly #options: GarbageCollectorOptions;
  readonly #graph = new OwnershipGraph();
  readonly #live: LiveObjects;
  readonly #absent = new AbsentOwners();
  readonly #inspect: RateLimitingQueue;
  readonly #orphan: RateLimitingQueue;
  readonly #monitored = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #pace: DiscoveryPace;
  #kinds = new KindIndex([]);

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
    this.#pace = new DiscoveryPace(options.env.clock);
    this.#live = new LiveObjects(options.client);
    this.#inspect = createRateLimitingQueue({ env: options.env, name: 'garbage_collector_attempt_to_delete' });
    this.#orphan = createRateLimitingQueue({ env: options.env, name: 'garbage_collector_attempt_to_orphan' });
  }

  /** Objects it has still to look at, now or after a back-off. */
  get pending(): number {
    return this.#inspect.length + this.#inspect.waiting + this.#orphan.length + this.#orphan.waiting;
  }

  /** Runs until the signal aborts; what was begun is finished first. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    await using scope = new Scope({ signal });
    await this.#monitor(scope.signal);
    scope.spawn('discovery', (inner) => this.#rediscover(inner));
    const count = this.#options.concurrency ?? 20;
    for (let i = 0; i < count; i++) {
      scope.spawn(`delete worker ${i}`, (inner) =>
        this.#work(this.#inspect, (uid) => this.#attemptToDelete(uid, inner)),
      );
      scope.spawn(`orphan worker ${i}`, (inner) =>
        this.#work(this.#orphan, (uid) => this.#attemptToOrphan(uid, inner)),
      );
    }
    const stop = (): void => {
      this.#inspect.shutDown();
      this.#orphan.shutDown();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    await scope.join();
  }

  // The first time monitors should be in sync: owners that the graph lacks are asked for live before anything is deleted, and
  // the wait saves the questions. One resource that can't be listed must not stop the collection of all others, so it is bounded.
  async #monitor(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.env;
    let added = await this.#tryAddMonitors(signal);
    for (; added.length === 0; added = await this.#tryAddMonitors(signal)) await clock.sleep(discoveryRetryMs, signal);
    const enough = new AbortController();
    const synced = Promise.all(added.map((informer) => informer.waitForSync(signal)));
    await Promise.race([
      synced,
      clock.sleep(discoveryPeriodMs, AbortSignal.any([signal, enough.signal])).catch(() => {}),
    ]);
    synced.catch(() => {}); // a stop; the workers see it too
    enough.abort();
  }

  async #rediscover(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#pace.pause(signal);
      await this.#tryAddMonitors(signal);
    }
  }

  async #tryAddMonitors(signal: AbortSignal): Promise<readonly Synced[]> {
    try {
      return await this.#addMonitors(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.env.log.warn('the garbage collector could not discover resources', { error });
      return [];
    }
  }

  async #addMonitors(signal: AbortSignal): Promise<readonly Synced[]> {
    const { discover, informers, wholeResources = [] } = this.#options;
    const { resources } = await discover(signal);
    if (resources.length === 0) return [];
    this.#kinds = new KindIndex(resources);
    const whole = new Set(wholeResources.map(resourceId));
    const added = [];
    for (const resource of resources) {
      const type = toResourceType(resource);
      const id = resourceId(type);
      if (
        this.#monitored.has(id) ||
        ignored.has(`${resource.group}/${resource.resource}`) ||
        !supports(resource, 'delete', 'list', 'watch')
      )
        continue;
      this.#monitored.add(id);
      const informer = informers.informer(type, { metadataOnly: !whole.has(id) });
      informer.addHandler((change) => this.#onChange(resource, change), { resyncPeriodMs: 0 });
      added.push(informer);
    }
    return added;
  }

  #onChange(resource: DiscoveredResource, change: Change): void {
    if (change.type === 'resync') return;
    if (definesResources(resource)) this.#pace.note();
    const identity = identityOf(resource, change.object);
    this.#enqueue(
      change.type === 'deleted' ? this.#graph.remove(identity.uid) : this.#graph.upsert(identity, change.object),
    );
  }

  #enqueue(effects: Effects): void {
    for (const uid of effects.inspect) this.#inspect.add(uid);
    for (const uid of effects.orphan) this.#orphan.add(uid);
  }

  async #work(queue: RateLimitingQueue, handle: (uid: string) => Promise<void>): Promise<void> {
    for (;;) {
      const uid = await queue.get();
      if (uid === undefined) return;
      try {
        await handle(uid);
        queue.forget(uid);
      } catch (error) {
        this.#options.env.log.debug('the garbage collector will look again', { uid, error });
        queue.addRateLimited(uid);
      } finally {
        queue.done(uid);
      }
    }
  }

  async #attemptToDelete(uid: string, signal: AbortSignal): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    if (node.deletingDependents) return this.#holdOwner(node, signal);
    if (node.beingDeleted) return;
    const resource = this.#resourceOf(node.identity);
    const live = await this.#live.get(resource, node.identity.namespace, node.identity.name, signal);
    if (live === undefined || live.metadata?.uid !== uid) return this.#enqueue(this.#graph.remove(uid));
    const references = await this.#classify(node, live, signal);
    if (references === undefined) return;
    const dependents = this.#graph.dependentsOf(uid);
    const verdict = judge({
      object: live,
      references,
      hasDependents: dependents.length > 0,
      dependentWaits: dependents.some((dependent) => dependent.deletingDependents),
    });
    switch (verdict.type) {
      case 'keep':
        return;
      case 'drop-references':
        return this.#live.dropReferences(resource, node.identity, verdict.uids, signal);
      case 'delete':
        if (verdict.unblock) {
          await this.#live.unblock(resource, live, signal);
          throw new Error('references were unblocked; judged again on the new version');
        }
        if ((await this.#live.delete(resource, live, verdict.propagationPolicy, signal)) === 'gone')
          this.#enqueue(this.#graph.remove(uid));
    }
  }

  // Undefined: the object can't be judged and must be left alone.
  async #classify(node: GraphNode, live: KubeObject, signal: AbortSignal): Promise<readonly Reference[] | undefined> {
    const references: Reference[] = [];
    for (const owner of live.metadata?.ownerReferences ?? []) {
      const state = await this.#stateOf(node, owner, signal);
      if (state === undefined) return undefined;
      references.push({ owner, state });
    }
    return references;
  }

  async #stateOf(node: GraphNode, owner: OwnerReference, signal: AbortSignal): Promise<Reference['state'] | undefined> {
    const known = this.#graph.get(owner.uid);
    if (known !== undefined && matches(owner, node, known)) return known.deletingDependents ? 'waiting' : 'solid';
    if (known !== undefined) this.#reportNamespace(node, owner, known);
    const resource = this.#kinds.find(owner.apiVersion, owner.kind);
    if (resource === undefined) throw new Error(`unable to get REST mapping for ${owner.apiVersion}/${owner.kind}.`);
    const { namespace } = node.identity;
    if (resource.namespaced && namespace === '') return undefined; // a cluster-scoped object can't have a namespaced owner
    const key = [owner.apiVersion, owner.kind, owner.name, owner.uid, resource.namespaced ? namespace : ''].join('|');
    if (this.#absent.has(key)) return 'dangling';
    const found = await this.#live.get(
      toResourceType(resource),
      resource.namespaced ? namespace : '',
      owner.name,
      signal,
    );
    if (found === undefined || found.metadata?.uid !== owner.uid) {
      this.#absent.add(key);
      return 'dangling';
    }
    const foreground = found.metadata.finalizers?.includes(foregroundFinalizer) === true;
    return found.metadata.deletionTimestamp !== undefined && foreground ? 'waiting' : 'solid';
  }

  #reportNamespace(node: GraphNode, owner: OwnerReference, known: GraphNode): void {
    const { namespace, uid } = node.identity;
    if (known.identity.namespace === '' || known.identity.namespace === namespace) return;
    const mark = `${uid}|${owner.uid}`;
    if (this.#reported.has(mark)) return;
    this.#reported.add(mark);
    const { apiVersion, kind, name } = owner;
    const text = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${owner.uid}] does not exist in namespace ${JSON.stringify(namespace)}`;
    const { identity } = node;
    this.#options.recorder.record({
      regarding: { apiVersion: identity.apiVersion, kind: identity.kind, namespace, name: identity.name, uid },
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: text,
      component: this.name,
    });
  }

  async #holdOwner(node: GraphNode, signal: AbortSignal): Promise<void> {
    const blocking = this.#graph.blockingDependentsOf(node.identity.uid);
    if (blocking.length === 0)
      return this.#live.removeFinalizer(this.#resourceOf(node.identity), node.identity, foregroundFinalizer, signal);
    for (const dependent of blocking) if (!dependent.deletingDependents) this.#inspect.add(dependent.identity.uid);
  }

  async #attemptToOrphan(uid: string, signal: AbortSignal): Promise<void> {
    const owner = this.#graph.get(uid);
    if (owner === undefined || !owner.finalizers.includes(orphanFinalizer)) return;
    await Promise.all(
      this.#graph
        .dependentsOf(uid)
        .map(({ identity }) => this.#live.dropReferences(this.#resourceOf(identity), identity, [uid], signal)),
    );
    await this.#live.removeFinalizer(this.#resourceOf(owner.identity), owner.identity, orphanFinalizer, signal);
  }

  #resourceOf(identity: Identity): ResourceType {
    const resource = this.#kinds.find(identity.apiVersion, identity.kind);
    if (resource === undefined) throw new Error(`${identity.apiVersion} ${identity.kind} is not served`);
    return toResourceType(resource);
  }
}

function definesResources({ group, resource }: DiscoveredResource): boolean {
  return group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
}

function identityOf(resource: DiscoveredResource, object: KubeObject): Identity {
  return {
    apiVersion: toApiVersion(resource),
    kind: resource.kind,
    namespace: object.metadata?.namespace ?? '',
    name: object.metadata?.name ?? '',
    uid: object.metadata?.uid ?? '',
  };
}
