// What a client is told when the store could not take its write or answer its read. Only for failures that no endpoint
// has words of its own for.

import { ApiError } from '@homeostat/base';
import { newInternalError, newTooManyRequests } from '@homeostat/machinery';
import type { StorageError } from '@homeostat/storage';

/** Seconds until another try makes sense. */
const retryAfterSeconds = 1;

export function storageFailure(error: StorageError): ApiError {
  switch (error.code) {
    case 'overloaded':
      return newTooManyRequests('Too many requests, please try again later.', retryAfterSeconds);
    case 'too-large':
      return new ApiError({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: `Request entity too large: ${error.message}`,
        cause: error,
      });
    case 'closed':
      return new ApiError({
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'the server is stopping',
        details: { retryAfterSeconds },
        cause: error,
      });
    case 'compacted':
    case 'future':
    case 'slow-watcher':
    case 'no-space':
    case 'io':
    case 'locked':
    case 'corrupt':
    case 'incompatible':
      return newInternalError(error);
  }
}
