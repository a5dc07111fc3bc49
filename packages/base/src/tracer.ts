// The tracing port: spans around work that takes time. Without a tracer nothing is done; `@homeostat/runtime/opentelemetry` brings one.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** `client`: a request to another process. Default `internal`. */
  readonly kind?: 'internal' | 'client';
  readonly attributes?: SpanAttributes;
}

/** A span under way. */
export interface Span {
  set(attributes: SpanAttributes): void;
  /** Request headers that continue the trace in another process, e.g. `traceparent`. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Tracer {
  /**
   * Runs `work` in a span that ends with it; spans begun within become its children. A failure is noted in the span and thrown on.
   *
   * @example
   * await tracer.span('reconcile', { attributes: { 'controller.name': 'web' } }, () => reconcile(key));
   */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

const noSpan: Span = { set: () => {}, headers: {} };

/** Traces nothing. */
export const noTracer: Tracer = { span: (_name, _options, work) => work(noSpan) };
