// The pace at which nodes of a zone are tainted NoExecute: a token bucket of burst 1 over a first-in first-out set
// (spec/infrastructure.md §4.6b, §4.7). Time is passed in.

/** One zone's queue. A node that was handled is not taken again until it is forgotten. */
export class ZoneQueue {
  #qps: number;
  #tokens = 1;
  #lastMs: number;
  readonly #waiting = new Set<string>();
  readonly #handled = new Set<string>();

  constructor(qps: number, nowMs: number) {
    this.#qps = qps;
    this.#lastMs = nowMs;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Changes the rate; what was saved up is kept. At 0 nothing is taken, and nothing has been saved up when that ends. */
  setRate(qps: number, nowMs: number): void {
    if (qps === this.#qps) return;
    this.#refill(nowMs);
    if (this.#qps <= 0) this.#tokens = 0;
    this.#qps = qps;
  }

  add(node: string): void {
    if (!this.#handled.has(node)) this.#waiting.add(node);
  }

  /** Takes a node out and lets it be added again. */
  forget(node: string): void {
    this.#waiting.delete(node);
    this.#handled.delete(node);
  }

  /** The nodes that may be tainted now; they count as handled. */
  take(nowMs: number): readonly string[] {
    if (this.#qps <= 0) return [];
    this.#refill(nowMs);
    const taken: string[] = [];
    for (const node of this.#waiting) {
      if (this.#tokens < 1) break;
      this.#tokens -= 1;
      this.#waiting.delete(node);
      this.#handled.add(node);
      taken.push(node);
    }
    return taken;
  }

  #refill(nowMs: number): void {
    const elapsed = Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#tokens = Math.min(1, this.#tokens + (elapsed / 1000) * this.#qps);
  }
}
