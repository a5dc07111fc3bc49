// The life of a component that runs alone: health server, the work itself, a drain on signals; exit code 1 when leadership
// is lost, so that whoever supervises it starts it afresh.

import { readFileSync } from 'node:fs';
import type { Env } from '@homeostat/base';
import type { CertificatePair } from '@homeostat/apiserver/node';
import { LeadershipLostError, type ManagerSource } from '@homeostat/runtime';
import { serveManager } from '@homeostat/runtime/node';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, numberFlag, textFlag } from '../flags/flag.ts';
import { signalStop } from './run-until-signal.ts';
import { type ServingAccess, servingAccess } from './serving-access.ts';
import { toStartProblem } from './start-problem.ts';

export interface ComponentProcess {
  readonly env: Env;
  readonly values: FlagValues;
  /** For messages and the serving certificate, e.g. `kube-controller-manager`. */
  readonly name: string;
  /** What its port tells of: the manager. */
  readonly source: ManagerSource;
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Releases connections. */
  close(): Promise<void>;
}

export async function runComponent(component: ComponentProcess): Promise<void> {
  const { values, env, name } = component;
  const stop = signalStop();
  const host = textFlag(values, 'bind-address') ?? '127.0.0.1';
  const port = numberFlag(values, 'secure-port');
  let server: { close(): Promise<void> } | undefined;
  let access: ServingAccess | undefined;
  try {
    if (port !== 0) {
      access = servingAccess(values, env, name);
      const tls = { ...(await certificateOf(component, host)), ...clientCaOf(values) };
      const source = boolFlag(values, 'profiling') ? component.source : withoutDiagnoses(component.source);
      server = await serveManager({ env, host, port, tls, source, ...(access === undefined ? {} : { access }) });
    }
    env.log.info('running', { component: name });
    await component.run({ signal: stop.signal });
  } catch (error) {
    if (error instanceof LeadershipLostError) throw new CliError('leaderelection lost', 1, { cause: error });
    if (!stop.signal.aborted) throw toStartProblem(error, { host, port, dataDir: '' });
  } finally {
    await server?.close();
    await access?.close();
    await component.close();
    stop.dispose();
  }
}

function withoutDiagnoses(source: ManagerSource): ManagerSource {
  return { health: () => source.health(), ready: () => source.ready() };
}

function clientCaOf(values: FlagValues): { readonly clientCa?: readonly string[] } {
  const file = textFlag(values, 'client-ca-file');
  return file === undefined ? {} : { clientCa: [readFileSync(file, 'utf8')] };
}

async function certificateOf({ values, env, name }: ComponentProcess, host: string): Promise<CertificatePair> {
  const cert = textFlag(values, 'tls-cert-file');
  const key = textFlag(values, 'tls-private-key-file');
  if (cert !== undefined && key !== undefined)
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const { createAuthority, issueCertificate } = await import('@homeostat/apiserver/node');
  const validity = { nowMs: env.clock.nowMs(), days: 365 };
  const authority = await createAuthority({ commonName: `${name}-ca` }, validity);
  return issueCertificate(
    authority,
    { commonName: name, usage: 'server', hosts: ['localhost', '127.0.0.1', host] },
    validity,
  );
}
