// How a component that runs alone reaches its API server: a kubeconfig, found as kubectl finds it, or --master.

import { homedir } from 'node:os';
import type { Env } from '@homeostat/base';
import {
  createHttpTransport,
  connectionOf,
  type KubeconfigConnection,
  loadKubeconfig,
  NotInClusterError,
  inClusterConnection,
} from '@homeostat/client/node';
import { selectContext, type Transport } from '@homeostat/client';
import { CliError } from '../cli-error.ts';
import { type FlagValues, textFlag } from '../flags/flag.ts';

export interface ComponentConnection {
  readonly connection: KubeconfigConnection;
  readonly transport: Transport;
}

/** @throws CliError saying what is missing */
export function connect(values: FlagValues, env: Env): ComponentConnection {
  const found = findConnection(values, env);
  const master = textFlag(values, 'master');
  const connection = master === undefined ? found : { ...found, server: master };
  return { connection, transport: createHttpTransport({ ...connection, env }) };
}

function findConnection(values: FlagValues, env: Env): KubeconfigConnection {
  const path = textFlag(values, 'kubeconfig');
  const variable = process.env['KUBECONFIG'];
  try {
    if (path === undefined && (variable ?? '') === '') {
      try {
        return inClusterConnection({
          env,
          host: process.env['KUBERNETES_SERVICE_HOST'],
          port: process.env['KUBERNETES_SERVICE_PORT'],
          environment: process.env,
        });
      } catch (error) {
        if (!(error instanceof NotInClusterError)) throw error;
      }
    }
    const config = loadKubeconfig({ path, variable, home: homedir() });
    return connectionOf(selectContext(config), env, process.env);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      `no API server to work against: ${error instanceof Error ? error.message : String(error)}; name one with --kubeconfig`,
      1,
      { cause: error },
    );
  }
}
