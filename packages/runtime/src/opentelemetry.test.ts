// Spans of reconciles and requests, through OpenTelemetry's API to a provider of the test.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, before, describe, it } from 'node:test';
import { type Context, context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { createController } from './controller/controller.ts';
import { InformerFactory } from './informer/informer-factory.ts';
import { createOpenTelemetryTracer } from './opentelemetry.ts';
import { FakeServer, newWidget, widgets } from './testing/fake-server.ts';

interface Recorded {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly attributes: Record<string, unknown>;
  readonly parent: Recorded | undefined;
  readonly id: string;
  failed: string | undefined;
  ended: boolean;
}

const spans: Recorded[] = [];
const recordedOf = new WeakMap<Span, Recorded>();

/** The few parts of an SDK that the adapter touches. */
function install(): void {
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (value, work, self, ...rest) => storage.run(value, () => work.call(self as never, ...rest)),
    bind: (_value, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator({
    inject: (value, carrier) => {
      const span = trace.getSpan(value);
      const recorded = span === undefined ? undefined : recordedOf.get(span);
      if (recorded !== undefined) (carrier as Record<string, string>)['traceparent'] = recorded.id;
    },
    extract: (value) => value,
    fields: () => ['traceparent'],
  });
  const startSpan = (
    name: string,
    kind: SpanKind | undefined,
    attributes: object | undefined,
    parent: Context,
  ): Span => {
    const parentSpan = trace.getSpan(parent);
    const recorded: Recorded = {
      name,
      kind,
      attributes: { ...attributes },
      parent: parentSpan === undefined ? undefined : recordedOf.get(parentSpan),
      id: `span-${spans.length}`,
      failed: undefined,
      ended: false,
    };
    spans.push(recorded);
    const span = {
      setAttributes: (more: object) => Object.assign(recorded.attributes, more),
      recordException: () => {},
      setStatus: ({ message }: { message?: string }) => (recorded.failed = message),
      end: () => (recorded.ended = true),
    } as unknown as Span;
    recordedOf.set(span, recorded);
    return span;
  };
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: () => assert.fail('spans are started as active ones'),
      startActiveSpan: (
        name: string,
        options: { kind?: SpanKind; attributes?: object },
        work: (span: Span) => never,
      ) => {
        const span = startSpan(name, options.kind, options.attributes, context.active());
        return context.with(trace.setSpan(context.active(), span), () => work(span));
      },
    }),
  } as unknown as Parameters<typeof trace.setGlobalTracerProvider>[0]);
}

describe('createOpenTelemetryTracer()', () => {
  before(install);
  after(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });

  it('traces reconciles with their key, requests within them, and sends the trace along', async () => {
    const env = { ...createVirtualEnv(), tracer: createOpenTelemetryTracer() };
    const server = new FakeServer(env);
    const sent: (string | undefined)[] = [];
    const handle = server.handle.bind(server);
    server.handle = (request) => {
      if (request.method === 'PATCH') sent.push(request.headers['traceparent']);
      return handle(request);
    };
    server.put('widgets', newWidget('w'));
    server.fault = ({ method }) => {
      if (method === 'PATCH') throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    };
    const client = server.client();
    const informers = new InformerFactory({ client, env });
    const controller = createController(
      {
        name: 'patcher',
        for: { resource: widgets },
        reconcile: async ({ client: own }) => {
          await own.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch: {} });
        },
      },
      { client, env, informers },
    );
    const stop = new AbortController();
    const running = Promise.all([informers.run(stop), controller.run(stop)]);
    await env.clock.settle();
    stop.abort();
    await env.clock.run(running);
    const reconcile = spans.find(({ name }) => name === 'reconcile');
    assert.deepEqual(reconcile?.attributes, {
      'controller.name': 'patcher',
      'object.namespace': 'default',
      'object.name': 'w',
    });
    assert.equal(reconcile?.failed, 'no');
    const request = spans.find(({ name }) => name === 'PATCH');
    assert.equal(request?.parent, reconcile);
    assert.equal(request?.kind, SpanKind.CLIENT);
    assert.equal(request?.attributes['http.response.status_code'], 403);
    assert.equal(request?.attributes['url.path'], '/apis/example.com/v1/namespaces/default/widgets/w');
    assert.deepEqual(sent.slice(0, 1), [request?.id]);
    assert.ok(spans.every(({ ended }) => ended));
    const list = spans.find(({ attributes }) => String(attributes['url.path']).endsWith('/widgets'));
    assert.equal(list?.parent, undefined);
  });
});
