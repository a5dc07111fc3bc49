// What createApiServer takes and returns. The parts that plug in are factories over the ServerHost, so that they can read
// the cache and call back without a cycle of imports.

import type { KindStrategy, ResourceInfo } from '@homeostat/api';
import type { Env } from '@homeostat/base';
import type { ApiRequest, Handle } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import type { Store } from '@homeostat/storage';
import type { AdmissionPlugin } from './admission.ts';
import type { Authenticator } from './authenticator.ts';
import type { AuthorizationAttributes, Authorizer } from './authorizer.ts';
import type { Route } from './route.ts';
import type { ServerHost } from './server-host.ts';
import type { User } from './user.ts';
import type { VirtualResource } from './virtual-resource.ts';

export interface ServedResource {
  readonly info: ResourceInfo;
  readonly strategy: KindStrategy;
}

export interface ApiServerOptions {
  readonly env: Env;
  readonly store: Store;
  /** Served from the start. Default: every built-in of `@homeostat/api`. */
  readonly resources?: readonly ServedResource[];
  /** Who may do what, and everything else that plugs in. Default: everybody is anonymous and may do everything. */
  readonly parts?: (host: ServerHost) => ServerParts;
  /** Where pod logs come from; without it no node can be reached. */
  readonly podLogs?: PodLogs;
  /** CIDRs that Service addresses are taken from; one or two (dual stack). Default `10.0.0.0/24`. */
  readonly serviceClusterIpRanges?: readonly string[];
  /** Inclusive bounds of node ports. Default 30000–32767. */
  readonly nodePortRange?: { readonly from: number; readonly to: number };
  /** Address and port the `kubernetes` Service leads to. */
  readonly advertise?: { readonly address: string; readonly port: number };
  /** Longest time a request may take that is not long-running. Default 60,000. */
  readonly requestTimeoutMs?: number;
  /** Shortest default length of a watch; it lasts a random time up to twice that. Default 1,800,000. */
  readonly minRequestTimeoutMs?: number;
  /** Freeze stored and cached objects (tests, development). Default false. */
  readonly freeze?: boolean;
}

/** What plugs into the core. */
export interface ServerParts {
  /** Throws for bad credentials; undefined: the request is refused with 401. Default: everybody is anonymous. */
  readonly authenticator?: Authenticator;
  readonly impersonator?: Impersonation;
  /** Default: everything is allowed. */
  readonly authorizer?: Authorizer;
  /** In running order; both passes use it. */
  readonly admission?: readonly AdmissionPlugin[];
  readonly routes?: readonly Route[];
  readonly virtualResources?: readonly VirtualResource[];
  /** Run once when the caches are loaded; the server is ready when all are done. */
  readonly startHooks?: readonly StartHook[];
  /** Run beside the server from the moment it is ready until it stops; they mend their failures themselves. */
  readonly tasks?: readonly StartHook[];
  /** Releases what the parts hold, after the server stopped. */
  close?(): void;
}

/** Lets a user act as another; returns the user a request shall be handled as. @throws ApiError */
export interface Impersonation {
  impersonate(request: ApiRequest, attributes: AuthorizationAttributes): Promise<User> | User;
}

export interface StartHook {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Options of a log request, decoded from the query (`core/v1 PodLogOptions`). */
export interface PodLogOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream?: string;
}

/** Opens the log of a container. @throws ApiError as the kubelet's answer would be turned into one. */
export type PodLogs = (
  pod: KubeObject,
  options: PodLogOptions,
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>>;

export interface ApiServer {
  readonly handle: Handle;
  readonly host: ServerHost;
  /** Resolves when the caches follow the store and the objects every server makes are there. */
  readonly ready: Promise<void>;
  /** Follows the store until the signal aborts; returns when requests under way have been answered. Call it once. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}
