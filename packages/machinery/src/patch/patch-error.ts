// A patch that can't be read or applied. The kind says which HTTP answer upstream gives.

export type PatchErrorKind =
  /** The patch itself is malformed: 400 with the message. */
  | 'malformed'
  /** The patch does not apply to the object: 422 with the generic text. */
  | 'inapplicable'
  /** Anything else upstream did not foresee: 500 with the bare message. */
  | 'unexpected';

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly kind: PatchErrorKind;

  constructor(kind: PatchErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
