// Custom resources of a server: follows the stored CustomResourceDefinitions, serves what they describe, keeps their status
// (names, Established) and deletes their instances with them. Level-driven: what is done depends on what is stored now, not on
// what happened (spec/apiserver.md §14.2).
//
// A definition is served in the moment its event arrives; writers of definitions wait for that (`settle`), so that the
// next request finds its resources.

import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import { createDeferred, type Deferred, isApiError, Scope } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import { formatTime } from '@homeostat/machinery';
import { ownRequest } from '../registry/bootstrap/own-request.ts';
import { cleanupFinalizer, definitionsPath } from '../registry/kinds/delete-definition.ts';
import { sameJson } from '../registry/same-object.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { ServedResources } from '../server/resource-table.ts';
import { isServing, isConditionTrue } from './conditions.ts';
import { definitionStatus } from './definition-status.ts';
import { finalizeDefinition } from './finalize-definition.ts';
import { isReadableDefinition } from './readable-definition.ts';
import { type DefinitionContext, serveDefinition, type ServedDefinition } from './served-definition.ts';

const resourceName = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const retryMs = 1_000;
/** Longest time a writer of a definition waits for it to be served; then the watch tells. */
const settleTimeoutMs = 2_000;

export interface CustomResourcesOptions extends DefinitionContext {
  readonly table: ServedResources;
  readonly handle: Handle;
}

interface Known {
  readonly definition: CustomResourceDefinition;
  /** Undefined while it is not served. */
  readonly served: ServedDefinition | undefined;
}

