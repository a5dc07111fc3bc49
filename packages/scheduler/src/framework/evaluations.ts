// Counts how often plugins are asked: too often for a metric each time, so sums are handed over when metrics are collected.

type Point = 'PreFilter' | 'Filter' | 'PreScore' | 'Score';

export class Evaluations {
  readonly #names: Readonly<Record<Point, readonly string[]>>;
  readonly #counts: Readonly<Record<Point, number[]>>;

  /** @param names of plugins, by point */
  constructor(names: Readonly<Record<Point, readonly string[]>>) {
    this.#names = names;
    const zeros = (point: Point): number[] => names[point].map(() => 0);
    this.#counts = {
      PreFilter: zeros('PreFilter'),
      Filter: zeros('Filter'),
      PreScore: zeros('PreScore'),
      Score: zeros('Score'),
    };
  }

  /** The counts of a point, by position of the plugin; for the caller to add to. */
  of(point: Point): number[] {
    return this.#counts[point];
  }

  /** What has been counted since it was taken last. */
  *take(): Iterable<readonly [plugin: string, point: string, count: number]> {
    for (const point of ['PreFilter', 'Filter', 'PreScore', 'Score'] as const) {
      const counts = this.#counts[point];
      for (const [index, plugin] of this.#names[point].entries()) {
        yield [plugin, point, counts[index] ?? 0];
        counts[index] = 0;
      }
    }
  }
}
