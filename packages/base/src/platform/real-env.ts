// The Env of a real process: system clock, system entropy, log lines on stderr, a Prometheus registry.

import type { Env } from '../env.ts';
import { createLogger, type LogLevel, type LogLine } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { createPrometheusMetrics } from './prometheus.ts';
import { realClock } from './real-clock.ts';
import { realRandom } from './real-random.ts';

export interface RealEnvOptions {
  /** Lowest level written; default `info`. */
  readonly level?: LogLevel;
  /** `text` (klog-like) or `json`, one object a line; default `text`. */
  readonly format?: 'text' | 'json';
  /** Receives each finished line; default writes to stderr. */
  readonly write?: (line: string) => void;
  readonly metrics?: Metrics;
}

/** Creates the {@link Env} of a real process; starts nothing. */
export function createRealEnv(options: RealEnvOptions = {}): Env {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const format = options.format === 'json' ? formatJson : formatText;
  return {
    clock: realClock,
    random: realRandom,
    log: createLogger((line) => write(format(line)), options.level ?? 'info'),
    metrics: options.metrics ?? createPrometheusMetrics(),
  };
}

function formatJson(line: LogLine): string {
  return `${JSON.stringify({ ts: realClock.nowMs(), level: line.level, msg: line.message, ...line.fields }, errorsAsText)}\n`;
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? describeError(value) : value;
}

/** Errors with a code of their own are conditions of the world: where they were noticed says nothing, and is left out. */
function describeError(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  const known = typeof code === 'number' || (typeof code === 'string' && !code.startsWith('ERR_'));
  return known ? `${error.name}: ${error.message}` : (error.stack ?? error.message);
}

function formatText(line: LogLine): string {
  const now = new Date(realClock.nowMs());
  const time = `${String(now.getUTCMonth() + 1).padStart(2, '0')}${String(now.getUTCDate()).padStart(2, '0')} ${now.toISOString().slice(11, 23)}`;
  const fields = Object.entries(line.fields).map(([key, value]) => ` ${key}=${formatValue(value)}`);
  return `${line.level.charAt(0).toUpperCase()}${time} ${JSON.stringify(line.message)}${fields.join('')}\n`;
}

function formatValue(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(describeError(value));
  return typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'undefined');
}
