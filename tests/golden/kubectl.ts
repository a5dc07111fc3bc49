// Runs kubectl as a recording did: without a home, with a cache of its own.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@homeostat/base/node';
import type { ServerTarget } from './http-client.ts';
import type { Answer, Step } from './recording.ts';

const defaultTimeoutMs = 60_000;

export class Kubectl {
  readonly #binary: string;
  readonly #connection: readonly string[];
  readonly #cache = mkdtempSync(join(tmpdir(), 'homeostat-golden-kubectl-'));

  constructor(binary: string, target: ServerTarget, kubeconfig: string | undefined) {
    this.#binary = binary;
    this.#connection =
      kubeconfig === undefined
        ? [
            '--server',
            target.server,
            '--token',
            target.token ?? '',
            ...(target.ca === undefined ? ['--insecure-skip-tls-verify'] : ['--certificate-authority', target.ca]),
          ]
        : ['--kubeconfig', kubeconfig];
  }

  close(): void {
    rmSync(this.#cache, { recursive: true, force: true });
  }

  run({
    args = [],
    stdin = '',
    timeoutMs = defaultTimeoutMs,
  }: Pick<Step, 'args' | 'stdin' | 'timeoutMs'>): Promise<Answer> {
    return new Promise((resolve) => {
      const child = spawn(this.#binary, [...this.#connection, ...args.map(String)], {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...process.env, HOME: '/nonexistent', KUBECACHEDIR: this.#cache },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
      child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
      const timer = realClock.setTimer(timeoutMs, () => child.kill());
      child.on('error', (error) => {
        timer.cancel();
        resolve({ error: error.message });
      });
      child.on('close', (code) => {
        timer.cancel();
        resolve({ code, stdout, stderr });
      });
      child.stdin.on('error', () => {}); // it may end without reading
      child.stdin.end(stdin);
    });
  }
}
