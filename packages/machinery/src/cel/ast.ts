// The syntax tree of CEL, after macros are expanded. Every node knows the place in the text where messages about it
// point (an operator, an opening bracket or the first character of a name: what upstream's parser notes).

/** A literal: ints are bigint, doubles number, uints wrapped. */
export type Literal =
  | { readonly type: 'null'; readonly value: null }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

export interface LiteralExpr {
  readonly kind: 'literal';
  readonly offset: number;
  readonly literal: Literal;
}

export interface IdentExpr {
  readonly kind: 'ident';
  readonly offset: number;
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` with `testOnly`. */
export interface SelectExpr {
  readonly kind: 'select';
  readonly offset: number;
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
}

/** `f(args)` or `target.f(args)`; operators are calls of `_+_` and the like. */
export interface CallExpr {
  readonly kind: 'call';
  readonly offset: number;
  readonly name: string;
  readonly target?: Expr | undefined;
  readonly args: readonly Expr[];
}

/** `[a, ?b]`: elements at `optional` indices are optional values. */
export interface ListExpr {
  readonly kind: 'list';
  readonly offset: number;
  readonly elements: readonly Expr[];
  readonly optional: ReadonlySet<number>;
}

export interface MapEntryExpr {
  readonly offset: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr {
  readonly kind: 'map';
  readonly offset: number;
  readonly entries: readonly MapEntryExpr[];
}

export interface StructFieldExpr {
  readonly offset: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `Name{field: value}`. */
export interface StructExpr {
  readonly kind: 'struct';
  readonly offset: number;
  readonly typeName: string;
  readonly fields: readonly StructFieldExpr[];
}

/** A fold over a list or a map: what the macros become. */
export interface ComprehensionExpr {
  readonly kind: 'comprehension';
  readonly offset: number;
  readonly range: Expr;
  readonly variable: string;
  /** Two-variable form: `variable` is the index or key, `variable2` the value. */
  readonly variable2?: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr;
