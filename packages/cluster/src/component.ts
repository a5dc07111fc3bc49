// What runs beside the API server in one process. A component is made once the server is there and sees of it only clients.

import type { Env } from '@homeostat/base';
import type { Client, UserInfo } from '@homeostat/client';

export interface ComponentContext {
  readonly env: Env;
  /** A client that acts as `user`; `userAgent` names the component to the server. */
  clientAs(user: UserInfo, userAgent: string): Client;
}

export interface RunningComponent {
  /** Resolves when it does its work (caches filled, nodes registered). */
  readonly ready: Promise<void>;
  /** Ends when `signal` aborts and what was begun is finished. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface Component {
  /** As `--components` names it. */
  readonly name: string;
  create(context: ComponentContext): RunningComponent;
}
