// The logging port: structured lines with levels. The real sink is in `platform/`.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logger. Messages are constant sentences; what varies goes into fields. Never log secrets. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** True when a line of this level would be written: guards costly fields. */
  enabled(level: LogLevel): boolean;
  /** A logger whose lines carry `fields` too. */
  child(fields: LogFields): Logger;
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** One line as a sink receives it. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Creates a logger over a sink function; `level` is the lowest level that is passed on. */
export function createLogger(sink: (line: LogLine) => void, level: LogLevel = 'info', fields: LogFields = {}): Logger {
  const write = (lineLevel: LogLevel, message: string, extra?: LogFields): void => {
    if (ranks[lineLevel] < ranks[level]) return;
    sink({ level: lineLevel, message, fields: extra === undefined ? fields : { ...fields, ...extra } });
  };
  return {
    debug: (message, extra) => write('debug', message, extra),
    info: (message, extra) => write('info', message, extra),
    warn: (message, extra) => write('warn', message, extra),
    error: (message, extra) => write('error', message, extra),
    enabled: (lineLevel) => ranks[lineLevel] >= ranks[level],
    child: (extra) => createLogger(sink, level, { ...fields, ...extra }),
  };
}

/** A logger that drops everything. */
export const silentLogger: Logger = createLogger(() => {}, 'error');
