// What a transport rejects with when no answer could be had. An answer with a bad status is not an error of the transport.

/**
 * - `refused`: nobody listens, or the name does not resolve; the request did not reach a server.
 * - `reset`: the connection broke after the request was sent; it may have been carried out.
 * - `timeout`: no answer in time; it may have been carried out.
 * - `tls`: the peer could not be trusted.
 * - `protocol`: the peer does not speak HTTP as expected.
 */
export type TransportErrorCode = 'refused' | 'reset' | 'timeout' | 'tls' | 'protocol';

const brand = Symbol.for('homeostat.TransportError');

/** No answer from the API server. Recognised by {@link isTransportError} across copies of the package. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly [brand] = true;
  readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether `error` is a {@link TransportError}, optionally with one of the given codes. */
export function isTransportError(error: unknown, ...codes: readonly TransportErrorCode[]): error is TransportError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return codes.length === 0 || codes.includes((error as TransportError).code);
}
