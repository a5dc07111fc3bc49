// Who may read a component's port: delegated to the API server by --authentication-kubeconfig and --authorization-kubeconfig, as upstream's
// components do. Without either everybody who reaches the port may; it is on loopback unless told otherwise.

import { homedir } from 'node:os';
import type { Env } from '@homeostat/base';
import { type Client, createClient, selectContext, type Transport } from '@homeostat/client';
import { connectionOf, createHttpTransport, loadKubeconfig } from '@homeostat/client/node';
import { CliError } from '../cli-error.ts';
import { type FlagValues, textFlag } from '../flags/flag.ts';

export interface ServingAccess {
  /** Asks about rights. */
  readonly client: Client;
  /** Asks about tokens. */
  readonly tokenClient: Client;
  close(): Promise<void>;
}

/** @throws CliError when a kubeconfig can't be used */
export function servingAccess(values: FlagValues, env: Env, userAgent: string): ServingAccess | undefined {
  const authentication = textFlag(values, 'authentication-kubeconfig');
  const authorization = textFlag(values, 'authorization-kubeconfig');
  const forTokens = authentication ?? authorization;
  const forRights = authorization ?? authentication;
  if (forTokens === undefined || forRights === undefined) return undefined;
  const transports = new Map<string, Transport>();
  const clientOf = (path: string): Client => {
    let transport = transports.get(path);
    if (transport === undefined) {
      transport = transportOf(path, env);
      transports.set(path, transport);
    }
    return createClient({ transport, env, userAgent });
  };
  return {
    client: clientOf(forRights),
    tokenClient: clientOf(forTokens),
    close: async () => {
      await Promise.all(Array.from(transports.values(), (transport) => transport.close()));
    },
  };
}

function transportOf(path: string, env: Env): Transport {
  try {
    const config = loadKubeconfig({ path, variable: undefined, home: homedir() });
    return createHttpTransport({ ...connectionOf(selectContext(config), env, process.env), env });
  } catch (error) {
    throw new CliError(`${path}: ${error instanceof Error ? error.message : String(error)}`, 1, { cause: error });
  }
}
