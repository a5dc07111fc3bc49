// The order yaml.v2 gives mapping keys: letter by letter, but digits behind letters and numbers by their value
// (`a2` before `a10`).

/** Compares two keys. */
export function compareKeys(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  let digits = false;
  for (let i = 0; i < left.length && i < right.length; i++) {
    const x = left[i] as string;
    const y = right[i] as string;
    if (x === y) {
      digits = isDigit(x);
      continue;
    }
    const xLetter = isLetter(x);
    const yLetter = isLetter(y);
    if (xLetter && yLetter) return byCodePoint(x, y);
    if (xLetter || yLetter) return xLetter === digits ? -1 : 1;
    return compareNumbers(left, right, i);
  }
  return left.length - right.length;
}

function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  let prefix = 0;
  if (left[at] === '0' || right[at] === '0') {
    // A zero inside a number counts as a digit of it.
    for (let i = at - 1; i >= 0 && isDigit(left[i]); i--) {
      if (left[i] !== '0') prefix = 1;
    }
  }
  const [x, xEnd] = numberAt(left, at, prefix);
  const [y, yEnd] = numberAt(right, at, prefix);
  if (x !== y) return x - y;
  return xEnd === yEnd ? byCodePoint(left[at] as string, right[at] as string) : xEnd - yEnd;
}

function numberAt(text: readonly string[], at: number, prefix: number): [value: number, end: number] {
  let value = prefix;
  let end = at;
  for (; isDigit(text[end]); end++) value = value * 10 + Number(text[end]);
  return [value, end];
}

function byCodePoint(x: string, y: string): number {
  return (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && /^\p{Nd}$/u.test(char);
}

function isLetter(char: string): boolean {
  return /^\p{L}$/u.test(char);
}
