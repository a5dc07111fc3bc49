// Order of resourceVersions: within one resource of one server they are growing decimal numbers, of any length
// (spec/client.md §7.9). Compared as text, so nothing is lost beyond 2^53.

/** Negative when `a` is older, 0 when equal, positive when newer; undefined when either is not a decimal number. */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isDecimal(a) || !isDecimal(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether `a` is known to be newer than `b`; false when they can't be compared. */
export function isNewerResourceVersion(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 0) > 0;
}

/** Canonical: no sign, no leading zero, so that the length orders them. */
function isDecimal(text: string): boolean {
  const first = text.charCodeAt(0);
  if (!(first >= 49 && first <= 57) && text !== '0') return false;
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
