// What reading a body can say went wrong: the text is Go's, so that it can be put behind
// `<Kind> in version "v1" cannot be handled as a <Kind>: ` as it is (spec/apiserver.md §2.6).

/** A body that can't be read. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}
