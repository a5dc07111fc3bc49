// `npm run bench -- peers`: our runtime beside client-go and the official JavaScript client, each a process of its own, over
// TLS and JSON. Sync and dispatch run against a server with canned answers, latency against our API server.

import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { PushCommand } from './peers/canned-server.ts';
import { startServerProcess } from './server-process.ts';
import { millis, type PeerRow } from './table.ts';

const pods = 100_000;
const events = 100_000;
const latencies = 500;
const directory = path.join(import.meta.dirname, 'peers');

/** A program under test; undefined where its tools are absent. */
interface Peer {
  readonly name: 'ours' | 'clientGo' | 'clientNode';
  start(kubeconfig: string, ...args: readonly string[]): ChildProcess;
}

interface CannedServer {
  readonly kubeconfig: string;
  push(count: number): void;
  stop(): void;
}

export async function peerRows(): Promise<readonly PeerRow[]> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'homeostat-bench-peers-'));
  try {
    const peers = findPeers(scratch);
    const canned = await startCannedServer(scratch);
    const rows = [...(await syncRows(peers, canned)), ...(await dispatchRows(peers, canned))];
    canned.stop();
    return [...rows, ...(await latencyRows(peers)), await queueRow(peers)];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function syncRows(peers: readonly Peer[], canned: CannedServer): Promise<readonly PeerRow[]> {
  const time: Record<string, string> = {};
  const memory: Record<string, string> = {};
  const peak: Record<string, string> = {};
  for (const peer of peers) {
    const lines = readLines(peer.start(canned.kubeconfig, 'sync', String(pods)));
    const { ms, count, before, after, peak: most } = await lines();
    if (count !== pods) throw new Error(`${peer.name} has ${String(count)} of ${pods} Pods`);
    time[peer.name] = millis(Number(ms));
    memory[peer.name] = `${Math.round((Number(after) - Number(before)) / pods).toLocaleString('en')} B`;
    peak[peer.name] = `${Math.round(Number(most) / 1e6).toLocaleString('en')} MB`;
  }
  return [
    { what: 'informer of 100,000 Pods of 1.5 KB: sync', ...time },
    { what: '  resident memory a Pod, after a collection', ...memory },
    { what: '  resident memory of the process, at most', ...peak },
  ];
}

async function dispatchRows(peers: readonly Peer[], canned: CannedServer): Promise<readonly PeerRow[]> {
  const rows: PeerRow[] = [];
  for (const handlers of [1, 10, 100]) {
    const row: Record<string, string> = {};
    for (const peer of peers) {
      const child = peer.start(canned.kubeconfig, 'dispatch', String(handlers));
      const lines = readLines(child);
      await lines();
      child.stdin?.write(`${events}\n`);
      await lines();
      canned.push(events);
      const { ms } = await lines();
      row[peer.name] = `${Math.round((events / Number(ms)) * 1000).toLocaleString('en')}/s`;
    }
    rows.push({ what: `events through to ${handlers} handler${handlers === 1 ? '' : 's'}`, ...row });
  }
  return rows;
}

async function latencyRows(peers: readonly Peer[]): Promise<readonly PeerRow[]> {
  const server = await startServerProcess('apiserver', ['--storage', 'memory']);
  const row: Record<string, string> = {};
  try {
    for (const peer of peers) {
      const { p50, p99 } = await readLines(peer.start(server.kubeconfig, 'latency', String(latencies)))();
      row[peer.name] = `${millis(Number(p50))}, ${millis(Number(p99))}`;
    }
  } finally {
    await server.stop();
  }
  return [{ what: 'from a write to the work it wakes, against our server: p50, p99', ...row }];
}

async function queueRow(peers: readonly Peer[]): Promise<PeerRow> {
  const row: Record<string, string> = {};
  for (const peer of peers) {
    if (peer.name === 'clientNode') continue;
    const { us } = await readLines(peer.start('none', 'queue'))();
    row[peer.name] = `${Math.round(Number(us))} µs`;
  }
  return { what: 'work queue, 1,000 × (add, get, done)', ...row };
}

function findPeers(scratch: string): readonly Peer[] {
  const node = (file: string): Peer['start'] => {
    const options = ['--expose-gc', '--max-old-space-size=8192', file];
    return (...args) => spawn(process.execPath, [...options, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  };
  const peers: Peer[] = [{ name: 'ours', start: node(path.join(directory, 'ours.ts')) }];
  const binary = path.join(scratch, 'client-go');
  if (attempt('client-go', 'go', ['build', '-o', binary, '.'], 'go')) {
    peers.push({
      name: 'clientGo',
      start: (...args) => spawn(binary, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
    });
  }
  const installed = existsSync(path.join(directory, 'node/node_modules'));
  if (installed || attempt('@kubernetes/client-node', 'npm', ['ci', '--no-audit', '--no-fund'], 'node'))
    peers.push({ name: 'clientNode', start: node(path.join(directory, 'node/peer.mjs')) });
  return peers;
}

/** Prepares a peer; says so and goes on without it where that fails. */
function attempt(name: string, command: string, args: readonly string[], folder: string): boolean {
  try {
    execFileSync(command, args, { cwd: path.join(directory, folder), stdio: ['ignore', 'ignore', 'pipe'] });
    return true;
  } catch (error) {
    process.stderr.write(`without ${name}: ${String(error).split('\n')[0]}\n`);
    return false;
  }
}

async function startCannedServer(scratch: string): Promise<CannedServer> {
  const child = fork(path.join(directory, 'canned-server.ts'), [String(pods), path.join(scratch, 'pki')]);
  const { url, ca } = await new Promise<{ readonly url: string; readonly ca: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { readonly url: string; readonly ca: string }));
    child.once('exit', (code) => reject(new Error(`the canned server ended with ${code}`)));
  });
  const kubeconfig = path.join(scratch, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'bench',
          cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
        },
      ],
      users: [{ name: 'bench', user: { token: 'bench' } }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
      'current-context': 'bench',
    }),
  );
  return {
    kubeconfig,
    push: (push) => void child.send({ push } satisfies PushCommand),
    stop: () => void child.kill(),
  };
}

/** Reads the JSON lines a peer prints, one a call. */
function readLines(child: ChildProcess): () => Promise<Readonly<Record<string, unknown>>> {
  if (child.stdout === null) throw new Error('the peer has no stdout');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the peer ended without an answer');
    return JSON.parse(line.value) as Readonly<Record<string, unknown>>;
  };
}
