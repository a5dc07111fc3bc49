// Reads PEM as far as validation needs it: which blocks a text holds, and whether their content is DER at all. What a
// certificate or a request says is for signers and the CertificateSigning admission to judge.

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

/** The blocks of a text; whatever stands between them is skipped, as Go does. */
export function readPem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  const pattern = /-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)\r?\n?-----END \1-----/g;
  for (const match of text.matchAll(pattern)) {
    const body = match[2] ?? '';
    const blank = /\r?\n\r?\n/.exec(body);
    const hasHeaders = blank !== null && /^[^\n]*:/.test(body);
    const content = hasHeaders ? body.slice(blank.index + blank[0].length) : body;
    const base64 = content.replaceAll(/\s+/g, '');
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0) {
      blocks.push({ type: match[1] ?? '', hasHeaders, bytes: Uint8Array.from(Buffer.from(base64, 'base64')) });
    }
  }
  return blocks;
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
