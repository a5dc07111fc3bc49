// What the demo's story needs of a cluster: the same in virtual time, in one process, as with real processes.

import type { Env } from '@homeostat/base';
import type { Client, Transport } from '@homeostat/client';

/** One action of a controller, as the narrator tells it. */
export interface ToldAction {
  /** The process that acted, e.g. `manager-1`. */
  readonly process: string;
  readonly controller: string;
  readonly key: string;
  readonly verb: string;
  /** Resource or event reason, and name where there is one. */
  readonly target: string;
  readonly reason: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly failed?: string;
  readonly wokenBy?: string;
}

export interface DemoWorld {
  readonly env: Env;
  /** The user's client. */
  readonly client: Client;
  /** The way of an administrator to the server; the demo puts a fault in front of it. */
  readonly transport: Transport;
  /** How long a node may be silent, for the texts. */
  readonly gracePeriodSeconds: number;
  /** tolerationSeconds that Pods of the demo are given. */
  readonly tolerationSeconds: number;
  onAction(listener: (action: ToldAction) => void): void;
  /** Lets the world go on until `check` holds; it asks through {@link during}. @throws when it never does */
  waitFor(what: string, check: () => Promise<boolean>): Promise<void>;
  /** Runs `work` while the world goes on. */
  during<T>(work: Promise<T>): Promise<T>;
  /** The node's agent falls silent. */
  stopNode(name: string): Promise<void>;
  /** Ends the controller manager that leads, without a good-bye; its name. */
  killLeader(): Promise<string>;
  close(): Promise<void>;
}
