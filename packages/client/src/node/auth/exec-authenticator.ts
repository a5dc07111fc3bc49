// Credentials from a plugin (spec/client.md §2.4): kept until they expire, or until the server refuses them.

import tty from 'node:tty';
import { abortable, type Counter, type Env } from '@homeostat/base';
import type { ExecConfig } from '../../kubeconfig/exec-config.ts';
import { type ExecCredential, readExecCredential, toExecInfo } from '../../kubeconfig/exec-credential.ts';
import { type KubeconfigCluster, KubeconfigError, type Located } from '../../kubeconfig/kubeconfig.ts';
import type { Authenticator, ClientCertificate, RequestHeaders } from '../http-connection-options.ts';
import type { Environment } from '../proxy/proxy-environment.ts';
import { PluginError, runPlugin } from './run-plugin.ts';

/** A result younger than this stands, whatever it is: a plugin that fails, or prints what has expired, runs once a second. */
const runGapMs = 1_000;
/** Refusals run the plugin at most once in this time: a server that refuses everything must not start a process a request. */
const refusalGapMs = 5_000;

export interface ExecAuthenticatorOptions {
  readonly env: Env;
  readonly config: ExecConfig;
  /** The kubeconfig that holds the exec section. */
  readonly file: string;
  readonly cluster: Located<KubeconfigCluster>;
  /** The cluster's CA bundle, PEM. */
  readonly ca: () => string | undefined;
  readonly environment: Environment;
  /** Whether standard input is a terminal; default asks the system. */
  readonly terminal?: () => boolean;
}

/**
 * Guarantees: 1. one process at a time, whose result all waiting requests share; 2. no process while the credential is good; 3. one
 * more run after a 401, for the next request; the refused one is not repeated.
 */
export class ExecAuthenticator implements Authenticator {
  readonly #options: ExecAuthenticatorOptions;
  readonly #closing = new AbortController();
  /** client-go's name and labels: the exit code, and what came of the call. */
  readonly #calls: Counter;
  #credential: ExecCredential | undefined;
  #failure: unknown;
  #ranAtMs = -Infinity;
  #refusedAtMs = -Infinity;
  #running: Promise<ExecCredential> | undefined;

  constructor(options: ExecAuthenticatorOptions) {
    this.#options = options;
    this.#calls = options.env.metrics.counter({
      name: 'rest_client_exec_plugin_call_total',
      help: 'Number of calls to an exec plugin, partitioned by exit code and what came of the call',
      labelNames: ['code', 'call_status'],
    });
  }

  headers(signal: AbortSignal): RequestHeaders | Promise<RequestHeaders> {
    const { clock } = this.#options.env;
    const young = clock.monotonicMs() - this.#ranAtMs < runGapMs;
    const credential = this.#credential;
    if (credential !== undefined && (young || clock.nowMs() < (credential.expiresAtMs ?? Infinity)))
      return toHeaders(credential);
    if (credential === undefined && young && this.#failure !== undefined) throw this.#failure;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return abortable(this.#running, signal).then(toHeaders);
  }

  clientCertificate(): ClientCertificate | undefined {
    return this.#credential?.certificate;
  }

  refused(headers: RequestHeaders): void {
    // Another request may have had the plugin run already.
    if (this.#credential === undefined || toHeaders(this.#credential)['authorization'] !== headers['authorization'])
      return;
    const nowMs = this.#options.env.clock.monotonicMs();
    if (nowMs - this.#refusedAtMs < refusalGapMs) return;
    this.#refusedAtMs = nowMs;
    this.#ranAtMs = -Infinity;
    this.#failure = undefined;
    this.#credential = undefined;
  }

  close(): void {
    this.#closing.abort(new KubeconfigError('the client was closed while a credential plugin ran'));
  }

  async #run(): Promise<ExecCredential> {
    const { env, config, file, cluster, ca, environment } = this.#options;
    try {
      const interactive = this.#isInteractive();
      const info = toExecInfo(config, { cluster: cluster.value, ca: ca(), interactive });
      const output = await this.#call({
        env,
        config,
        file,
        environment,
        info,
        interactive,
        signal: this.#closing.signal,
      });
      this.#credential = readExecCredential(output, config.apiVersion);
      this.#failure = undefined;
      return this.#credential;
    } catch (error) {
      this.#credential = undefined;
      this.#failure = error;
      throw error;
    } finally {
      this.#ranAtMs = env.clock.monotonicMs();
    }
  }

  async #call(options: Parameters<typeof runPlugin>[0]): Promise<string> {
    try {
      const output = await runPlugin(options);
      this.#calls.inc({ code: '0', call_status: 'no_error' });
      return output;
    } catch (error) {
      const { status, exitCode } =
        error instanceof PluginError ? error : { status: 'client_internal_error', exitCode: 1 };
      this.#calls.inc({ code: String(exitCode), call_status: status });
      throw error;
    }
  }

  #isInteractive(): boolean {
    const { config, terminal = () => tty.isatty(0) } = this.#options;
    if (config.interactiveMode === 'Never') return false;
    const available = terminal();
    if (!available && config.interactiveMode === 'Always')
      throw new KubeconfigError('exec plugin cannot support interactive mode: standard input is not a terminal');
    return available;
  }
}

function toHeaders({ token }: ExecCredential): RequestHeaders {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
