// Deep equality of JSON values, as the wire sees it: key order does not count, absent and undefined are the same.
// What counts as equal for a kind (empty and absent lists, quantities by value) is semantic equality, in `@homeostat/api`.

/** Whether two JSON values are equal; numbers and bigints compare by value. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    // eslint-disable-next-line eqeqeq -- a number equals the bigint of its value
    return (typeof a === 'bigint' || typeof b === 'bigint') && isNumeric(a) && isNumeric(b) && a == b;
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  return objectsEqual(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
}

function objectsEqual(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  let shared = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !deepEqual(value, b[key])) return false;
    shared++;
  }
  for (const key in b) if (b[key] !== undefined) shared--;
  return shared === 0;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
