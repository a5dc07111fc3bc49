// The resources that quotas count by number alone, beside those that the controller watches whole: everything namespaced that can be made,
// listed, watched and deleted, found by discovery and cached as metadata (spec/infrastructure.md §15.1). Tells the controller when one
// of their objects goes: only that makes room.

import type { Env } from '@homeostat/base';
import { resourceId, type ResourceType } from '@homeostat/client';
import { type QuotaEvaluator, quotaEvaluatorOf } from '@homeostat/api';
import type { KubeObject } from '@homeostat/machinery';
import type { InformerFactory } from '@homeostat/runtime';
import { type Discover, supports, toResourceType } from '../shared/discovered-resources.ts';
import { DiscoveryPace, discoveryPeriodMs } from '../shared/discovery-pace.ts';

export interface CountedResourcesOptions {
  readonly env: Env;
  readonly informers: InformerFactory;
  readonly discover: Discover;
  /** Watched by the controller itself, by id. */
  readonly except: ReadonlySet<string>;
  /** Resources that other controllers cache whole: their informers are shared. */
  wholeResources(): readonly ResourceType[];
}

/** One such resource. */
export interface CountedResource {
  readonly evaluator: QuotaEvaluator;
  list(namespace: string): readonly KubeObject[];
  readonly synced: boolean;
}

const discoveryRetryMs = 1_000;

export class CountedResources {
  readonly name = 'resourcequota-resources';
  /** Nothing of its own to do: it only listens. */
  readonly pending = 0;
  readonly #options: CountedResourcesOptions;
  readonly #resources = new Map<string, CountedResource>();
  readonly #pace: DiscoveryPace;
  #followsDefinitions = false;
  #discovered = false;
  #onRoom: (namespace: string, evaluator: QuotaEvaluator) => void = () => {};

  constructor(options: CountedResourcesOptions) {
    this.#options = options;
    this.#pace = new DiscoveryPace(options.env.clock);
  }

  /** Whether the server was asked what it serves. */
  get discovered(): boolean {
    return this.#discovered;
  }

  all(): Iterable<CountedResource> {
    return this.#resources.values();
  }

  /** Says whom to tell that an object of a namespace went. */
  tell(onRoom: (namespace: string, evaluator: QuotaEvaluator) => void): void {
    this.#onRoom = onRoom;
  }

  /** Discovers until the signal aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { log } = this.#options.env;
    while (!signal.aborted) {
      let delayMs = discoveryPeriodMs;
      try {
        await this.#discover(signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('the quota controller could not discover resources', { error });
        delayMs = this.#discovered ? discoveryPeriodMs : discoveryRetryMs;
      }
      await this.#pace.pause(signal, delayMs).catch(() => {}); // a stop; the loop looks at the signal
    }
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { discover, informers, except, wholeResources } = this.#options;
    const { resources } = await discover(signal);
    const whole = new Set(wholeResources().map(resourceId));
    for (const resource of resources) {
      const type = toResourceType(resource);
      const id = resourceId(type);
      if (resource.resource === 'customresourcedefinitions') this.#followDefinitions(type);
      if (this.#resources.has(id) || except.has(id) || !resource.namespaced) continue;
      const evaluator = quotaEvaluatorOf(resource);
      if (evaluator === undefined || !supports(resource, 'create', 'list', 'watch', 'delete')) continue;
      const informer = informers.informer(type, { metadataOnly: !whole.has(id) });
      informer.addHandler(
        (change) => {
          if (change.type === 'deleted') this.#onRoom(change.object.metadata?.namespace ?? '', evaluator);
        },
        { resyncPeriodMs: 0 },
      );
      this.#resources.set(id, {
        evaluator,
        list: (namespace) => informer.lister.list(namespace),
        get synced() {
          return informer.hasSynced;
        },
      });
    }
    this.#discovered = true;
  }

  #followDefinitions(type: ResourceType): void {
    if (this.#followsDefinitions) return;
    this.#followsDefinitions = true;
    const { informers, wholeResources } = this.#options;
    const isWhole = wholeResources().some((whole) => resourceId(whole) === resourceId(type));
    const informer = informers.informer(type, { metadataOnly: !isWhole });
    informer.addHandler(() => this.#pace.note(), { resyncPeriodMs: 0 });
  }
}
