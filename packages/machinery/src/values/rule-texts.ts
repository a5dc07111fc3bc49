// The sentences that rules about texts are reported with, word for word as upstream's.

export function maxCharactersText(max: number): string {
  return `must be no more than ${max} characters`;
}

export function maxBytesText(max: number): string {
  return `must be no more than ${max} bytes`;
}

export function rangeText(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`;
}

/** The rule, examples (with upstream's stray comma) and the regular expression. */
export function patternText(text: string, pattern: string, ...examples: readonly string[]): string {
  const regex = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${text} (${regex}`;
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${regex}`;
}

/** Length in bytes of UTF-8: what Go's `len` counts. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