export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #known = new Map<string, Known>();
  /** Definitions whose status may have to change, oldest first. */
  readonly #dirty = new Set<string>();
  readonly #finalizing = new Set<string>();
  #reconciling: string | undefined;
  #changed: Deferred<void> = createDeferred();

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
  }

  /** Serves what is stored, at once, and follows it as long as the cache lives. Once, when the caches are loaded. */
  follow(): void {
    const definitions = this.#definitions;
    if (definitions === undefined) return;
    for (const version of definitions.cache.list())
      this.#take(version.name, version.object as CustomResourceDefinition);
    definitions.cache.onEvent(({ current, previous }) => {
      this.#take((current ?? previous)?.name ?? '', current?.object as CustomResourceDefinition | undefined);
    });
  }

  /** Keeps statuses right and finishes deletions until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await using scope = new Scope({ signal });
    const onAbort = (): void => this.#notify();
    signal.addEventListener('abort', onAbort, { once: true });
    while (!signal.aborted) {
      const [name] = this.#dirty;
      if (name === undefined) {
        await this.#changed.promise;
        continue;
      }
      this.#dirty.delete(name);
      this.#reconciling = name;
      try {
        await this.#reconcile(name, scope, signal);
      } catch (error) {
        if (!signal.aborted) this.#retry(name, error, scope);
      }
      this.#reconciling = undefined;
      this.#notify();
    }
    signal.removeEventListener('abort', onAbort);
  }

  /**
   * Waits until everything written so far to a definition is served and its status says so, within a bound. Without a name:
   * to any of them.
   */
  async settle(name: string, signal: AbortSignal): Promise<void> {
    const { hub, store, env } = this.#options;
    const timeout = createDeferred<void>();
    const timer = env.clock.setTimer(settleTimeoutMs, () => timeout.resolve());
    const isOver = { value: false };
    void timeout.promise.then(() => (isOver.value = true));
    try {
      await hub.waitFor(store.revision, { timeoutMs: settleTimeoutMs, signal });
      const names = name === '' ? [...this.#dirty, this.#reconciling ?? ''] : [name];
      while (names.some((each) => this.#isBusy(each)) && !isOver.value && !signal.aborted) {
        await Promise.race([this.#changed.promise, timeout.promise]);
      }
    } finally {
      timer.cancel();
      timeout.resolve();
    }
  }

  get #definitions(): StoredResource | undefined {
    return this.#options.table.stored(resourceName);
  }

  #isBusy(name: string): boolean {
    return this.#dirty.has(name) || this.#reconciling === name;
  }

  #mark(name: string): void {
    this.#dirty.add(name);
    this.#notify();
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = createDeferred();
    changed.resolve();
  }

  /** Takes in the newest state of a definition. Synchronous: afterwards it is served as it says. */
  #take(name: string, stored: CustomResourceDefinition | undefined): void {
    const known = this.#known.get(name);
    const definition = stored !== undefined && isReadableDefinition(stored) ? stored : undefined;
    if (stored !== definition)
      this.#options.env.log.error('a stored definition cannot be read, it is not served', { name });
    if (definition === undefined) {
      if (known === undefined) return;
      this.#known.delete(name);
      if (known.served !== undefined) this.#withdraw(known.served);
      this.#reviseOthers(known.definition);
      return;
    }
    this.#known.set(name, { definition, served: this.#serve(definition, known) });
    if (known !== undefined && !sameJson(known.definition.status?.acceptedNames, definition.status?.acceptedNames)) {
      this.#reviseOthers(definition);
    }
    this.#mark(name);
  }

  #serve(definition: CustomResourceDefinition, known: Known | undefined): ServedDefinition | undefined {
    const before = known?.served;
    if (!isServing(definition)) {
      if (before !== undefined) this.#withdraw(before);
      return undefined;
    }
    if (before !== undefined && known !== undefined && isSameService(known.definition, definition)) {
      before.state.terminating = definition.metadata?.deletionTimestamp !== undefined;
      return before;
    }
    const { hub, table, env } = this.#options;
    if (before !== undefined) {
      // Watches began under another schema: their clients come back. The cache stays unless it reads other fields now.
      const labels = definition.spec.versions.flatMap(({ selectableFields }) => selectableFields ?? []);
      const isSameCache = sameJson(before.cachedLabels, [...new Set(labels.map(({ jsonPath }) => jsonPath.slice(1)))]);
      if (isSameCache) before.storage.cache.closeWatchers();
      else hub.remove(before.prefix);
    }
    try {
      const served = serveDefinition(definition, this.#options);
      table.replace(served.resource, served.entries);
      return served;
    } catch (error) {
      env.log.error('a custom resource cannot be served', { error, name: definition.metadata?.name });
      if (before !== undefined) this.#withdraw(before);
      return undefined;
    }
  }

  #withdraw(served: ServedDefinition): void {
    this.#options.table.replace(served.resource, []);
    this.#options.hub.remove(served.prefix);
  }

  /** Names that became free, or were taken, may decide what others of the group get. */
  #reviseOthers(definition: CustomResourceDefinition): void {
    for (const [name, other] of this.#known) {
      if (other.definition.spec.group !== definition.spec.group) continue;
      if (!isConditionTrue(other.definition, 'NamesAccepted')) this.#mark(name);
    }
  }

  async #reconcile(name: string, scope: Scope, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(name);
    if (known === undefined) return;
    const { definition } = known;
    const { metadata } = definition;
    if (metadata?.deletionTimestamp !== undefined) {
      const uid = metadata.uid ?? '';
      if (!(metadata.finalizers ?? []).includes(cleanupFinalizer) || this.#finalizing.has(uid)) return;
      this.#finalizing.add(uid);
      scope.spawn(`delete instances of ${name}`, (inner) => this.#finalize(name, uid, scope, inner));
      return;
    }
    const { env, handle, hub } = this.#options;
    const all = [...this.#known.values()].map((each) => each.definition);
    const status = definitionStatus(definition, all, formatTime(env.clock.nowMs()));
    if (sameJson(status, definition.status)) return;
    try {
      const path = `${definitionsPath}/${name}/status`;
      const written = await ownRequest(handle, signal, { method: 'PUT', path, object: { ...definition, status } });
      await hub.waitFor(Number(written.metadata?.resourceVersion ?? 0), { signal });
    } catch (error) {
      // Somebody else wrote it: the event of that brings us back here.
      if (!isApiError(error, 'Conflict', 'NotFound')) throw error;
    }
  }

  async #finalize(name: string, uid: string, scope: Scope, signal: AbortSignal): Promise<void> {
    try {
      const present = (): CustomResourceDefinition | undefined => {
        const definition = this.#known.get(name)?.definition;
        return definition?.metadata?.uid === uid ? definition : undefined;
      };
      const definition = present();
      if (definition === undefined) return;
      const served = this.#known.get(name)?.served ?? serveDefinition(definition, this.#options);
      await finalizeDefinition({ ...this.#options, present, instances: served.storage, signal });
    } catch (error) {
      if (!signal.aborted) this.#retry(name, error, scope);
    } finally {
      this.#finalizing.delete(uid);
    }
  }

  #retry(name: string, error: unknown, scope: Scope): void {
    const { env } = this.#options;
    env.log.warn('a custom resource definition could not be brought up to date, it is tried again', { error, name });
    scope.spawn(`retry ${name}`, async (signal) => {
      await env.clock.sleep(retryMs, signal);
      if (this.#known.has(name)) this.#mark(name);
    });
  }
}

/** Whether two states of a definition are served alike. */
function isSameService(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  if (!sameJson(a.status?.acceptedNames, b.status?.acceptedNames)) return false;
  const isSameGeneration = a.metadata?.uid === b.metadata?.uid && a.metadata?.generation === b.metadata?.generation;
  return isSameGeneration || sameJson(a.spec, b.spec);
}
