// Where the resourceVersion goes in the bytes of a custom resource: just before its uid, since keys are in byte order.

const uidKey = Buffer.from('"uid":');
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Where the resourceVersion belongs in sorted JSON: the index of the comma before metadata's own `uid`. `from` is the first
 * byte after metadata's opening brace. -1 when metadata has no uid after another field.
 */
export function findUid(bytes: Buffer, from: number): number {
  let depth = 0;
  let last = -1;
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) {
      if (
        depth === 0 &&
        last >= 0 &&
        last === i - 1 &&
        bytes.compare(uidKey, 0, uidKey.length, i, i + uidKey.length) === 0
      )
        return last;
      i = skipText(bytes, i);
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth-- === 0) return -1;
    } else if (byte === comma) last = i;
  }
  return -1;
}

/** The index of a text's closing quote. */
function skipText(bytes: Buffer, open: number): number {
  for (let i = open + 1; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === backslash) i++;
    else if (byte === quote) return i;
  }
  return bytes.length;
}
