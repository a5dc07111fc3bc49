// A homeostat process to measure: started on a free port and a temporary directory, with a client over TLS and its memory.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createRealEnv } from '@homeostat/base/node';
import { type Client, createClient, type Transport } from '@homeostat/client';
import { createKubeconfigTransport } from '@homeostat/client/node';

const bin = path.resolve(import.meta.dirname, '../packages/cli/bin/homeostat.mjs');

export interface ServerProcess {
  readonly client: Client;
  readonly transport: Transport;
  readonly kubeconfig: string;
  readonly url: string;
  /** From spawn to the ready line. */
  readonly startMs: number;
  /** Resident memory now, bytes. */
  residentBytes(): number;
  /** One more connection of its own. */
  connect(): Transport;
  stop(): Promise<void>;
}

/** Starts `homeostat <command>`; resolves at its ready line. */
export async function startServerProcess(
  command: 'up' | 'apiserver',
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const directory = mkdtempSync(path.join(tmpdir(), 'homeostat-bench-'));
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [bin, command, '--secure-port', '0', '--data-dir', path.join(directory, 'data'), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOMEOSTAT_PARENT_PID: String(process.pid) },
    },
  );
  let ready: RegExpExecArray | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    ready = /^ready (\S+) kubeconfig=(.+)$/.exec(line) ?? undefined;
    if (ready !== undefined) break;
  }
  if (ready === undefined) throw new Error('the server did not become ready');
  const startMs = performance.now() - started;
  child.stdout.resume();
  const kubeconfig = ready[2] ?? '';
  const env = createRealEnv({ level: 'error' });
  const connect = (): Transport => createKubeconfigTransport({ env, path: kubeconfig }).transport;
  const transport = connect();
  return {
    client: createClient({ transport, env, userAgent: 'bench' }),
    transport,
    kubeconfig,
    url: ready[1] ?? '',
    startMs,
    residentBytes: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    connect,
    stop: async () => {
      await transport.close();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Calls `work` `count` times with at most `inFlight` at once; latencies in milliseconds, ascending, and the time of all. */
export async function load(
  count: number,
  inFlight: number,
  work: (index: number) => Promise<unknown>,
): Promise<{ readonly latencies: readonly number[]; readonly elapsedMs: number }> {
  const latencies: number[] = [];
  let next = 0;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const from = performance.now();
      await work(index);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { latencies: latencies.sort((a, b) => a - b), elapsedMs: performance.now() - started };
}
