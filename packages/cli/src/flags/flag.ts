// Flags as data: one table a command, spelled, defaulted and refused like the Go components' flags.
// Parsing itself is commander's; this file turns a table into options and options into typed values.

import { type Command, InvalidArgumentError, Option } from 'commander';

export type FlagType = 'string' | 'bool' | 'int' | 'float' | 'duration' | 'list' | 'stringArray';

export interface FlagSpec {
  /** Without the dashes, e.g. `secure-port`. */
  readonly name: string;
  readonly type: FlagType;
  readonly default?: FlagValue;
  readonly help: string;
  /** Accepted so that scripts made for upstream work, but without effect; shown as such. */
  readonly inert?: boolean;
}

export type FlagValue = string | boolean | number | readonly string[];
export type FlagValues = Readonly<Record<string, FlagValue | undefined>>;

/** Adds the table's flags to a command. */
export function addFlags(command: Command, specs: readonly FlagSpec[]): Command {
  for (const spec of specs) {
    const argument = spec.type === 'bool' ? ' [bool]' : ` <${spec.type === 'stringArray' ? 'string' : spec.type}>`;
    const option = new Option(
      `--${spec.name}${argument}`,
      spec.inert ? `${spec.help} (accepted, without effect)` : spec.help,
    );
    if (spec.default !== undefined) option.default(spec.default, describeDefault(spec));
    if (spec.type === 'bool') option.preset('true');
    option.argParser((text: string, previous: unknown) => parseFlag(spec, text, previous));
    command.addOption(option);
  }
  return command;
}

/** Values by flag name (with dashes), from what commander parsed. */
export function flagValues(command: Command, specs: readonly FlagSpec[]): FlagValues {
  const options = command.opts<Record<string, FlagValue | undefined>>();
  return Object.fromEntries(specs.map((spec) => [spec.name, options[camelCase(spec.name)]]));
}

/** Reads one value as text; undefined when not given and without default. */
export function textFlag(values: FlagValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function boolFlag(values: FlagValues, name: string): boolean {
  return values[name] === true;
}

export function numberFlag(values: FlagValues, name: string): number {
  const value = values[name];
  return typeof value === 'number' ? value : 0;
}

export function listFlag(values: FlagValues, name: string): readonly string[] {
  const value = values[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function parseFlag(spec: FlagSpec, text: string, previous: unknown): FlagValue {
  switch (spec.type) {
    case 'string':
      return text;
    case 'bool':
      return parseBool(text);
    case 'int':
      if (!/^[+-]?\d+$/.test(text))
        throw new InvalidArgumentError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
      return Number(text);
    case 'float':
      if (text.trim() === '' || Number.isNaN(Number(text)))
        throw new InvalidArgumentError(`strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`);
      return Number(text);
    case 'duration':
      return parseDurationMs(text);
    case 'list':
      return text === '' ? [] : text.split(',').map((item) => item.trim());
    case 'stringArray':
      return [...(Array.isArray(previous) ? (previous as string[]) : []), text];
  }
}

function parseBool(text: string): boolean {
  if (['true', 't', '1', 'TRUE', 'True', 'T'].includes(text)) return true;
  if (['false', 'f', '0', 'FALSE', 'False', 'F'].includes(text)) return false;
  throw new InvalidArgumentError(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Go duration text to milliseconds. */
export function parseDurationMs(text: string): number {
  if (text === '0') return 0;
  const match = /^([+-])?((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.exec(text);
  if (match === null) throw new InvalidArgumentError(`time: invalid duration ${JSON.stringify(text)}`);
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return match[1] === '-' ? -total : total;
}

/** Milliseconds as a Go duration text, for help and messages. */
export function formatDurationMs(ms: number): string {
  if (ms === 0) return '0s';
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

function describeDefault(spec: FlagSpec): string {
  if (spec.type === 'duration' && typeof spec.default === 'number') return formatDurationMs(spec.default);
  if (Array.isArray(spec.default)) return (spec.default as readonly string[]).join(',');
  return String(spec.default);
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
