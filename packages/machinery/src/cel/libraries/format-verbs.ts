// The clauses of `format`: what each takes, and what is said of other values.

export interface FormatVerb {
  /** Kinds of types. */
  readonly types: readonly string[];
  /** `decimal clause can only be used on integers` */
  readonly rule: string;
  /** Whether what is in a list or a map is shown too. */
  readonly isDeep?: boolean;
}

/** A clause, with its precision and its letter; a `%` that begins none has no letter. */
export const formatVerb = /%(?:\.([0-9]+))?([a-zA-Z%])|%/g;

const whole = ['int', 'uint'];

export const formatVerbs: ReadonlyMap<string, FormatVerb> = new Map([
  [
    's',
    {
      types: [...whole, 'list', 'map', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
      rule: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      isDeep: true,
    },
  ],
  ['d', { types: whole, rule: 'decimal clause can only be used on integers' }],
  ['f', { types: ['double', 'string'], rule: 'fixed-point clause can only be used on doubles' }],
  ['e', { types: ['double', 'string'], rule: 'scientific clause can only be used on doubles' }],
  ['b', { types: [...whole, 'bool'], rule: 'only integers and bools can be formatted as binary' }],
  ...['x', 'X'].map((letter): [string, FormatVerb] => [
    letter,
    {
      types: [...whole, 'string', 'bytes'],
      rule: 'only integers, byte buffers, and strings can be formatted as hex',
    },
  ]),
  ['o', { types: whole, rule: 'octal clause can only be used on integers' }],
]);
