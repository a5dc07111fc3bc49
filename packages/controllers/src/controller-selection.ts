// Which controllers run: `--controllers` as upstream reads it (spec/infrastructure.md §1.3).

export interface ControllerName {
  /** Canonical, e.g. `deployment-controller`. */
  readonly name: string;
  /** Old names, still accepted. */
  readonly aliases: readonly string[];
  readonly onByDefault: boolean;
}

/** Thrown for a name nobody knows; the message is upstream's. */
export class UnknownControllerError extends Error {
  override readonly name = 'UnknownControllerError';
}

/**
 * Returns the test of a name against a list such as `['*', '-foo', 'bar']`: the first entry that names it decides, `*`
 * takes in all that are on by default.
 * @throws UnknownControllerError
 */
export function selectControllers(
  list: readonly string[],
  known: readonly ControllerName[],
): (name: string) => boolean {
  const canonical = new Map(
    known.flatMap((entry) => [entry.name, ...entry.aliases].map((alias) => [alias, entry.name] as const)),
  );
  const entries = list.map((entry) => {
    if (entry === '*') return entry;
    const minus = entry.startsWith('-') ? '-' : '';
    const name = canonical.get(entry.slice(minus.length));
    if (name === undefined)
      throw new UnknownControllerError(`"${entry.slice(minus.length)}" is not in the list of known controllers`);
    return `${minus}${name}`;
  });
  const defaults = new Set(known.filter((entry) => entry.onByDefault).map((entry) => entry.name));
  return (name) => {
    for (const entry of entries) {
      if (entry === name) return true;
      if (entry === `-${name}`) return false;
    }
    return entries.includes('*') && defaults.has(name);
  };
}
