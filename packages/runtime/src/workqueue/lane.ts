// The order of ready keys of one priority: first in, first out. Part of the work queue, which keeps the entries; a lane holds places
// in line, and a place whose entry has got another one (or none) since is skipped when it is reached.

/** A key as the queue knows it. */
export interface Entry {
  readonly key: string;
  /** To be handed out. */
  dirty: boolean;
  processing: boolean;
  priority: number;
  takenPriority: number;
  /** The place in line that counts; 0: none. Places left behind don't match it. */
  place: number;
  /** How that place compares with places in other lanes: smaller goes first. */
  rank: number;
  addedMs: number;
  startedMs: number;
}

/** Ready keys of one priority. */
export interface Lane {
  readonly priority: number;
  /** Puts an entry at the end, with the place it has now. */
  push(entry: Entry): void;
  /** The entry that has been in line longest; undefined when there is none. It stays. */
  oldest(): Entry | undefined;
  /** Takes the next entry out. The caller must end its place before it asks again. */
  take(): Entry | undefined;
}

/** Places a lane holds before it looks for those left behind. */
const compactMin = 64;

/** Creates a lane in order of arrival. All operations are O(1), amortised; memory: at most twice the entries in line, and {@link compactMin}. */
export function createFifoLane(priority: number): Lane {
  let entries: (Entry | undefined)[] = [];
  let places: number[] = [];
  let head = 0;
  let compactAt = compactMin;

  /** Places left behind in the middle would stay for as long as the first entry waits. */
  const compact = (): void => {
    const inLine = (entry: Entry | undefined, at: number): boolean => entry !== undefined && entry.place === places[at];
    const kept = entries.filter(inLine);
    places = places.filter((_, at) => inLine(entries[at], at));
    entries = kept;
    head = 0;
    compactAt = Math.max(compactMin, entries.length * 2);
  };

  const advance = (): void => {
    entries[head++] = undefined;
    if (head === entries.length) {
      entries.length = 0;
      places.length = 0;
      head = 0;
    } else if (head >= 4096 && head * 2 >= entries.length) {
      entries = entries.slice(head);
      places = places.slice(head);
      head = 0;
    }
  };

  const oldest = (): Entry | undefined => {
    while (head < entries.length) {
      const entry = entries[head];
      if (entry !== undefined && entry.place === places[head]) return entry;
      advance();
    }
    return undefined;
  };

  return {
    priority,
    push(entry) {
      if (entries.length >= compactAt) compact();
      entries.push(entry);
      places.push(entry.place);
    },
    oldest,
    take() {
      const entry = oldest();
      if (entry !== undefined) advance();
      return entry;
    },
  };
}
