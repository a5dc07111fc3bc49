// Collects the `Warning` headers of one response (spec/apiserver.md §4.9): duplicates dropped, total size bounded.

export interface WarningRecorder {
  /** Adds a warning text; equal texts are sent once. */
  add(text: string): void;
}

const totalBytesMax = 4096;
const truncatedRunes = 256;

export class Warnings implements WarningRecorder {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== '') this.#texts.add(text);
  }

  /** Header values `299 - "text"`, within the bound: beyond it every text is cut to 256 characters, then dropped. */
  headers(): readonly string[] {
    if (this.#texts.size === 0) return [];
    const texts = [...this.#texts];
    const total = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const values: string[] = [];
    let written = 0;
    for (const text of texts) {
      const shown = total > totalBytesMax ? truncate(text) : text;
      const bytes = Buffer.byteLength(shown);
      if (written > 0 && written + bytes > totalBytesMax) break;
      written += bytes;
      values.push(`299 - "${quoteHeader(shown)}"`);
    }
    return values;
  }
}

function truncate(text: string): string {
  const runes = Array.from(text);
  return runes.length <= truncatedRunes ? text : runes.slice(0, truncatedRunes).join('');
}

/** A quoted-string body: backslash and quote escaped, what a header cannot carry replaced by a space; UTF-8 as latin1 bytes. */
function quoteHeader(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, (c) => `\\${c}`).replaceAll(/[\u0000-\u001f\u007f]/g, ' ');
  return Buffer.from(escaped, 'utf8').toString('latin1');
}
