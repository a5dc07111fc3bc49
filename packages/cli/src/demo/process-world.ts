// The demo's world of real processes: an API server on disk, two controller managers, a scheduler and three node agents, each
// a process of its own, talking over TLS. Waiting times are cut so that the story fits into a minute.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createRealEnv } from '@homeostat/base/node';
import { createClient } from '@homeostat/client';
import { createKubeconfigTransport } from '@homeostat/client/node';
import { CliError } from '../cli-error.ts';
import type { DemoWorld, ToldAction } from './world.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/homeostat.mjs');
const leaseFlags = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=500ms',
];
// Agents renew their leases every ten seconds: less grace than that would give up nodes that are well.
const nodeFlags = ['--node-monitor-grace-period=14s', '--node-monitor-period=500ms', '--node-eviction-rate=10'];
const managers = ['manager-1', 'manager-2'] as const;

export async function createProcessWorld(): Promise<DemoWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), 'homeostat-demo-'));
  const dataDir = path.join(directory, 'data');
  const children = new Map<string, ChildProcess>();
  const listeners: ((action: ToldAction) => void)[] = [];
  const start = (name: string, args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [bin, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOMEOSTAT_PARENT_PID: String(process.pid) },
    });
    children.set(name, child);
    return child;
  };
  const server = start('apiserver', ['apiserver', '--secure-port', '0', '--data-dir', dataDir]);
  const kubeconfig = await readyLine(server);
  const common = ['--kubeconfig', kubeconfig, '--secure-port', '0'];
  for (const name of managers) {
    const manager = start(name, [
      'controller-manager',
      ...common,
      ...leaseFlags,
      ...nodeFlags,
      '--v',
      '2',
      '--logging-format',
      'json',
    ]);
    tellActions(manager, name, listeners);
  }
  start('scheduler', ['scheduler', ...common, '--leader-elect=false']).stderr?.resume();
  for (const name of ['node-1', 'node-2', 'node-3'])
    start(name, ['kubelet', '--kubeconfig', kubeconfig, '--hostname-override', name]).stderr?.resume();

  const env = createRealEnv({ level: 'error' });
  const { transport } = createKubeconfigTransport({ env, path: kubeconfig });
  const client = createClient({ transport, env, userAgent: 'demo' });
  return {
    env,
    client,
    transport,
    gracePeriodSeconds: 14,
    tolerationSeconds: 2,
    onAction: (listener) => void listeners.push(listener),
    during: (work) => work,
    waitFor: async (what, check) => {
      for (let tries = 0; tries < 600; tries++) {
        if (await check()) return;
        await env.clock.sleep(100);
      }
      throw new CliError(`never happened: ${what}`);
    },
    stopNode: async (name) => {
      await kill(children.get(name));
    },
    killLeader: async () => {
      const lease = (await client.request({
        method: 'GET',
        path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
      })) as { spec: { holderIdentity: string } };
      const name = managers.find((manager) => lease.spec.holderIdentity === identities.get(manager)) ?? managers[0];
      await kill(children.get(name));
      return name;
    },
    close: async () => {
      await transport.close();
      for (const [name, child] of children) if (name !== 'apiserver') await kill(child);
      await kill(server);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Lease identities by process, learned from their logs. */
const identities = new Map<string, string>();

// The managers log each action as JSON at debug level.
function tellActions(child: ChildProcess, name: string, listeners: readonly ((action: ToldAction) => void)[]): void {
  if (child.stderr === null) return;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const entry = JSON.parse(line) as {
      readonly msg?: string;
      readonly identity?: string;
      readonly action?: ToldAction;
    };
    if (entry.msg === 'became leader' && entry.identity !== undefined) identities.set(name, entry.identity);
    if (entry.msg === 'acted' && entry.action !== undefined)
      for (const listener of listeners) listener({ ...entry.action, process: name });
  });
}

async function readyLine(child: ChildProcess): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      const match = /kubeconfig=(.+)$/.exec(line);
      if (match?.[1] !== undefined) return match[1];
    }
  }
  throw new CliError(`the API server of the demo did not start:\n${errors}`);
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
