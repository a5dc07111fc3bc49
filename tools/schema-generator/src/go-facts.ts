// What main.go prints: the facts of Go types that OpenAPI does not state.

export interface GoType {
  readonly scalar?: string;
  readonly goType?: string;
  readonly ref?: string;
  readonly list?: GoType;
  readonly message?: boolean;
  readonly map?: GoType;
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  readonly pointer?: boolean;
  readonly omitempty?: boolean;
  readonly omitzero?: boolean;
  readonly proto?: readonly number[];
  readonly embedded?: readonly string[];
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface GoFacts {
  readonly modules: Readonly<Record<string, string>>;
  /** apiVersion → kind → type name. */
  readonly kinds: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly types: Readonly<Record<string, { readonly fields: readonly GoField[] }>>;
}

/** `io.k8s.api.core.v1.Pod` → its package `io.k8s.api.core.v1` and its name `Pod`. */
export function splitTypeName(name: string): { readonly packageName: string; readonly typeName: string } {
  const dot = name.lastIndexOf('.');
  return { packageName: name.slice(0, dot), typeName: name.slice(dot + 1) };
}
