// A selector text or object that can't be understood; the API server answers 400 with the message, which is upstream's.

export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
