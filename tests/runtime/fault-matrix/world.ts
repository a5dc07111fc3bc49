// Where a history of the fault matrix takes place: an API server to write to and look into, a clock, and ways to reach the server that
// can be made to fail. One world is simulated, the other has sockets.

import type { Clock, Random } from '@homeostat/base';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import type { Transport } from '@homeostat/client';
import type { FaultyWire, FaultyWireOptions } from './faulty-wire.ts';

/** One informer's way to the server. */
export interface Connection {
  readonly transport: Transport;
  /** Where faults are made, at the far end of the transport. */
  readonly wire: FaultyWire;
  /** Ends the transport; returns what it left behind, in words. */
  close(): Promise<readonly string[]>;
}

export type ConnectOptions = Pick<FaultyWireOptions, 'synced' | 'pageSize' | 'swallow'> & { readonly random: Random };

export interface World {
  readonly clock: Clock;
  /** Added to every bound, for what the clock of this world does not count. */
  readonly slackMs: number;
  /** What the server has now. */
  list(namespace: string): readonly ConfigMap[];
  /** An object that the server surely has now. */
  get(namespace: string, name: string): ConfigMap | undefined;
  createNamespace(name: string): Promise<void>;
  create(namespace: string, name: string): Promise<void>;
  patch(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<void>;
  remove(namespace: string, name: string): Promise<void>;
  connect(options: ConnectOptions): Promise<Connection>;
  /** Waits for a promise while time passes. */
  run<T>(promise: Promise<T>): Promise<T>;
  advance(durationMs: number): Promise<void>;
  /** @throws when `limitMs` have passed before. */
  runUntil(done: () => boolean, limitMs: number): Promise<void>;
}
