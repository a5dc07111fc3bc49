// Runs a credential plugin once and gives what it printed. Bounds: 1 MiB of output, 60 s (five minutes when a person is asked); beyond
// them the process is killed and the call fails.

import { spawn } from 'node:child_process';
import { dirname, isAbsolute, join } from 'node:path';
import type { Env } from '@homeostat/base';
import type { ExecConfig } from '../../kubeconfig/exec-config.ts';
import { KubeconfigError } from '../../kubeconfig/kubeconfig.ts';
import type { Environment } from '../proxy/proxy-environment.ts';

const outputMaxBytes = 1 << 20;
const complaintMaxBytes = 4096;
const timeoutMs = 60_000;
const interactiveTimeoutMs = 300_000;

/** A plugin that could not be run to a good end; `status` and `exitCode` as client-go counts them. */
export class PluginError extends KubeconfigError {
  readonly status: 'plugin_not_found_error' | 'plugin_execution_error' | 'client_internal_error';
  readonly exitCode: number;

  constructor(
    status: PluginError['status'],
    message: string,
    options: ErrorOptions & { readonly exitCode?: number } = {},
  ) {
    super(message, options);
    this.status = status;
    this.exitCode = options.exitCode ?? 1;
  }
}

export interface RunPluginOptions {
  readonly env: Env;
  readonly config: ExecConfig;
  /** The kubeconfig: a relative command with a slash is beside it. */
  readonly file: string;
  readonly environment: Environment;
  /** Value of KUBERNETES_EXEC_INFO. */
  readonly info: string;
  /** The plugin may talk to the person at the terminal. */
  readonly interactive: boolean;
  /** Kills it. */
  readonly signal: AbortSignal;
}

/** @throws PluginError when it can't be run, fails, prints too much or takes too long; the signal's reason. */
export function runPlugin(options: RunPluginOptions): Promise<string> {
  const { env, config, file, environment, info, interactive, signal } = options;
  const command = commandOf(config.command, file);
  const limitMs = interactive ? interactiveTimeoutMs : timeoutMs;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(command, [...config.args], {
      env: {
        ...environment,
        ...Object.fromEntries(config.env.map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: info,
      },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
      windowsHide: true,
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let complaint = '';
    const settle = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open.
      child.stdout?.destroy();
      child.stderr?.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const timer = env.clock.setTimer(limitMs, () => {
      fail(internal(`exec: executable ${command} took more than ${limitMs / 1000} s and was killed`));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdout?.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= outputMaxBytes) chunks.push(chunk);
      else fail(internal(`exec: executable ${command} printed more than ${outputMaxBytes} bytes`));
    });
    child.stderr?.on('data', (chunk: Uint8Array) => {
      complaint = (complaint + Buffer.from(chunk).toString()).slice(-complaintMaxBytes);
    });
    child.on('error', (error: NodeJS.ErrnoException) => fail(startFailure(command, config, error)));
    child.once('close', (code, killedBy) => {
      settle();
      if (code === 0) {
        resolve(Buffer.concat(chunks).toString('utf8'));
        return;
      }
      const how = code === null ? `was ended by ${killedBy}` : `failed with exit code ${code}`;
      const said = complaint.trim();
      const message = `exec: executable ${command} ${how}${said === '' ? '' : `: ${said}`}`;
      reject(new PluginError('plugin_execution_error', message, { exitCode: code ?? -1 }));
    });
  });
}

/** As kubectl: a bare name is looked up in PATH, a relative path is beside the kubeconfig. */
function commandOf(command: string, file: string): string {
  return isAbsolute(command) || !/[/\\]/.test(command) ? command : join(dirname(file), command);
}

function internal(message: string): PluginError {
  return new PluginError('client_internal_error', message);
}

function startFailure(command: string, config: ExecConfig, error: NodeJS.ErrnoException): PluginError {
  const status = 'plugin_not_found_error';
  if (error.code !== 'ENOENT') return new PluginError(status, `exec: ${command}: ${error.message}`, { cause: error });
  const hint = config.installHint === '' ? '' : `\n\n${config.installHint}`;
  return new PluginError(
    status,
    `exec: executable ${command} not found\n\nThe kubeconfig uses a credential plugin that is not installed.${hint}`,
    { cause: error },
  );
}
