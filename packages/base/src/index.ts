// Public names of @homeostat/base. The real platform (system clock, entropy, stderr) is under `./node`.

export { type Clock, type Timer, sleepOn } from './clock.ts';
export { type Env, childEnv } from './env.ts';
export {
  ApiError,
  type ApiErrorOptions,
  isApiError,
  type Status,
  type StatusCause,
  type StatusDetails,
} from './errors.ts';
export { type Before, heapPop, heapPush } from './heap.ts';
export { invariant, InvariantError, unreachable } from './invariant.ts';
export { LruMap } from './lru-map.ts';
export { createLogger, type LogFields, type Logger, type LogLevel, type LogLine, silentLogger } from './logger.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type InstrumentOptions,
  type Labels,
  type Metrics,
  noMetrics,
} from './metrics.ts';
export { Pacer } from './pacer.ts';
export { createSeededRandom, type Random, randomFrom } from './random.ts';
export { abortable, aborted, createDeferred, type Deferred, Scope, ScopeClosedError } from './scope.ts';
export { noTracer, type Span, type SpanAttributes, type SpanOptions, type Tracer } from './tracer.ts';
export { StandstillError } from './standstill-watch.ts';
export { turnsMaxDefault, VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
export { createVirtualEnv, type VirtualEnvOptions } from './virtual-env.ts';
