// Progress on a terminal: one line that is rewritten while something starts and gone when it has.

/** Shows steps on stderr when stdout is a terminal; silent otherwise, so that scripts see the ready line alone. */
export function createProgress(): { show(what: string): void; clear(): void } {
  if (!process.stdout.isTTY || !process.stderr.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (what) => process.stderr.write(`\r\u001b[2K… ${what}`),
    clear: () => process.stderr.write('\r\u001b[2K'),
  };
}
