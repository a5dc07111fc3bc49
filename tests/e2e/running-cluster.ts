// A cluster of its own for an e2e test: `homeostat up` as a process, on a free port and a temporary directory, with the real
// kubectl and helm pointed at it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { kubectlAndHelm } from '../../tools/kubectl.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const bin = path.join(root, 'packages/cli/bin/homeostat.mjs');

/** What a program said and how it ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCluster {
  readonly url: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  kubectl(...args: readonly string[]): Promise<Ran>;
  /** kubectl whose success is part of the test; its standard output. */
  kubectlOk(...args: readonly string[]): Promise<string>;
  helm(...args: readonly string[]): Promise<Ran>;
  homeostat(...args: readonly string[]): Promise<Ran>;
  /** Ends the process with a signal and starts it again on the same data. */
  restart(signal: NodeJS.Signals): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

/** Starts `homeostat up` with further arguments; resolves at its ready line. */
export async function startUp(args: readonly string[] = []): Promise<RunningCluster> {
  const directory = mkdtempSync(path.join(tmpdir(), 'homeostat-e2e-'));
  const dataDir = path.join(directory, 'data');
  const tools = kubectlAndHelm();
  let running = await start(dataDir, args);
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    KUBECONFIG: running.kubeconfig,
    HOME: directory,
    HELM_CACHE_HOME: path.join(directory, 'helm'),
    HELM_CONFIG_HOME: path.join(directory, 'helm'),
    HELM_DATA_HOME: path.join(directory, 'helm'),
  });
  const run = (program: string, programArgs: readonly string[]): Promise<Ran> =>
    runProgram(program, programArgs, environment());
  const cluster: RunningCluster = {
    get url() {
      return running.url;
    },
    get kubeconfig() {
      return running.kubeconfig;
    },
    dataDir,
    kubectl: (...programArgs) => run(tools.kubectl, programArgs),
    kubectlOk: async (...programArgs) => {
      const ran = await run(tools.kubectl, programArgs);
      if (ran.code !== 0)
        throw new Error(`kubectl ${programArgs.join(' ')} ended with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
      return ran.stdout;
    },
    helm: (...programArgs) => run(tools.helm, programArgs),
    homeostat: (...programArgs) => run(process.execPath, [bin, ...programArgs]),
    restart: async (signal) => {
      await end(running.process, signal);
      running = await start(dataDir, args);
    },
    close: async () => {
      await end(running.process, 'SIGTERM');
      rmSync(directory, { recursive: true });
    },
  };
  return cluster;
}

interface Started {
  readonly process: ChildProcess;
  readonly url: string;
  readonly kubeconfig: string;
}

async function start(dataDir: string, args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [bin, 'up', '--secure-port', '0', '--data-dir', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing is left behind when the test runner is killed.
    env: { ...process.env, HOMEOSTAT_PARENT_PID: String(process.pid) },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const match = /^ready (\S+) kubeconfig=(.+)$/.exec(line);
    if (match === null) continue;
    child.stdout.resume();
    return { process: child, url: match[1] ?? '', kubeconfig: match[2] ?? '' };
  }
  throw new Error(`homeostat up ended before it was ready:\n${errors}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

function runProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
