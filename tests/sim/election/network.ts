// The network between simulated processes and the API server: messages take time, go astray, arrive late, and arrive though nobody waits for
// their answer any more.

import { abortable, type Random, type VirtualClock } from '@homeostat/base';
import { type ApiRequest, type ApiResponse, type Handle, TransportError } from '@homeostat/client';

export interface NetworkOptions {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly handle: Handle;
  readonly onSend: (sender: Sender, request: ApiRequest) => void;
  readonly onAnswer: (request: ApiRequest, status: number) => void;
}

/** One run of the process on one machine; cuts are of the machine. */
export interface Sender {
  readonly machine: string;
  readonly run: number;
}

export type Direction = 'requests' | 'answers' | 'both';

const usualDelayMs = 20;

export class Network {
  /** No message takes longer than this, whatever the trouble. */
  readonly longestDelayMs = 2 * (usualDelayMs + 12_000);
  readonly #options: NetworkOptions;
  readonly #cuts = new Map<string, { readonly direction: Direction; readonly endMs: number }>();
  #slow = { extraMs: 0, endMs: 0 };

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  cut(machine: string, direction: Direction, lastMs: number): void {
    this.#cuts.set(machine, { direction, endMs: this.#options.clock.monotonicMs() + lastMs });
  }

  slowDown(extraMs: number, lastMs: number): void {
    this.#slow = { extraMs, endMs: this.#options.clock.monotonicMs() + lastMs };
  }

  heal(): void {
    this.#cuts.clear();
    this.#slow = { extraMs: 0, endMs: 0 };
  }

  /** Resolves or rejects as a connection would; a lost message is waited for until the request's own time-out. */
  send(sender: Sender, request: ApiRequest): Promise<ApiResponse> {
    this.#options.onSend(sender, request);
    return abortable(this.#exchange(sender.machine, request), request.signal);
  }

  async #exchange(machine: string, request: ApiRequest): Promise<ApiResponse> {
    const { clock, handle, onAnswer } = this.#options;
    await clock.sleep(this.#delayMs());
    if (this.#lost(machine, 'requests')) return this.#astray();
    // The server does not know whether somebody still waits.
    const response = await handle({ ...request, signal: neverAborts, peer: { user: { username: machine } } });
    onAnswer(request, response.status);
    await clock.sleep(this.#delayMs());
    return this.#lost(machine, 'answers') ? this.#astray() : response;
  }

  #delayMs(): number {
    const { clock, random } = this.#options;
    const extraMs = clock.monotonicMs() < this.#slow.endMs ? this.#slow.extraMs * random.float() : 0;
    return random.float() * usualDelayMs + extraMs;
  }

  #lost(machine: string, way: 'requests' | 'answers'): boolean {
    const cut = this.#cuts.get(machine);
    if (cut === undefined || this.#options.clock.monotonicMs() >= cut.endMs) return false;
    return cut.direction === 'both' || cut.direction === way;
  }

  async #astray(): Promise<never> {
    const { clock, random } = this.#options;
    // Half of the broken connections tell so; the others hang.
    if (random.float() < 0.5) throw new TransportError('reset', 'connection reset');
    await clock.sleep(600_000);
    throw new TransportError('timeout', 'connection timed out');
  }
}

const neverAborts = new AbortController().signal;
