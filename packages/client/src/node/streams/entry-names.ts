// Names in a tar archive of one file or folder: which entries belong to it, and what they are called on the other side.

import path from 'node:path';

/** What an archive says of an entry. */
export interface EntryName {
  readonly path: string;
  readonly type?: string | undefined;
  /** Of links: of symbolic ones relative to the entry, of hard ones a path in the archive. */
  readonly linkpath?: string | undefined;
}

/** Maps entries at or below `base` to the same places at or below `to`. `.` as a base is all of the archive. */
export class EntryNames {
  readonly #base: string;
  readonly #to: string;

  constructor(base: string, to: string) {
    this.#base = path.posix.normalize(base);
    this.#to = to;
  }

  /** Whether the entry and what it leads to lie at or below the base. */
  isWithin({ path: name, type, linkpath = '' }: EntryName): boolean {
    if (this.#tail(name) === undefined) return false;
    if (type === 'Link') return this.#tail(linkpath) !== undefined;
    if (type !== 'SymbolicLink') return true;
    if (path.posix.isAbsolute(linkpath)) return false;
    return this.#tail(path.posix.join(path.posix.dirname(name), linkpath)) !== undefined;
  }

  /** The name on the other side; those not below the base keep theirs. */
  rename(name: string): string {
    const tail = this.#tail(name);
    return tail === undefined ? name : this.#to + tail;
  }

  /** What follows the base: empty, or `/…`. */
  #tail(name: string): string | undefined {
    if (path.posix.isAbsolute(name)) return undefined;
    const clean = path.posix.normalize(name).replace(/\/$/, '');
    if (clean === '..' || clean.startsWith('../')) return undefined;
    if (clean === this.#base) return '';
    if (this.#base === '.') return `/${clean}`;
    return clean.startsWith(`${this.#base}/`) ? clean.slice(this.#base.length) : undefined;
  }
}
