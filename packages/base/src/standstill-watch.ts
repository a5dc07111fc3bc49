// Notices that virtual time stands still while work goes on for ever: counts turns at one instant, and remembers, shortly before the
// bound, who keeps the world busy. Without it a test with a busy loop would hang and say nothing.

/** How many turns before the bound callers are remembered: enough for a circle to show, few enough to cost nothing. */
const rememberedTurns = 1_000;
/** Places told of at most, and frames of each. */
const placesMax = 3;
const framesMax = 6;

interface Place {
  readonly what: string;
  readonly frames: readonly string[];
  count: number;
}

/** Virtual time stands still while work goes on; the message says when, and who keeps it busy. */
export class StandstillError extends Error {
  override readonly name = 'StandstillError';
}

/** Counts the turns of one clock. */
export class StandstillWatch {
  readonly #turnsMax: number;
  #atMs = -1;
  #turns = 0;
  #places = new Map<string, Place>();

  /** @throws RangeError for a bound that allows nothing */
  constructor(turnsMax: number) {
    if (!(turnsMax >= 1)) throw new RangeError(`turnsMax must be above 0, got ${turnsMax}`);
    this.#turnsMax = turnsMax;
  }

  /** Somebody sets a timer (of `delayMs`) or gives up a turn (undefined), by a call of `through`. Costs nothing far from the bound. */
  note(delayMs: number | undefined, through: (...args: never[]) => unknown): void {
    if (this.#turns < this.#turnsMax - rememberedTurns || (delayMs ?? 0) > 0) return;
    const frames = framesAbove(through);
    const what = delayMs === undefined ? 'a turn given up' : 'a timer of 0 ms set';
    const id = `${what}\n${frames.join('\n')}`;
    const place = this.#places.get(id);
    if (place === undefined) this.#places.set(id, { what, frames, count: 1 });
    else place.count++;
  }

  /** A turn begins at `elapsedMs` of the clock. @throws StandstillError when it is one too many for this instant */
  turn(wallMs: number, elapsedMs: number): void {
    if (elapsedMs !== this.#atMs) {
      this.#atMs = elapsedMs;
      this.#turns = 0;
      this.#places.clear();
    }
    if (++this.#turns <= this.#turnsMax) return;
    const message = this.#describe(wallMs);
    // Whoever goes on, e.g. to stop what runs, gets as many turns again.
    this.#atMs = -1;
    throw new StandstillError(message);
  }

  #describe(wallMs: number): string {
    const busiest = [...this.#places.values()].sort((a, b) => b.count - a.count).slice(0, placesMax);
    const places = busiest.map(({ what, frames, count }) => `  ${count} × ${what}\n${frames.join('\n')}`);
    return [
      `virtual time stands still at ${new Date(wallMs).toISOString()} (${this.#atMs} ms after its start): ${this.#turnsMax} turns passed and ` +
        'work is still going on',
      'look for a loop without a pause: a reconcile that is woken by its own writes, a retry without back-off, a timer of 0 ms that sets itself again',
      ...(places.length === 0 ? [] : [`in the last ${Math.min(rememberedTurns, this.#turnsMax)} turns:`, ...places]),
    ].join('\n');
  }
}

/** The callers of `through`, awaiting ones included where the engine knows them. */
function framesAbove(through: (...args: never[]) => unknown): readonly string[] {
  const holder: { stack?: string } = {};
  // Only V8 has it; elsewhere there are no places to tell of.
  Error.captureStackTrace?.(holder, through);
  return (holder.stack ?? '').split('\n').slice(1, framesMax + 1);
}
