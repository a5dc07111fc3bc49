// What a resource command works with: a client for the chosen context, its namespace, and a mapper from names to resources.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Env } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { type Client, createClient, createRestMapper, NoMatchError, type RestMapper } from '@homeostat/client';
import { createKubeconfigTransport } from '@homeostat/client/node';
import { CliError } from '../cli-error.ts';
import { parseDurationMs } from '../flags/flag.ts';

/** Options every resource command has. */
export interface TargetOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly requestTimeout?: string;
}

export interface Session {
  readonly env: Env;
  readonly client: Client;
  readonly mapper: RestMapper;
  /** Of `--namespace`, or of the context. */
  readonly namespace: string;
}

/** Opens a session, runs `work`, closes connections. Errors of the API are printed as kubectl prints them. */
export async function withSession(options: TargetOptions, work: (session: Session) => Promise<void>): Promise<void> {
  const env = createRealEnv({ level: 'error' });
  const { transport, namespace } = openTransport(options, env);
  const timeoutMs = parseDurationMs(
    /^\d+$/.test(options.requestTimeout ?? '0') ? `${options.requestTimeout ?? '0'}s` : (options.requestTimeout ?? '0'),
  );
  const client = createClient({
    transport,
    env,
    userAgent: 'homeostat',
    ...(timeoutMs > 0 ? { timeoutMs } : {}),
    onWarning: (text) => process.stderr.write(`Warning: ${text}\n`),
  });
  try {
    await work({ env, client, mapper: createRestMapper({ client, env }), namespace: options.namespace ?? namespace });
  } catch (error) {
    throw toCliError(error);
  } finally {
    await transport.close();
  }
}

/** API errors as kubectl words them: `Error from server (NotFound): …`. */
export function toCliError(error: unknown): unknown {
  if (error instanceof CliError) return error;
  if (error instanceof NoMatchError) return new CliError(error.message, 1, { cause: error });
  const { name, reason, message } = (error ?? {}) as {
    readonly name?: string;
    readonly reason?: string;
    readonly message?: string;
  };
  if (name === 'ApiError') {
    const server = reason === undefined || reason === '' ? 'Error from server' : `Error from server (${reason})`;
    return new CliError(message ?? '', 1, { cause: error, text: `${server}: ${message ?? ''}` });
  }
  if (name === 'TransportError' || name === 'KubeconfigError' || name === 'NotInClusterError')
    return new CliError(message ?? String(error), 1, { cause: error });
  return error;
}

// As kubectl: --kubeconfig, then KUBECONFIG, then ~/.kube/config; and at last a cluster of this folder.
function openTransport(options: TargetOptions, env: Env): ReturnType<typeof createKubeconfigTransport> {
  const variable = process.env['KUBECONFIG'];
  const own = path.resolve('.homeostat/kubeconfig');
  const nothingChosen =
    options.kubeconfig === undefined && (variable ?? '') === '' && !existsSync(path.join(homedir(), '.kube', 'config'));
  const file = options.kubeconfig ?? (nothingChosen && existsSync(own) ? own : undefined);
  try {
    return createKubeconfigTransport({
      env,
      path: file,
      home: homedir(),
      context: options.context,
      environment: process.env,
    });
  } catch (error) {
    throw toCliError(error);
  }
}
