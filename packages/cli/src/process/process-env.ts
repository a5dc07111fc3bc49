// The Env of a command: log level and format by its flags.

import type { Env } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { CliError } from '../cli-error.ts';
import { type FlagValues, numberFlag, textFlag } from '../flags/flag.ts';

export interface ProcessEnvOptions {
  /** Level without `--v`; default info. */
  readonly quiet?: boolean;
}

export function processEnv(values: FlagValues, options: ProcessEnvOptions = {}): Env {
  const verbosity = numberFlag(values, 'v');
  const level = verbosity >= 2 ? 'debug' : options.quiet === true && verbosity === 0 ? 'warn' : 'info';
  const format = textFlag(values, 'logging-format') ?? 'text';
  if (format !== 'json' && format !== 'text') throw new CliError(`--logging-format ${format}: there is text and json`);
  return createRealEnv({ level, format });
}
