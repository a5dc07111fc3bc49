// The metrics port: Prometheus' three instruments. The real registry is in `platform/`.
// Label values must come from bounded sets (design law 10).

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  /** Adds `by` (default 1, never negative) to the series of `labels`. */
  inc(labels?: Labels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  add(by: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface InstrumentOptions {
  /** Full metric name, e.g. `workqueue_adds_total`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

export interface HistogramOptions extends InstrumentOptions {
  /** Upper bounds, ascending, without +Inf. */
  readonly buckets: readonly number[];
}

/** A registry. Asking twice for one name returns the same instrument. */
export interface Metrics {
  counter(options: InstrumentOptions): Counter;
  gauge(options: InstrumentOptions): Gauge;
  histogram(options: HistogramOptions): Histogram;
  /** Calls `collect` before each exposition, to set gauges that are costly to keep current. */
  onCollect(collect: () => void): void;
  /** The text exposition format, version 0.0.4. */
  expose(): Promise<string>;
}

/** Metrics that go nowhere, for tests and short-lived clients. */
export const noMetrics: Metrics = {
  counter: () => ({ inc: () => {} }),
  gauge: () => ({ set: () => {}, add: () => {} }),
  histogram: () => ({ observe: () => {} }),
  onCollect: () => {},
  expose: () => Promise.resolve(''),
};
