// What the parts of a cluster complained about lately, for the message of a wait that was in vain: the reason is there more often than not,
// and logs are usually dropped.

import { type LogLine, LruMap } from '@homeostat/base';

/** Different complaints that are kept; of more, those heard longest ago are forgotten. */
const complaintsMax = 8;
const lengthMax = 400;

/** Collects lines of level warn and error; equal ones are counted. */
export class Complaints {
  readonly #counts = new LruMap<string, number>(complaintsMax);

  record(line: LogLine): void {
    if (line.level !== 'warn' && line.level !== 'error') return;
    const text = textOf(line);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** The complaints, one a line, the latest last; empty without any. */
  describe(): string {
    const lines = Array.from(this.#counts.entries(), ([text, count]) => `\n  ${count} × ${text}`);
    return lines.length === 0 ? '' : `; parts of the cluster complained:${lines.join('')}`;
  }
}

/** `a reconcile failed: Error: boom (component=o controller=c key=default/a)`; fields that are structures are left out. */
function textOf({ message, fields }: LogLine): string {
  const { error, ...others } = fields;
  const pairs = Object.entries(others).flatMap(([name, value]) =>
    typeof value === 'object' ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
  const cause = error instanceof Error ? `: ${error.name}: ${error.message}` : '';
  return `${message}${cause}${pairs.length === 0 ? '' : ` (${pairs.join(' ')})`}`.slice(0, lengthMax);
}
