// The compressed lists of completion indexes in Jobs: `0-2,4,7-9`, increasing, each below the number of completions.

export class IndexesError extends Error {
  override readonly name = 'IndexesError';
}

/** Counts the indexes in a text; @throws IndexesError with upstream's words when it is malformed. */
export function countIndexes(text: string, completions: number): number {
  if (text === '') return 0;
  let total = 0;
  let last: number | undefined;
  for (const interval of text.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2) {
      const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
      throw new IndexesError(`the fragment ${JSON.stringify(interval)} ${rule}`);
    }
    const first = parseIndex(limits[0] ?? '', completions);
    if (last !== undefined) assertIncreasing(last, first);
    last = first;
    if (limits.length === 2) {
      last = parseIndex(limits[1] ?? '', completions);
      assertIncreasing(first, last);
    }
    total += last - first + 1;
  }
  return total;
}

function parseIndex(text: string, completions: number): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw new IndexesError(`cannot convert string to integer for index: ${JSON.stringify(text)}`);
  const index = Number(text);
  if (index >= completions) throw new IndexesError(`too large index: ${JSON.stringify(text)}`);
  return index;
}

function assertIncreasing(previous: number, current: number): void {
  if (previous < current) return;
  throw new IndexesError(`non-increasing order, previous: ${previous}, current: ${current}`);
}
