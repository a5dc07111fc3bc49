// The one error of the wire (design law 12): it mirrors metav1.Status. Constructors for the usual reasons
// (not found, conflict, invalid …) are in `machinery/src/errors.ts`, which knows about kinds.

/** `metav1.StatusCause`. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** `metav1.StatusDetails`. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** `metav1.Status` in the field order of the wire. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export interface ApiErrorOptions {
  /** HTTP status code. */
  readonly code: number;
  /** `metav1.StatusReason`, such as `NotFound`; the empty string is upstream's "unknown". */
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails;
  /** List metadata of the Status: a 410 on a continue token carries a fresh token here. */
  readonly metadata?: Status['metadata'];
  readonly cause?: unknown;
}

const brand = Symbol.for('homeostat.ApiError');

/**
 * A failed API call, on the server about to be sent or on the client as received.
 * Recognised by {@link isApiError} across copies of the package, not by `instanceof`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly [brand] = true;
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  readonly metadata: Status['metadata'];

  constructor(options: ApiErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
    this.metadata = options.metadata ?? {};
  }

  /** Seconds the server asks to wait before trying again; undefined when it asks for nothing. */
  get retryAfterSeconds(): number | undefined {
    return this.details?.retryAfterSeconds;
  }

  /** The Status object as it goes over the wire. */
  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }

  /** Rebuilds the error a server sent as a Status; `fallbackCode` serves bodies without one. */
  static fromStatus(status: Partial<Status>, fallbackCode = 500): ApiError {
    return new ApiError({
      code: status.code ?? fallbackCode,
      reason: status.reason ?? '',
      message: status.message ?? 'unknown',
      ...(status.details === undefined ? {} : { details: status.details }),
      ...(status.metadata === undefined ? {} : { metadata: status.metadata }),
    });
  }
}

/** Whether `error` is an {@link ApiError}, optionally with one of the given reasons. */
export function isApiError(error: unknown, ...reasons: readonly string[]): error is ApiError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return reasons.length === 0 || reasons.includes((error as ApiError).reason);
}
