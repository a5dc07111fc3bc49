// What an unquoted YAML scalar means, as yaml.v2 (behind sigs.k8s.io/yaml) decides: YAML 1.1 booleans, octal numbers,
// underscores; no sexagesimal numbers; timestamps stay strings.

const words = new Map<string, boolean | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);
const specialFloats = new Map([
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);
const floatPattern = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const timestampPattern =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?)?$/;

export type YamlScalar = string | number | bigint | boolean | null;

/** The value of a plain scalar. */
export function resolveScalar(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  const special = specialFloats.get(text);
  if (special !== undefined) return special;
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (text[0] === '.') return floatPattern.test(text) ? Number(text) : text;
  if (!isDigit && text[0] !== '+' && text[0] !== '-') return text;
  if (looksLikeTimestamp(text)) return text;
  const plain = text.replaceAll('_', '');
  const integer = readInteger(plain);
  if (integer !== undefined) return integer;
  if (!floatPattern.test(plain)) return text;
  const number = Number(plain);
  return Number.isFinite(number) ? number : text;
}

/** Timestamps are read as strings, but a string that looks like one is quoted on the way out. */
export function looksLikeTimestamp(text: string): boolean {
  return timestampPattern.test(text);
}

/** Go's ParseInt with base 0: decimal, `0x`, `0o`, `0b`, and a leading zero for octal. */
function readInteger(text: string): number | bigint | undefined {
  const match = /^([-+]?)(?:(0[xX][0-9a-fA-F]+)|0[oO]?([0-7]+)|(0[bB][01]+)|(0|[1-9][0-9]*))$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, octal, binary, decimal] = match;
  const magnitude = BigInt(
    hex?.toLowerCase() ?? (octal === undefined ? (binary?.toLowerCase() ?? decimal ?? '0') : `0o${octal}`),
  );
  const value = sign === '-' ? -magnitude : magnitude;
  if (value < -(2n ** 63n) || value >= 2n ** 64n) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
