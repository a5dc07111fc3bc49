// What the server serves, as controllers over all kinds need it: the garbage collector and the namespace controller.

import { resourceType, type ResourceType } from '@homeostat/client';
import { parseApiVersion } from '@homeostat/machinery';

/** One served resource, in its preferred version. */
export interface DiscoveredResource {
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export interface Discovered {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be asked, with the error's text. */
  readonly failed: readonly { readonly groupVersion: string; readonly message: string }[];
}

/** Asks the server what it serves; each resource once, in its preferred version. */
export type Discover = (signal: AbortSignal) => Promise<Discovered>;

export function supports(resource: DiscoveredResource, ...verbs: readonly string[]): boolean {
  return verbs.every((verb) => resource.verbs.includes(verb));
}

export function toResourceType(resource: DiscoveredResource): ResourceType {
  return resourceType(resource);
}

/** Finds the resource of a kind, in any version of its group. */
export class KindIndex {
  readonly #byKind = new Map<string, DiscoveredResource>();

  constructor(resources: readonly DiscoveredResource[]) {
    for (const resource of resources) this.#byKind.set(`${resource.group}/${resource.kind}`, resource);
  }

  find(apiVersion: string, kind: string): DiscoveredResource | undefined {
    try {
      return this.#byKind.get(`${parseApiVersion(apiVersion).group}/${kind}`);
    } catch {
      return undefined; // an apiVersion nobody can serve
    }
  }
}
