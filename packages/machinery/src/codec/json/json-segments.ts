// An object encoded once, in pieces (design law 7): what GET, LIST items, watch frames and the stored form share are
// the same bytes. They differ in two places only, kind and apiVersion at the start, and metadata.resourceVersion:
//
//   {"kind":"Pod","apiVersion":"v1","metadata":{…,"uid":"…","resourceVersion":"7","generation":1,…},"spec":…}
//    └─────── typeMeta ───────────┘└─── head ───────────┘└───── revision ──────┘└────────── tail ──────────┘
//
// GET and watch frames have all four, LIST items of built-in kinds no typeMeta, the stored form no revision. Custom
// resources are written with sorted keys and carry their kind in lists too: it is part of the head.

import { stringifyJson } from './encode-json.ts';

export interface SegmentOptions {
  /** Decimal; absent in the stored form. */
  readonly resourceVersion?: string;
  /** Whether kind and apiVersion are written; custom resources have them always. Default true. */
  readonly typeMeta?: boolean;
}

export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

type Members = Readonly<Record<string, unknown>>;

const brace = Buffer.from('{');

export class JsonSegments {
  readonly #typeMeta: Uint8Array;
  readonly #head: Uint8Array;
  readonly #tail: Uint8Array;
  /** Metadata has no member before resourceVersion. */
  readonly #headOpen: boolean;
  /** Metadata has members after it. */
  readonly #tailContinues: boolean;

  private constructor(typeMeta: Uint8Array, before: Members, head: string, tail: string) {
    this.#typeMeta = typeMeta;
    const leading = Object.keys(before).length === 0 ? '' : `${stringifyJson(before).slice(1, -1)},`;
    this.#head = Buffer.from(`${leading}"metadata":{${head}`);
    this.#tail = Buffer.from(tail);
    this.#headOpen = head === '';
    this.#tailContinues = tail.startsWith(',');
  }

  /** Encodes a canonical object of a built-in kind. Its own kind, apiVersion and resourceVersion are passed over. */
  static ofTyped(object: object, kind: ObjectKind): JsonSegments {
    const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object as Members;
    const [head, metadataTail] = splitMetadata((metadata ?? {}) as Members);
    const text = stringifyJson({ kind: kind.kind, apiVersion: kind.apiVersion }).slice(1, -1);
    return new JsonSegments(Buffer.from(`${text},`), {}, head, metadataTail + members(rest));
  }

  /** Encodes an object whose keys are in the order they are to be written: custom resources. */
  static ofSorted(object: object): JsonSegments {
    const before: Record<string, unknown> = {};
    const after: Record<string, unknown> = {};
    let metadata: Members = {};
    let seen = false;
    for (const [key, value] of Object.entries(object as Members)) {
      if (key === 'metadata') [metadata, seen] = [value as Members, true];
      else (seen ? after : before)[key] = value;
    }
    const [head, metadataTail] = splitSorted(metadata);
    return new JsonSegments(new Uint8Array(), before, head, metadataTail + members(after));
  }

  /** How many bytes an encoding takes. */
  byteLength(options: SegmentOptions): number {
    return this.parts(options).reduce((sum, part) => sum + part.byteLength, 0);
  }

  /** The bytes, in order, without copying those that are shared. */
  parts({ resourceVersion, typeMeta = true }: SegmentOptions): readonly Uint8Array[] {
    const start = typeMeta && this.#typeMeta.byteLength > 0 ? [brace, this.#typeMeta] : [brace];
    if (resourceVersion === undefined) {
      const dropComma = this.#headOpen && this.#tailContinues;
      return [...start, this.#head, dropComma ? this.#tail.subarray(1) : this.#tail];
    }
    const revision = Buffer.from(`${this.#headOpen ? '' : ','}"resourceVersion":"${resourceVersion}"`, 'latin1');
    return [...start, this.#head, revision, this.#tail];
  }

  /** The bytes in one piece. */
  bytes(options: SegmentOptions): Uint8Array {
    return Buffer.concat(this.parts(options));
  }
}

const beforeRevision = ['name', 'generateName', 'namespace', 'selfLink', 'uid'];

/** The members of metadata before and behind resourceVersion; the latter with the closing brace. */
function splitMetadata(metadata: Members): [head: string, tail: string] {
  const head: Record<string, unknown> = {};
  const tail: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (key !== 'resourceVersion') (beforeRevision.includes(key) ? head : tail)[key] = value;
  }
  return [stringifyJson(head).slice(1, -1), members(tail)];
}

function splitSorted(metadata: Members): [head: string, tail: string] {
  const head: Record<string, unknown> = {};
  const tail: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (key !== 'resourceVersion') (key < 'resourceVersion' ? head : tail)[key] = value;
  }
  return [stringifyJson(head).slice(1, -1), members(tail)];
}

/** `,"a":1,"b":2}`: members that follow others, and the closing brace. */
function members(object: Members): string {
  const text = stringifyJson(object);
  return text === '{}' ? '}' : `,${text.slice(1)}`;
}

/** The start and end of a watch frame around an object's parts. */
export function watchFrame(type: string, object: readonly Uint8Array[]): readonly Uint8Array[] {
  return [Buffer.from(`{"type":"${type}","object":`, 'latin1'), ...object, frameEnd];
}

const frameEnd = Buffer.from('}\n');
