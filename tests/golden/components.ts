// Starts this repository's components as the recordings were made: the same flags, the same tokens, nothing else
// running; a fresh server with its state in memory, on a free port. README.md has the flags of the real ones.

import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  type WriteStream,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@homeostat/base/node';
import type { ServerTarget } from './http-client.ts';

const command = join(import.meta.dirname, '../../packages/cli/bin/homeostat.mjs');

const tokens = `admin-token,admin,admin-uid,system:masters
jane-token,jane,jane-uid,"dev,qa"
kcm-token,system:kube-controller-manager,kcm-uid
scheduler-token,system:kube-scheduler,sched-uid
node1-token,system:node:node-1,node1-uid,system:nodes
`;

const apiServerFlags = [
  '--secure-port=0',
  '--storage=memory',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  '--allow-privileged=true',
  '--endpoint-reconciler-type=none',
  '--service-account-issuer=https://kubernetes.default.svc',
];

const controllerManagerFlags = [
  '--secure-port=0',
  '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
  '--use-service-account-credentials=true',
  '--kube-api-qps=1000',
  '--kube-api-burst=2000',
  '--concurrent-gc-syncs=20',
];

const schedulerFlags = ['--secure-port=0', '--kube-api-qps=1000', '--kube-api-burst=2000'];

const readyTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;

export interface ComponentOptions {
  /** `apiserver`, `controller-manager`, `scheduler` */
  readonly needs: readonly string[];
  /** Further flags of the controller manager. */
  readonly flags: readonly string[];
  /** Folder for the components' logs; absent = they go with the data. */
  readonly logs: string | undefined;
}

export interface RunningComponents {
  readonly target: ServerTarget;
  /** Stops all; @throws when one of them had ended by itself. */
  stop(): Promise<void>;
}

export async function startComponents({ needs, flags, logs }: ComponentOptions): Promise<RunningComponents> {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-golden-'));
  const logFolder = logs ?? folder;
  mkdirSync(logFolder, { recursive: true });
  const suffix = flags.length > 0 ? '-flags' : '';
  const start = (component: string, args: readonly string[]): Component =>
    new Component(component, args, join(logFolder, `${component}.${needs.length}${suffix}.log`));

  const tokenFile = join(folder, 'tokens.csv');
  writeFileSync(tokenFile, tokens, { mode: 0o600 });
  const accountKey = writeAccountKey(folder);
  const apiServer = start('apiserver', [
    ...apiServerFlags,
    `--data-dir=${folder}`,
    `--token-auth-file=${tokenFile}`,
    `--service-account-key-file=${accountKey}`,
    `--service-account-signing-key-file=${accountKey}`,
  ]);
  const running = [apiServer];
  const stop = async (): Promise<void> => {
    const ended = running.filter((component) => component.hasEnded).map((component) => component.describeEnd());
    // The API server goes last: the others would complain.
    for (const component of running.toReversed()) await component.stop();
    rmSync(folder, { recursive: true, force: true });
    if (ended.length > 0) throw new Error(ended.join('\n'));
  };
  try {
    const server = (await apiServer.ready()).replace(/^ready (\S+).*$/, '$1');
    const pki = join(folder, 'pki');
    if (needs.includes('controller-manager')) {
      running.push(
        start('controller-manager', [
          ...controllerManagerFlags,
          `--kubeconfig=${writeKubeconfig(folder, server, 'kcm-token')}`,
          `--root-ca-file=${join(pki, 'ca.crt')}`,
          `--cluster-signing-cert-file=${join(pki, 'ca.crt')}`,
          `--cluster-signing-key-file=${join(pki, 'ca.key')}`,
          `--service-account-private-key-file=${accountKey}`,
          ...flags,
        ]),
      );
    }
    if (needs.includes('scheduler')) {
      running.push(
        start('scheduler', [...schedulerFlags, `--kubeconfig=${writeKubeconfig(folder, server, 'scheduler-token')}`]),
      );
    }
    return { target: { server, token: 'admin-token', ca: join(pki, 'ca.crt') }, stop };
  } catch (error) {
    await stop().catch(() => {}); // the first failure says more
    throw error;
  }
}

function writeAccountKey(folder: string): string {
  const file = join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return file;
}

function writeKubeconfig(folder: string, server: string, token: string): string {
  const file = join(folder, `${token}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'golden', cluster: { server, 'certificate-authority': join(folder, 'pki/ca.crt') } }],
    users: [{ name: 'component', user: { token } }],
    contexts: [{ name: 'golden', context: { cluster: 'golden', user: 'component' } }],
    'current-context': 'golden',
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** A child process whose output goes to a log file. */
class Component {
  readonly #name: string;
  readonly #logFile: string;
  readonly #log: WriteStream;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #output = '';
  #onOutput: () => void = () => {};

  constructor(name: string, args: readonly string[], logFile: string) {
    this.#name = name;
    this.#logFile = logFile;
    this.#log = createWriteStream(logFile);
    this.#child = spawn(process.execPath, [command, name, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr?.pipe(this.#log, { end: false });
    this.#child.stdout?.on('data', (data: Buffer) => {
      this.#log.write(data);
      this.#output += data.toString();
      this.#onOutput();
    });
    this.#exited = new Promise((resolve) => {
      this.#child.on('error', () => resolve());
      this.#child.on('close', () => resolve());
    });
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  describeEnd(): string {
    const tail = readFileSync(this.#logFile, 'utf8').split('\n').slice(-15).join('\n');
    return `${this.#name} ended by itself (${this.#child.exitCode ?? this.#child.signalCode}):\n${tail}`;
  }

  /** Waits for the line that begins with `ready`. */
  async ready(): Promise<string> {
    const timeout = Promise.withResolvers<void>();
    const timer = realClock.setTimer(readyTimeoutMs, timeout.resolve);
    const seen = new Promise<void>((resolve) => {
      this.#onOutput = () => (/^ready .*\n/m.test(this.#output) ? resolve() : undefined);
      this.#onOutput();
    });
    await Promise.race([seen, this.#exited, timeout.promise]);
    timer.cancel();
    const line = /^ready .*$/m.exec(this.#output)?.[0];
    if (line !== undefined) return line;
    if (this.hasEnded) throw new Error(this.describeEnd());
    throw new Error(`${this.#name} was not ready after ${readyTimeoutMs} ms; its log is ${this.#logFile}`);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = realClock.setTimer(stopTimeoutMs, () => this.#child.kill('SIGKILL'));
    await this.#exited;
    timer.cancel();
    this.#log.end();
  }
}
