// Questions about errors that writes came back with.

import { isApiError } from '@homeostat/base';

/** Whether a create was refused because its namespace is going away: nothing more can be done there, and nothing is wrong. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error) && (error.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false)
  );
}
