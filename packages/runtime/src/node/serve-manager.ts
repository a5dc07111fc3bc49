// A manager's HTTP port: health, metrics and diagnostics, on loopback unless told otherwise.

import { type AccessFilterOptions, withAccessFilter } from '../manager/access-filter.ts';
import { createManagerHandle, type ManagerHandleOptions } from '../manager/manager-handle.ts';
import type { Runnable } from '../manager/runnable.ts';
import { listen, type Listener, type TlsOptions } from './http/http-listener.ts';
import { processDiagnosis } from './process-diagnosis.ts';

export interface ServeManagerOptions extends ManagerHandleOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: TlsOptions;
  /** Checks who asks for more than health with the API server; needed where others reach the port. Absent: everybody may. */
  readonly access?: Omit<AccessFilterOptions, 'env'>;
}

/** Listens until `close`. @throws when the port is taken */
export function serveManager(options: ServeManagerOptions): Promise<Listener> {
  const { env, host, port, tls, access } = options;
  const pages = { process: processDiagnosis, ...options.pages };
  const handle = createManagerHandle({ ...options, pages });
  return listen({
    env,
    port,
    handle: access === undefined ? handle : withAccessFilter(handle, { ...access, env }),
    ...(host === undefined ? {} : { host }),
    ...(tls === undefined ? {} : { tls }),
    drainMs: drainMs,
  });
}

/**
 * The same as a part of the manager itself.
 *
 * @example
 * manager.add(managerServer({ env, source: manager, port: 8080 }), { group: 'services' });
 */
export function managerServer(options: ServeManagerOptions): Runnable & { readonly port: number | undefined } {
  let listener: Listener | undefined;
  return {
    name: 'manager server',
    get port() {
      return listener?.port;
    },
    async run({ signal }) {
      listener = await serveManager(options);
      options.env.log.info('serving health, metrics and diagnostics', {
        address: listener.address,
        port: listener.port,
      });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await listener.close();
    },
  };
}

// Nothing it answers takes long.
const drainMs = 1_000;
