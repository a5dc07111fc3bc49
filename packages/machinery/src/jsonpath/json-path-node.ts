// The parsed form of a JSONPath template, and the error both halves throw.

/** A template that can't be parsed or evaluated; the message is upstream's. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** One part of a slice `[start:end:step]`. */
export interface SliceParam {
  readonly known: boolean;
  readonly value: number;
  /** The end of an index `[i]`, which is `i + 1`. */
  readonly derived: boolean;
}

export type JsonPathNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly nodes: readonly JsonPathNode[] }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'array'; readonly params: readonly [SliceParam, SliceParam, SliceParam] }
  | { readonly kind: 'filter'; readonly left: JsonPathList; readonly right: JsonPathList; readonly operator: string }
  | { readonly kind: 'number'; readonly value: number; readonly isFloat: boolean }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'union'; readonly lists: readonly JsonPathList[] };

export type JsonPathList = readonly JsonPathNode[];
