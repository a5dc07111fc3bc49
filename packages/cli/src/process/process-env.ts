// The Env of a command: log level and format by its flags.

import type { Env } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { type FlagValues, numberFlag, textFlag } from '../flags/flag.ts';

export interface ProcessEnvOptions {
  /** Level without `--v`; default info. */
  readonly quiet?: boolean;
}

export function processEnv(values: FlagValues, options: ProcessEnvOptions = {}): Env {
  const verbosity = numberFlag(values, 'v');
  const level = verbosity >= 2 ? 'debug' : options.quiet === true && verbosity === 0 ? 'warn' : 'info';
  return createRealEnv({ level, format: textFlag(values, 'logging-format') === 'json' ? 'json' : 'text' });
}
