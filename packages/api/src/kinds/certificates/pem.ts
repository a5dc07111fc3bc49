// Reads PEM as far as validation needs it: which blocks a text holds, and whether their content is DER at all. What a
// certificate or a request says is for signers and the CertificateSigning admission to judge.

import { decodeBase64 } from '@homeostat/machinery';

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const beginMark = '-----BEGIN ';
const endMark = '-----END ';

/** The blocks of a text; whatever stands between them is skipped, as Go does. Linear in the length of the text. */
export function readPem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let begin = markAt(text, beginMark, 0);
  let end = -1;
  while (begin >= 0) {
    if (end < begin) end = markAt(text, endMark, begin);
    if (end < 0) break;
    const next = markAt(text, beginMark, begin + 1);
    // Of several beginnings before one end, only the last can hold a block.
    if (next < 0 || next > end) {
      const type = markedType(lineAt(text, begin), beginMark);
      if (type !== undefined && type === markedType(lineAt(text, end), endMark)) {
        const block = blockOf(type, text.slice(text.indexOf('\n', begin) + 1, end));
        if (block !== undefined) blocks.push(block);
      }
    }
    begin = next;
  }
  return blocks;
}

/** Marks count at the start of a line only. */
function markAt(text: string, mark: string, from: number): number {
  if (from === 0 && text.startsWith(mark)) return 0;
  const at = text.indexOf(`\n${mark}`, Math.max(from - 1, 0));
  return at < 0 ? -1 : at + 1;
}

function lineAt(text: string, from: number): string {
  const end = text.indexOf('\n', from);
  return text.slice(from, end < 0 ? undefined : end).trimEnd();
}

function markedType(line: string, mark: string): string | undefined {
  return line.endsWith('-----') ? line.slice(mark.length, -'-----'.length) : undefined;
}

function blockOf(type: string, body: string): PemBlock | undefined {
  const blank = /\r?\n\r?\n/.exec(body);
  const hasHeaders = blank !== null && /^[^\n]*:/.test(body);
  const content = hasHeaders ? body.slice(blank.index + blank[0].length) : body;
  const base64 = content.replaceAll(/\s+/g, '');
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0;
  return isBase64 ? { type, hasHeaders, bytes: decodeBase64(base64) } : undefined;
}

/** Whether the bytes are one DER SEQUENCE and nothing else. */
export function isDerSequence(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30 || bytes[1] === undefined) return false;
  if (bytes[1] < 0x80) return bytes.length === 2 + bytes[1];
  const count = bytes[1] & 0x7f;
  let length = 0;
  for (let index = 0; index < count; index += 1) length = length * 256 + (bytes[2 + index] ?? 0);
  return count > 0 && count <= 4 && bytes.length === 2 + count + length;
}
