// How long a kind of request takes when the server is at ease, so that one can tell when it is not.

/** Faster answers are never slow: on a quick network the factor alone would call noise overload. */
const slowAtLeastMs = 100;
const slowFactor = 4;
/** A server that has become slow for good is the new normal after a while: four times slower, about a quarter of an hour. */
const driftMs = 3_600_000;
const keysMax = 256;

/** Baselines by key; of more than 256 keys the oldest is forgotten. */
export class LatencyBaseline {
  readonly #baselines = new Map<string, { readonly latencyMs: number; readonly atMs: number }>();

  /** Takes note of a latency; whether it is slow: over 100 ms and over four times the baseline. */
  isSlow(key: string, latencyMs: number, nowMs: number): boolean {
    const known = this.#baselines.get(key);
    if (known === undefined) {
      const [oldest] = this.#baselines.keys();
      if (this.#baselines.size >= keysMax && oldest !== undefined) this.#baselines.delete(oldest);
      this.#baselines.set(key, { latencyMs, atMs: nowMs });
      return false;
    }
    const weight = latencyMs < known.latencyMs ? 1 : 1 - Math.exp(-(nowMs - known.atMs) / driftMs);
    this.#baselines.set(key, { latencyMs: known.latencyMs + (latencyMs - known.latencyMs) * weight, atMs: nowMs });
    return latencyMs > slowAtLeastMs && latencyMs > known.latencyMs * slowFactor;
  }
}
