// The manager of a write that names none: the first word of the user agent.

/** Bytes a field manager may have. */
export const fieldManagerBytesMax = 128;

/** The `fieldManager` parameter or, without one, the user agent up to its first slash, printable characters only. */
export function managerOrUserAgent(manager: string | undefined, userAgent: string | undefined): string {
  if (manager !== undefined && manager !== '') return manager;
  const product = (userAgent ?? '').split('/')[0] ?? '';
  let out = '';
  let bytes = 0;
  for (const char of product) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) continue;
    bytes += Buffer.byteLength(char);
    if (bytes > fieldManagerBytesMax) return out;
    out += char;
  }
  return out;
}
