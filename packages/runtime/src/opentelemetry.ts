// @homeostat/runtime/opentelemetry: the tracing port over OpenTelemetry's API, an optional peer. Exporters and sampling are the program's:
// it sets up OpenTelemetry's SDK as it likes.

import { context, propagation, type Span as OpenSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Tracer } from '@homeostat/base';

export interface OpenTelemetryTracerOptions {
  /** Instrumentation scope; default `@homeostat/runtime`. */
  readonly name?: string;
  readonly version?: string;
}

/**
 * Creates a tracer over the provider that is registered globally. For spans to nest, a context manager must be registered too (the Node SDK
 * does).
 *
 * @example
 * const env = { ...createRealEnv(), tracer: createOpenTelemetryTracer() };
 */
export function createOpenTelemetryTracer(options: OpenTelemetryTracerOptions = {}): Tracer {
  const tracer = trace.getTracer(options.name ?? '@homeostat/runtime', options.version);
  return {
    span: (name, { kind, attributes = {} }, work) => {
      const settings = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: { ...attributes } };
      return tracer.startActiveSpan(name, settings, async (span) => {
        const headers: Record<string, string> = {};
        propagation.inject(trace.setSpan(context.active(), span), headers);
        try {
          return await work({ set: (more) => void span.setAttributes({ ...more }), headers });
        } catch (error) {
          noteFailure(span, error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

function noteFailure(span: OpenSpan, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
